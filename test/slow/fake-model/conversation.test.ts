import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lastUserText } from '../../../src/testing/fake-model/asked.ts';
import { expectRequests } from '../../../src/testing/fake-model/expect-requests.ts';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import {
  cutAfter,
  errorTimes,
  failAfter,
  type ModelScript,
  resetAfter,
  text,
  toolUse,
} from '../../../src/testing/fake-model/script.ts';
import { CliConversation, type Line } from './cli-conversation.ts';

describe('the real CLI on the fake model', () => {
  it('gets each prompt echoed, whatever the CLI puts around it, and leaves no process behind (P1)', async () => {
    const { cli, model } = await open();

    expect(await cli.ask('hello there')).toMatchObject({ is_error: false, result: 'Echo: hello there' });
    expect(await cli.ask('and again')).toMatchObject({ is_error: false, result: 'Echo: and again' });

    expect(model.requests.map((request) => request.prompt)).toEqual(['hello there', 'and again']);
    const sessionId = cli.lines.find((line) => line.subtype === 'init')?.session_id;
    expect(model.requests.map((request) => request.sessionId)).toEqual([sessionId, sessionId]);
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('calls the tool a prompt names, once permission is given (WIRE §5)', async () => {
    const { cli, model } = await open();

    cli.prompt('CALL Bash {"command":"echo hi > out.txt","description":"write"}');
    const question = await cli.next(isQuestion);
    expect(question.request).toMatchObject({ tool_name: 'Bash', input: { command: 'echo hi > out.txt' } });
    cli.allow(question);
    const result = await cli.result();

    expect(result).toMatchObject({ is_error: false, num_turns: 2 });
    expect(result.result).toMatch(/^Tool said: \[".*no output.*"\]$/);
    expect(await readFile(join(cli.home.cwd, 'out.txt'), 'utf8')).toBe('hi\n');
    expect(model.requests[1]?.toolResults).toMatchObject([
      { toolUseId: question.request?.tool_use_id, isError: false },
    ]);
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('calls several tools in one message and answers both results in one', async () => {
    const { cli, model } = await open();

    cli.prompt(
      `CALLS ${JSON.stringify([
        { name: 'Bash', input: { command: 'echo one > 1.txt', description: 'first' } },
        { name: 'Bash', input: { command: 'echo two > 2.txt', description: 'second' } },
      ])}`,
    );
    cli.allow(await cli.next(isQuestion));
    cli.allow(await cli.next(isQuestion));
    const result = await cli.result();

    expect(result.result).toMatch(/^Tool said: \["[^"]*","[^"]*"\]$/);
    const ids = model.requests[1]?.toolResults.map((answer) => answer.toolUseId) ?? [];
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('streams words that an interrupt stops, and notes the request as aborted (WIRE §8)', async () => {
    const { cli, model } = await open({ slowDelayMs: 20 }, { args: ['--include-partial-messages'] });

    cli.prompt('SLOW 5000');
    await cli.next((line) => line.event?.delta?.text === 'w3 ');
    cli.interrupt();

    expect(await cli.result()).toMatchObject({ is_error: true, terminal_reason: 'aborted_streaming' });
    expect(await model.requests[0]?.finished).toBe('aborted');
    expect(await cli.ask('still there?')).toMatchObject({ is_error: false, result: 'Echo: still there?' });
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('stays silent for HANG until an interrupt (WIRE §8)', async () => {
    const { cli, model } = await open();

    cli.prompt('HANG');
    const request = await model.received(1);
    expect(request.outcome).toBeUndefined();
    cli.interrupt();

    expect(await cli.result()).toMatchObject({ is_error: true, terminal_reason: 'aborted_streaming' });
    expect(await request.finished).toBe('aborted');
    expect(await cli.ask('after')).toMatchObject({ result: 'Echo: after' });
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('answers the next prompt, not the tool that an interrupt ended', async () => {
    const { cli } = await open();

    cli.prompt('CALL Bash {"command":"echo hi > out.txt","description":"wait"}');
    await cli.next(isQuestion);
    cli.interrupt();

    expect(await cli.result()).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(await cli.ask('after')).toMatchObject({ result: 'Echo: after' });
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it.each([400, 429, 500])(
    'ends the turn with the API error %i that the prompt asks for (WIRE §13)',
    async (status) => {
      const { cli } = await open({}, { env: { CLAUDE_CODE_MAX_RETRIES: '1' } });

      expect(await cli.ask(`ERROR ${status}`)).toMatchObject({
        is_error: true,
        api_error_status: status,
        terminal_reason: 'api_error',
      });
      const retries = cli.lines.filter((line) => line.subtype === 'api_retry');
      expect(retries.map((line) => line.error_status)).toEqual(status === 400 ? [] : [status]);
      expect(await cli.ask('better?')).toMatchObject({ is_error: false, result: 'Echo: better?' });
      expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
    },
  );

  it('streams the deltas in order with --include-partial-messages (WIRE §10)', async () => {
    const { cli } = await open({ slowDelayMs: 1 }, { args: ['--include-partial-messages'] });

    expect(await cli.ask('SLOW 30')).toMatchObject({ is_error: false, result: words(30) });

    const events = cli.lines.filter((line) => line.type === 'stream_event').flatMap((line) => line.event ?? []);
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      ...Array.from({ length: 30 }, () => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.flatMap((event) => event.delta?.text ?? []).join('')).toBe(words(30));
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('thinks before it speaks (WIRE §10)', async () => {
    const { cli } = await open();

    expect(await cli.ask('THINK about ducks')).toMatchObject({ is_error: false, result: 'Thought.' });

    const blocks = cli.lines.filter((line) => line.type === 'assistant').flatMap((line) => line.message?.content ?? []);
    expect(blocks).toMatchObject([
      { type: 'thinking', thinking: 'about ducks' },
      { type: 'text', text: 'Thought.' },
    ]);
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('follows the rules of a script: a failure at first, a cut stream, a tool and what to say to its result', async () => {
    const { cli, model } = await open({
      rules: [
        { when: { promptEquals: 'retry' }, reply: errorTimes(1, 529, text('here now')) },
        { when: { promptEquals: 'cut' }, reply: cutAfter(3, text('never whole')), times: 1 },
        { when: { promptEquals: 'cut' }, reply: text('whole') },
        { when: { promptEquals: 'reset' }, reply: resetAfter(3, text('never whole')), times: 1 },
        { when: { promptEquals: 'fail' }, reply: failAfter(3), times: 1 },
        { when: { promptContains: 'list' }, reply: toolUse('Bash', { command: 'ls', description: 'list' }) },
        { when: { promptContains: 'list', isToolResult: true }, reply: text('listed') },
      ],
    });

    expect(await cli.ask('retry')).toMatchObject({ is_error: false, result: 'here now' });
    expect(model.requests).toHaveLength(2);
    expect(await cli.ask('cut')).toMatchObject({ is_error: false, result: 'whole' });
    expect(await model.requests[2]?.finished).toBe('cut');
    expect(await cli.ask('reset')).toMatchObject({ is_error: false, result: 'Echo: reset' });
    expect(await cli.ask('fail')).toMatchObject({ is_error: false, result: 'Echo: fail' });
    expect(await cli.ask('please list')).toMatchObject({ is_error: false, result: 'listed' });
    const prompts = ['retry', 'cut', 'reset', 'fail', { promptContains: 'list', isToolResult: false }];
    expectRequests(model, [...prompts, { toolResultContains: '', promptContains: 'list' }], { others: 'allowed' });
    expect(lastUserText(model)).toBe('please list');
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('lets the CLI compact its history with one request, and go on', async () => {
    const { cli, model } = await open();

    await cli.ask('one');
    await cli.ask('/compact');
    expect(cli.lines.filter((line) => line.subtype === 'compact_boundary')).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    expect(await cli.ask('two')).toMatchObject({ result: 'Echo: two' });
    const history = JSON.stringify(model.requests.at(-1)?.body['messages']);
    expect(history).toContain('The conversation so far.');
    expect(history).not.toContain('Respond with TEXT ONLY');
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('answers a subagent by the prompt that started it (WIRE §17)', async () => {
    const { cli, model } = await open();
    const input = { description: 'job', prompt: 'quack', subagent_type: 'general-purpose', run_in_background: false };

    const result = await cli.ask(`CALL Task ${JSON.stringify(input)}`);

    expect(result.is_error).toBe(false);
    expect(model.requests.map((request) => request.prompt)).toContain('quack');
    expect(result.result).toContain('Echo: quack');
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('answers a prompt that was folded into a turn together with the tool result (WIRE §11)', async () => {
    const { cli, model } = await open();

    cli.prompt('CALL Bash {"command":"echo hi > out.txt","description":"write"}');
    const question = await cli.next(isQuestion);
    cli.prompt('hurry');
    cli.allow(question);

    expect((await cli.result()).result).toMatch(/^Tool said: /);
    expect(JSON.stringify(model.requests.at(-1)?.body['messages'])).toContain('hurry');
    expect(await cli.leave()).toEqual({ exitCode: 0, left: [] });
  });

  it('ends an open request as closed, and frees the port, when the server closes in the middle', async () => {
    const { cli, model } = await open({}, { env: { CLAUDE_CODE_MAX_RETRIES: '0' } });

    cli.prompt('HANG');
    const request = await model.received(1);
    await model.close();

    expect(await request.finished).toBe('closed');
    expect(await cli.result()).toMatchObject({ is_error: true, terminal_reason: 'api_error' });
    await expect(fetch(model.url)).rejects.toThrow();
    expect((await cli.leave()).left).toEqual([]);
  });
});

const opened: { cli: CliConversation; model: FakeModel }[] = [];

afterEach(async () => {
  for (const { cli, model } of opened.splice(0)) {
    await cli.kill();
    await model.close();
  }
});

async function open(script: ModelScript = {}, more: Parameters<typeof CliConversation.open>[1] = {}) {
  const model = await fakeModel(script);
  const cli = await CliConversation.open(model, more);
  opened.push({ cli, model });
  return { cli, model };
}

function isQuestion(line: Line): boolean {
  return line.request?.subtype === 'can_use_tool';
}

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
}
