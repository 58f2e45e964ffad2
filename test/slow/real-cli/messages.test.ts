import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AssembledMessage,
  type CliMessage,
  isErrorMessage,
  isResult,
  MessageAssembler,
  type Session,
  type Subagent,
  subagentOf,
  textOf,
  thinkingOf,
  toolResultsOf,
  toolUsesOf,
} from '../../../src/index.ts';
import { cutAfter, streamText, text, thinking, together, toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, stage } from './stage.ts';

const ECHO = `CALL Bash ${JSON.stringify({ command: 'echo hi', description: 'say hi' })}`;
const allowedTools = ['Bash', 'Task', 'Agent'];

async function messagesOf(session: Session): Promise<CliMessage[]> {
  const messages: CliMessage[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'message') messages.push(event.message);
  }
  return messages;
}

function nameOf({ type, subtype }: CliMessage): string {
  return subtype === undefined ? type : `${type}/${subtype}`;
}

function agentCall(prompt: string, isBackground: boolean): string {
  const input = { description: 'look', prompt, subagent_type: 'general-purpose', run_in_background: isBackground };
  return `CALL Task ${JSON.stringify(input)}`;
}

/** Every answer as it was put together, by its id. */
function assembled(messages: readonly CliMessage[]): Map<string | undefined, AssembledMessage> {
  const assembler = new MessageAssembler();
  const answers = new Map<string | undefined, AssembledMessage>();
  for (const message of messages) {
    const answer = assembler.push(message);
    if (answer !== undefined) answers.set(answer.id, answer);
  }
  return answers;
}

describe('the messages of the real CLI', () => {
  it('have a schema each, whatever happens in a session (WIRE §21, P6)', async () => {
    const { start } = await stage();
    const session = await start({
      includePartialMessages: true,
      includeHookEvents: true,
      allowedTools,
      hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
    });
    for (const prompt of [
      ECHO,
      'THINK hard',
      agentCall('look', false),
      agentCall('look', true),
      'ERROR 529',
      '/cost',
    ]) {
      await session.prompt(prompt).result;
      await session.settled();
    }
    for (const prompt of ['/compact', '/clear', 'EMPTY']) await session.prompt(prompt).result;
    const messages = await messagesOf(session);

    const names = new Set(messages.map(nameOf));
    for (const name of ['system/init', 'assistant', 'user', 'stream_event', 'result/success', 'system/api_retry']) {
      expect(names).toContain(name);
    }
    expect(messages.filter(({ view }) => !view.recognized).map(({ text: line }) => line)).toEqual([]);
  });

  it('give up their texts, thoughts, calls and results to the helpers (WIRE §10)', async () => {
    const { start } = await stage();
    const session = await start({ allowedTools });
    await session.prompt(ECHO).result;
    await session.prompt('THINK it over').result;
    await session.prompt('ERROR 400').result;
    const messages = await messagesOf(session);
    const call = messages.flatMap(toolUsesOf);
    const answers = messages.flatMap(toolResultsOf);

    expect(call).toMatchObject([{ name: 'Bash', input: { command: 'echo hi' } }]);
    expect(answers).toMatchObject([{ toolUseId: call[0]?.id, text: 'hi', isError: false }]);
    expect(messages.map(thinkingOf).join('')).toBe('it over');
    const results = messages.filter(isResult);
    expect(results.map(isErrorMessage)).toEqual([false, false, true]);
    expect(textOf(results[1] as CliMessage)).toBe('Thought.');
    // The sentence in the model's place is no answer of the model.
    expect(messages.filter((message) => message.type === 'assistant').filter(isErrorMessage)).toHaveLength(1);
  });
});

describe('an answer in pieces on the real CLI (WIRE §10)', () => {
  it.each([true, false])('is the same text with and without partial messages: %s', async (includePartialMessages) => {
    const reply = together(streamText({ words: 30, delayMs: 1 }), text(' and more'));
    const { start } = await stage({ script: { otherwise: reply } });
    const session = await start({ includePartialMessages });
    const turn = session.prompt('talk');
    const pieces: string[] = [];
    for await (const piece of turn.textStream()) pieces.push(piece);

    expect(pieces.join('')).toBe(`${Array.from({ length: 30 }, (_, index) => `w${index}`).join(' ')} and more`);
    expect(pieces.length > 2).toBe(includePartialMessages);
  });

  it('ends as the blocks that come whole, thoughts and calls included', async () => {
    const call = toolUse('Bash', { command: 'echo "a\\nb"', description: 'x'.repeat(200) });
    const reply = together(thinking('first a thought'), text('then words'), call);
    const { start } = await stage({ script: { rules: [{ when: { isToolResult: false }, reply }] } });
    const session = await start({ includePartialMessages: true, allowedTools });
    await session.prompt('go').result;
    const messages = await messagesOf(session);
    const whole = new Map<string, unknown[]>();
    for (const { type, value } of messages) {
      const { id, content } = (value?.['message'] ?? {}) as { id?: string; content?: unknown[] };
      if (type === 'assistant') whole.set(String(id), [...(whole.get(String(id)) ?? []), ...(content ?? [])]);
    }
    const fromEvents = assembled(messages.filter(({ type }) => type === 'stream_event'));

    expect(whole.size).toBe(2);
    for (const [id, blocks] of whole) {
      expect(assembled(messages).get(id)).toMatchObject({ blocks, state: 'complete' });
      // Without the copies the pieces alone give the same words and the same input.
      expect(fromEvents.get(id)?.blocks).toMatchObject(blocks.map((block) => expect.objectContaining(block as object)));
    }
  });

  it('keeps what was said when it is interrupted (WIRE §8)', async () => {
    const { start } = await stage({ script: { slowDelayMs: 20 } });
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 400');
    await eventOf(
      session,
      'message',
      ({ message }) => message.type === 'stream_event' && textOf(message).includes('w5'),
    );
    await session.interrupt();
    await turn.result;
    const answer = [...assembled(await messagesOf(session)).values()].find((it) => it.text.startsWith('w0'));

    expect(answer?.state).toBe('aborted');
    expect(answer?.text).toMatch(/^w0 w1 w2 w3 w4 w5/);
  });

  it('is followed by the one that takes its place when the stream breaks (WIRE §13)', async () => {
    const words = streamText({ words: 20, delayMs: 1 });
    const { start } = await stage({
      script: { rules: [{ when: { nth: 1 }, reply: cutAfter(6, words) }], otherwise: words },
    });
    const session = await start({ includePartialMessages: true });
    const result = await session.prompt('talk').result;
    const answers = [...assembled(await messagesOf(session)).values()];

    expect(result).toMatchObject({ outcome: 'completed' });
    expect(answers.at(-1)).toMatchObject({ state: 'complete', text: result.text });
  });
});

describe('subagents of the real CLI (WIRE §17)', () => {
  it('are told apart by the call that started them, in the foreground', async () => {
    const { start } = await stage();
    const session = await start({ allowedTools });
    const turn = session.prompt(agentCall(ECHO, false));
    const speakers: (Subagent | undefined)[] = [];
    let callId: string | undefined;
    for await (const message of turn) {
      callId ??= toolUsesOf(message)[0]?.id;
      if (message.type === 'assistant') speakers.push(subagentOf(message));
    }

    // Text before the call, the call, and the answer at the end.
    expect(speakers.filter((speaker) => speaker === undefined)).toHaveLength(3);
    const [speaker] = speakers.filter((it) => it !== undefined);
    expect(speaker).toMatchObject({ toolUseId: callId, type: 'general-purpose', description: 'look' });
    expect((await turn.result).text).toContain('Tool said');
  });

  it('work on behind the result, and report in a turn that nobody asked for (WIRE §0.6)', async () => {
    const { start, cwd, cli } = await stage();
    const session = await start({ allowedTools });
    const wait = JSON.stringify({ command: 'until [ -e go ]; do sleep 0.05; done', description: 'wait' });
    const result = await session.prompt(agentCall(`CALL Bash ${wait}`, true)).result;
    expect(result.outcome).toBe('completed');
    expect(session.status).toBe('running');
    const other = await session.prompt('meanwhile').result;
    expect(other).toMatchObject({ outcome: 'completed', text: 'Echo: meanwhile' });

    writeFileSync(join(cwd, 'go'), '');
    await session.settled();
    const turns = session.turns();
    const messages = await messagesOf(session);

    expect(turns.map(({ promptIds }) => promptIds.length)).toEqual([1, 1, 0]);
    expect(turns.at(-1)).toMatchObject({ origin: 'task-notification', state: 'ended', isError: false });
    expect(turns.at(-1)?.costUsd).toBeGreaterThan(0);
    expect(session.status).toBe('idle');
    const names = new Set(messages.map(nameOf));
    for (const name of ['system/task_started', 'system/task_notification']) expect(names).toContain(name);
    expect(names.has('system/background_tasks_changed')).toBe(cli.since('2.1.205'));
    expect(messages.some((message) => message.type === 'assistant' && subagentOf(message) !== undefined)).toBe(true);
    expect(messages.some((message) => subagentOf(message)?.agentId !== undefined)).toBe(cli.since('2.1.312'));
    const costs = turns.reduce((sum, { costUsd }) => sum + (costUsd ?? Number.NaN), 0);
    expect(session.usage().costUsd).toBeCloseTo(costs, 10);
  });

  it('are no reason to wait for a shell in the background (R19)', async () => {
    const { start, cwd } = await stage();
    const session = await start({ allowedTools });
    const input = {
      command: 'until [ -e go ]; do sleep 0.05; done; touch done',
      description: 'wait',
      run_in_background: true,
    };
    const result = await session.prompt(`CALL Bash ${JSON.stringify(input)}`).result;
    await session.settled();

    expect(result.outcome).toBe('completed');
    expect(session.explain().waitingFor).toBeDefined();
    writeFileSync(join(cwd, 'go'), '');
    await expect.poll(() => existsSync(join(cwd, 'done')), { timeout: 20_000 }).toBe(true);
    await eventOf(session, 'message', ({ message }) => nameOf(message) === 'system/task_notification');
  });
});
