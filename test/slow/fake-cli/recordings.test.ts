import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { FakeVersion } from '../../../src/testing/fake-cli/flavor.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newHost } from './fakes.ts';
import { type Frame, type Host, type HostOptions, shape, user } from './host.ts';

const VERSIONS: readonly FakeVersion[] = ['2.1.332', '2.1.197', '2.1.19', '2.0.30', '1.0.128'];
const CALC = ['--mcp-config', '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}'];
const ADD = { a: 7, b: 4 };

/** What the real CLI wrote in the recordings, one after the other; absent where the recordings are not at hand. */
const recordings = fileURLToPath(new URL('../../../../shared/wire/', import.meta.url));

describe.skipIf(!existsSync(recordings))('a conversation with the fake has the order of the recorded one', () => {
  it.each(VERSIONS)('%s: three prompts at once (WIRE §11)', async (version) => {
    const host = await start({ flavor: { version } }, { args: ['--replay-user-messages'] });
    await host.initialize();
    host.send(user('alpha', uuid(1)), user('bravo', uuid(2)), user('charlie', uuid(3)));
    await host.end();

    expect(host.frames.map(shape)).toEqual(recorded(version, '11b-three-at-once'));
  });

  it.each(VERSIONS)('%s: handshake and tool call of an in-process server (WIRE §2)', async (version) => {
    const rules = [on(when.prompt({ contains: 'CALL' }), step.toolTurn({ tool: 'mcp__calc__add', input: ADD }))];
    const host = await start({ flavor: { version }, rules }, { args: CALC });
    await host.initialize();
    if (!['2.0.30', '1.0.128'].includes(version)) {
      await host.next((frame) => shape(frame).endsWith('tools/list'));
    }
    host.prompt('CALL mcp__calc__add');
    host.answer(await host.asked('can_use_tool'), { behavior: 'allow', updatedInput: ADD });
    await host.result();
    host.prompt('two');
    await host.result();
    await host.end();

    expect(host.frames.map(shape)).toEqual(recorded(version, '02-one-sdk-mcp'));
  });

  it.each(VERSIONS)('%s: the prompt right behind initialize (WIRE §2)', async (version) => {
    const host = await start({ flavor: { version } }, { args: CALC });
    host.send({ type: 'control_request', request_id: 'one', request: { subtype: 'initialize' } }, user('hi'));
    await host.result();
    await host.end();

    expect(host.frames.map(shape)).toEqual(recorded(version, '02c-sdk-mcp-user-sent-immediately'));
  });

  it.each(VERSIONS)('%s: an interrupt in the middle of a stream (WIRE §8)', async (version) => {
    const words = Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ');
    const rules = [on(when.prompt('SLOW 60'), step.echoTurn({ text: words, wordMs: 20 }))];
    const host = await start({ flavor: { version }, rules }, { args: ['--include-partial-messages'] });
    await host.initialize();
    host.prompt('SLOW 60');
    for (let word = 0; word < 3; word += 1) await host.next((frame) => shape(frame).endsWith('content_block_delta'));
    await host.control({ subtype: 'interrupt' });
    await host.result();
    host.prompt('after');
    await host.result();
    await host.end();

    expect(withoutDeltas(host.frames.map(shape))).toEqual(withoutDeltas(recorded(version, '08a-interrupt-midstream')));
  });

  it('2.1.332: an interrupt with queued prompts (WIRE §8)', async () => {
    const slow = step.echoTurn({ text: 'one two three four five six seven eight', wordMs: 200 });
    const host = await start({ rules: [on(when.prompt('SLOW 40'), slow)] }, { args: ['--replay-user-messages'] });
    await host.initialize();
    for (const request of [{ subtype: 'interrupt' }, { subtype: 'interrupt', cancel_queued: true }]) {
      const isFirst = request.cancel_queued === undefined;
      host.prompt('SLOW 40', uuid(isFirst ? 1 : 3));
      await host.next((frame) => shape(frame) === 'system/init');
      host.prompt('queued', uuid(isFirst ? 2 : 4));
      await host.next((frame) => shape(frame) === 'command_lifecycle/queued');
      await host.control(request);
      await host.next((frame) => shape(frame) === 'result/error_during_execution');
      if (isFirst) await host.next((frame) => shape(frame) === 'command_lifecycle/completed');
    }
    const exit = await host.end();

    expect(host.frames.map(shape)).toEqual(recorded('2.1.332', '08f-interrupt-with-queued'));
    expect(exit).toEqual({ code: 1, signal: null });
  });

  it('2.1.332: session states around a permission (WIRE §0.7)', async () => {
    const rules = [
      on(when.prompt({ contains: 'CALL' }), step.toolTurn({ tool: 'Bash', input: { command: 'echo hi' } })),
    ];
    const env = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' };
    const host = await start({ rules }, { args: ['--replay-user-messages'], env });
    await host.initialize();
    host.prompt('CALL Bash', uuid(1));
    host.answer(await host.asked('can_use_tool'), { behavior: 'allow', updatedInput: { command: 'echo hi' } });
    await host.next((frame) => frame.state === 'idle');
    await host.end();

    expect(host.frames.map(shape)).toEqual(recorded('2.1.332', '21d-session-state-events'));
  });

  it('2.1.332: hooks around a tool call (WIRE §7)', async () => {
    const rules = [
      on(when.prompt({ contains: 'CALL' }), step.toolTurn({ tool: 'Bash', input: { command: 'echo hi' } })),
    ];
    const host = await start({ rules });
    const names = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'PermissionRequest'];
    await host.initialize({ hooks: Object.fromEntries(names.map((name) => [name, [{ hookCallbackIds: [name] }]])) });
    host.prompt('CALL Bash');
    for (;;) {
      const frame = await host.next((one) => one.type === 'control_request' || one.type === 'result');
      if (frame.type === 'result') break;
      const isHook = (frame.request as Frame).subtype === 'hook_callback';
      host.answer(frame, isHook ? { continue: true } : { behavior: 'allow', updatedInput: { command: 'echo hi' } });
    }
    await host.end();

    expect(host.frames.map(shape)).toEqual(recorded('2.1.332', '07a-hooks-all-continue'));
  });
});

async function start(scenario: Scenario, options?: HostOptions): Promise<Host> {
  return (await newHost(scenario, options)).host;
}

function recorded(version: string, name: string): string[] {
  const lines = readFileSync(`${recordings}${version}/${name}.ndjson`, 'utf8').trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { dir: string; msg: Frame });
  return entries.filter((entry) => entry.dir === '<').map((entry) => shape(entry.msg));
}

function withoutDeltas(list: readonly string[]): string[] {
  return list.filter((one) => !one.endsWith('content_block_delta'));
}

function uuid(digit: number): string {
  return '11111111-1111-4111-8111-111111111111'.replace(/^1{8}/, String(digit).repeat(8));
}
