import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newHost } from './fakes.ts';
import { type Frame, isAlive, shape } from './host.ts';

const UUID = '11111111-1111-4111-8111-111111111111';
const BARE = when.prompt({ equals: 'go', bare: true });

describe('steps that write', () => {
  it('fills the facts of the moment into a frame', async () => {
    const frame = { type: 'x', a: '$uuid', b: ['<$prompt>', '$session_id'], c: '$pid', d: '$new_uuid' };
    const { host } = await newHost({ rules: [on(when.prompt('go'), step.emit(frame), step.result())] });
    host.prompt('go', UUID);
    const written = await host.next((one) => one.type === 'x');

    expect(written).toMatchObject({
      a: UUID,
      b: ['<go>', expect.stringMatching(/^[0-9a-f-]{36}$/)],
      c: host.child.pid,
    });
    expect(written.d).not.toBe(UUID);
  });

  it('writes foreign text, raw bytes and a line without its end (R09)', async () => {
    const cut = { base64: Buffer.from('{"type":"y"').toString('base64') };
    const steps = [
      step.emitRaw('Debugger attached.\n{"type":"x"'),
      step.emitRaw('}\n'),
      step.emitRaw(cut),
      step.exit(3),
    ];
    const { host } = await newHost({ rules: [on(BARE, ...steps)] });
    host.prompt('go');

    expect((await host.exited).code).toBe(3);
    expect(host.foreign).toEqual(['Debugger attached.']);
    expect(host.frames).toEqual([{ type: 'x' }]);
  });

  it.each([true, false])('writes many frames, numbered and complete, one write per line: %s', async (perWrite) => {
    const many = step.emitMany({ count: 5_000, frame: { type: 'x', i: '$i', text: 'n$i' }, perWrite });
    const { host } = await newHost({ rules: [on(BARE, many, step.exit(0))] });
    host.prompt('go');
    await host.exited;

    expect(host.frames).toHaveLength(5_000);
    expect(host.frames.at(-1)).toEqual({ type: 'x', i: 4_999, text: 'n4999' });
  });

  it('writes a line of exactly the asked length before it exits (R07)', async () => {
    const bytes = 5 * 1024 * 1024 + 1;
    const { host } = await newHost({ rules: [on(BARE, step.bigLine({ bytes }), step.exit(0))] });
    host.prompt('go');
    await host.exited;

    expect(JSON.stringify(host.frames[0])).toHaveLength(bytes);
  });

  it('does not read stdin before its output was taken (R20)', async () => {
    const atStart = [step.stderr('about to write'), step.writeBeforeRead({ bytes: 4 * 1024 * 1024 })];
    const { host, fake } = await newHost({ atStart });
    host.child.stdout.pause();
    host.prompt('hi');
    await host.stderrWith('about to write');
    // Many looks at the journal: a fake that reads too early has read long before the last of them.
    for (let look = 0; look < 300; look += 1) {
      expect((await fake.journal()).map((entry) => entry.kind)).toEqual(['start']);
    }
    host.child.stdout.resume();

    expect((await host.result()).result).toBe('Echo: hi');
  });

  it('writes to stderr, also a lot', async () => {
    const steps = [step.stderr('one\n'), step.stderrMany({ count: 1_000, bytes: 100 }), step.exit(0)];
    const { host } = await newHost({ rules: [on(BARE, ...steps)] });
    host.prompt('go');
    await host.exited;

    expect(host.stderr).toHaveLength(4 + 1_000 * 101);
  });

  it('shows the environment it got', async () => {
    const { host } = await newHost({ atStart: [step.printEnvironment()] }, { env: { TROUPE_TEST: 'seen' } });
    const frame = await host.next((one) => one.subtype === 'fake_environment');

    expect(frame.environment).toMatchObject({ TROUPE_TEST: 'seen' });
    expect(Object.keys(frame.environment as Frame).sort()).toEqual(['PATH', 'TROUPE_TEST']);
  });
});

describe('steps that converse', () => {
  it('asks under a name, waits for the answer, and lets a rule look at it', async () => {
    const { host } = await newHost({
      rules: [
        on(
          when.prompt('go'),
          step.request({ name: 'quiz', subtype: 'elicitation', message: 'for $prompt' }),
          step.awaitResponse('quiz'),
          step.emit({ type: 'after' }),
          step.result(),
        ),
        on(when.response('quiz', { behavior: 'deny' }), step.emit({ type: 'denied' })),
        on(when.response('quiz'), step.emit({ type: 'answered' })),
      ],
    });
    host.prompt('go');
    const question = await host.asked('elicitation');
    expect(question.request).toEqual({ subtype: 'elicitation', message: 'for go' });
    host.answer(question, { behavior: 'deny', message: 'no' });
    await host.result();

    const own = host.frames.filter((frame) => ['after', 'denied', 'answered'].includes(String(frame.type)));
    expect(own.map((frame) => frame.type).sort()).toEqual(['after', 'denied']);
  });

  it('answers control requests its own way, refuses them, or leaves them without an answer', async () => {
    const { host } = await newHost({
      rules: [
        on(when.initialize(), step.respond({ mine: '$request_id' })),
        on(when.control('mcp_status', 2), step.respondError('not again', 'twice')),
        on(when.control('get_usage'), step.hang()),
        on(when.control('get_settings'), step.respond({}), step.respond({})),
      ],
    });
    expect((await host.initialize()).response).toEqual({ mine: 'host-1' });
    expect((await host.control({ subtype: 'mcp_status' })).subtype).toBe('success');
    const refusal = await host.control({ subtype: 'mcp_status' });
    expect(refusal).toMatchObject({ subtype: 'error', error: 'not again', error_code: 'twice' });
    host.send({ type: 'control_request', request_id: 'lost', request: { subtype: 'get_usage' } });
    await host.control({ subtype: 'get_settings' });
    await host.end();

    const ids = host.frames.map((frame) => (frame.response as Frame).request_id);
    expect(ids.filter((id) => id === 'lost')).toEqual([]);
    expect(ids.filter((id) => id === 'host-4')).toHaveLength(2);
  });

  it('holds prompts back while a slow initialize is not answered', async () => {
    const rules = [on(when.initialize(), step.delay(100), step.fallThrough())];
    const { host } = await newHost({ rules });
    host.prompt('before');
    await host.result();
    host.send({ type: 'control_request', request_id: 'one', request: { subtype: 'initialize' } });
    host.prompt('behind');
    const first = await host.next((frame) => frame.type === 'control_response' || shape(frame) === 'system/init');

    expect(first.type).toBe('control_response');
    expect((await host.result()).result).toBe('Echo: behind');
  });

  it('ends a turn with the result it was told, also twice, and exits 1 after an error (WIRE §13)', async () => {
    const failed = step.result({ is_error: true, terminal_reason: 'api_error', result: 'API Error: 529' });
    const { host } = await newHost({ rules: [on(when.prompt('go'), failed, failed)] });
    host.prompt('go', UUID);
    await host.result();
    expect(await host.result()).toMatchObject({ subtype: 'success', is_error: true, terminal_reason: 'api_error' });

    expect((await host.end()).code).toBe(1);
    expect(host.frames.filter((frame) => shape(frame) === 'command_lifecycle/completed')).toHaveLength(1);
  });

  it('runs a turn nobody asked for (WIRE §0.6)', async () => {
    const steps = [step.echoTurn({ costUsd: 1 }), step.echoTurn({ text: 'the task is done', lines: 2 })];
    const { host } = await newHost({ rules: [on(when.prompt('go'), ...steps)] });
    host.prompt('go');
    expect((await host.result()).total_cost_usd).toBe(1);
    const own = await host.result();
    await host.end();

    expect(own).toMatchObject({ result: 'the task is done', origin: { kind: 'task-notification' } });
    expect(host.frames.map(shape)).toEqual([
      'system/init',
      'assistant',
      'result/success',
      'system/init',
      'assistant',
      'assistant',
      'result/success',
    ]);
  });

  it('takes the n-th prompt that fits, and the default for the others', async () => {
    const { host } = await newHost({
      rules: [on(when.prompt({ pattern: '^b', nth: 2 }), step.echoTurn({ text: 'second b' }))],
    });
    const answers: unknown[] = [];
    for (const text of ['b1', 'a', 'b2', 'b3']) {
      host.prompt(text);
      answers.push((await host.result()).result);
    }
    expect(answers).toEqual(['Echo: b1', 'Echo: a', 'second b', 'Echo: b3']);
  });

  it('sees cancel lines of the host', async () => {
    const { host } = await newHost({ rules: [on(when.cancel(), step.emit({ type: 'seen' }))] });
    host.send({ type: 'control_cancel_request', request_id: 'x' });
    expect((await host.next((frame) => frame.type === 'seen')).type).toBe('seen');
  });
});

describe('steps that misbehave as a process', () => {
  it('kills itself after the reader had everything', async () => {
    const { host } = await newHost({ rules: [on(BARE, step.bigLine({ bytes: 1_000_000 }), step.killSelf('SIGKILL'))] });
    host.prompt('go');

    expect(await host.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(host.frames).toHaveLength(1);
  });

  it('ignores SIGTERM, SIGINT and the end of stdin, and lives until SIGKILL', async () => {
    const atStart = [step.ignore('SIGTERM'), step.ignore('SIGINT'), step.ignore('eof'), step.emit({ type: 'ready' })];
    const { host, fake } = await newHost({ atStart });
    await host.next((frame) => frame.type === 'ready');
    host.child.kill('SIGTERM');
    host.child.kill('SIGINT');
    host.child.stdin.end();
    await until(host.child.pid ?? 0, async () => (await fake.journal()).length === 4);
    expect(isAlive(host.child.pid ?? 0)).toBe(true);
    host.child.kill('SIGKILL');

    expect((await host.exited).signal).toBe('SIGKILL');
    const seen = (await fake.journal()).map((entry) => (entry.kind === 'signal' ? entry.name : entry.kind));
    expect(seen.slice(1).sort()).toEqual(['SIGINT', 'SIGTERM', 'eof']);
  });

  it('follows a rule for a signal and for the end of stdin', async () => {
    const rules = [
      on(when.signal('SIGTERM'), step.emit({ type: 'asked' })),
      on(when.eof(), step.emit({ type: 'bye' }), step.exit(7)),
    ];
    const { host } = await newHost({ atStart: [step.emit({ type: 'ready' })], rules });
    await host.next((frame) => frame.type === 'ready');
    host.child.kill('SIGTERM');
    await host.next((frame) => frame.type === 'asked');

    expect((await host.end()).code).toBe(7);
    expect(host.frames.at(-1)).toEqual({ type: 'bye' });
  });

  it('hangs in a turn, which an interrupt ends', async () => {
    const { host } = await newHost({ rules: [on(when.prompt('go'), step.hang())] });
    host.prompt('go', UUID);
    await host.next((frame) => shape(frame) === 'system/init');
    await host.control({ subtype: 'interrupt' });

    expect((await host.result()).subtype).toBe('error_during_execution');
    expect(shape(await host.next((frame) => frame.type === 'command_lifecycle'))).toBe('command_lifecycle/cancelled');
  });

  it('burns processor time and is deaf meanwhile', async () => {
    const { host } = await newHost({ rules: [on(BARE, step.emit({ type: 'a' }), step.burnCpu(300), step.exit(0))] });
    host.prompt('go');
    await host.next((frame) => frame.type === 'a');
    const before = performance.now();
    host.child.kill('SIGTERM');

    expect((await host.exited).code).not.toBe(143);
    expect(performance.now() - before).toBeGreaterThan(100);
  });

  it('closes its stdin, so that a writer notices', async () => {
    const { host } = await newHost({ rules: [on(BARE, step.closeStdin(), step.emit({ type: 'closed' }))] });
    const broken = new Promise((resolve) => host.child.stdin.once('error', resolve));
    host.prompt('go');
    await host.next((frame) => frame.type === 'closed');
    host.prompt('x'.repeat(10_000_000));

    expect(await broken).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET/) });
    expect(isAlive(host.child.pid ?? 0)).toBe(true);
  });

  it('closes its stdout and lives on', async () => {
    const { host } = await newHost({ rules: [on(BARE, step.emit({ type: 'last' }), step.closeStdout())] });
    const ended = new Promise<void>((resolve) => host.child.stdout.once('end', resolve));
    host.prompt('go');
    await ended;
    expect(isAlive(host.child.pid ?? 0)).toBe(true);
    host.prompt('unheard');

    expect((await host.end()).code).toBe(0);
    expect(host.frames).toEqual([{ type: 'last' }]);
  });

  it('leaves children behind when it is killed, in a session of their own (WIRE §0.10)', async () => {
    const child = step.spawnChild({ detached: true, grandchild: true, ignoreTerm: true, inheritOutput: true });
    const { host, fake } = await newHost({ atStart: [child, step.emit({ type: 'ready' })] });
    const { pids } = (await host.next((frame) => frame.subtype === 'fake_child')) as { pids: number[] };
    await host.next((frame) => frame.type === 'ready');
    const gone = new Promise((resolve) => host.child.once('exit', resolve));
    host.child.kill('SIGKILL');
    await gone;
    for (const pid of pids) process.kill(pid, 'SIGTERM');

    expect(pids).toHaveLength(2);
    expect(pids.map(isAlive)).toEqual([true, true]);
    expect(await fake.pids()).toEqual([host.child.pid, ...pids]);
    await fake.dispose();
    // The children held the pipe: its end tells that they are gone.
    await host.exited;
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('kills its children on SIGTERM since 2.1.220 and orphans them before (WIRE §0.10)', async () => {
    for (const [version, survives] of [
      ['2.1.332', false],
      ['2.1.197', true],
    ] as const) {
      const { host } = await newHost({ flavor: { version }, atStart: [step.spawnChild({ detached: true })] });
      const { pids } = (await host.next((frame) => frame.subtype === 'fake_child')) as { pids: number[] };
      host.prompt('hi');
      await host.result();
      host.child.kill('SIGTERM');
      await host.exited;
      // A killed process may need a moment to be gone; a survivor is still there whenever one looks.
      if (!survives) for (const pid of pids) await until(pid, async () => false);
      expect(pids.map((pid) => isAlive(pid))).toEqual([survives]);
    }
  });

  it('ends itself after its lifetime', async () => {
    const { host } = await newHost({ lifetimeMs: 200, atStart: [step.hang()] });
    expect((await host.exited).code).toBe(99);
  });
});

/** Waits until the condition holds or the process is gone. */
async function until(pid: number, isReached: () => Promise<boolean>): Promise<void> {
  while (isAlive(pid) && !(await isReached())) await new Promise((done) => setImmediate(done));
}
