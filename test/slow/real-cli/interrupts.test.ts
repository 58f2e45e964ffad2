import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { hang, toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, processesOf, stage } from './stage.ts';
import { type CliLine, linesOf, linesWith, resultsOf, userTexts } from './transcript-of.ts';

const ABORTED = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' };
const ABORTED_TOOL = { ...ABORTED, terminal_reason: 'aborted_tools' };
const INTERRUPTED = { effect: 'interrupted', cancelled: [], stillQueued: [] };
const BY_USER = '[Request interrupted by user]';
const FOR_TOOL_USE = '[Request interrupted by user for tool use]';
// The CLI refuses to run a lone sleep.
const SLEEP = `CALL Bash ${JSON.stringify({ command: 'while true; do sleep 300; done', description: 'sleep' })}`;
const QUESTION = `CALL Bash ${JSON.stringify({ command: 'echo hi > out.txt', description: 'write' })}`;

describe('an interrupt of the real CLI, row by row of WIRE §8', () => {
  it('ends a streaming turn with one result that names the reason, and keeps what was said (R43)', async () => {
    const { start, cli } = await stage();
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 200');
    await streaming(session, 'text_delta');
    expect(await session.interrupt()).toEqual(INTERRUPTED);

    expect((await turn.result).outcome).toBe('interrupted');
    const lines = await linesOf(session);
    expect(lines.filter(({ type }) => type === 'result')).toMatchObject([ABORTED]);
    const partial = lines.filter(({ type }) => type === 'assistant');
    // Newer releases say that the rest is missing.
    expect(partial.map(({ aborted }) => aborted)).toEqual([cli.since('2.1.220') ? true : undefined]);
    expect(JSON.stringify(partial)).toContain('"text":"');
    expect(userTexts(lines).at(-1)).toContain(BY_USER);
    // They also close the stream as if the model had ended it; before, a reader of events was left with an open block.
    const events = lines.flatMap(({ event }) => (event === undefined ? [] : [(event as CliLine)['type']]));
    const closed = ['content_block_stop', 'message_delta', 'message_stop'];
    if (cli.since('2.1.220')) expect(events.slice(-3)).toEqual(closed);
    else expect(events).not.toContain('content_block_stop');
  });

  it('ends a turn whose model says nothing', async () => {
    const { start, model } = await stage();
    const session = await start();
    const turn = session.prompt('HANG');
    await expect.poll(() => model.requests.length).toBeGreaterThan(0);
    await eventOf(session, 'turn.started');
    expect(await session.interrupt()).toEqual(INTERRUPTED);

    expect((await turn.result).outcome).toBe('interrupted');
    const lines = await linesOf(session);
    expect(lines.filter(({ type }) => type === 'result')).toMatchObject([ABORTED]);
    expect(lines.filter(({ type }) => type === 'assistant')).toEqual([]);
    expect(userTexts(lines).at(-1)).toContain(BY_USER);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });

  it('ends a running shell with everything it started, and tells its task stopped (WIRE §17)', async () => {
    const { start } = await stage();
    const session = await start({ id: 'shell', allowedTools: ['Bash'] });
    const turn = session.prompt(SLEEP);
    await eventOf(session, 'message', ({ message }) => message.subtype === 'task_started');
    expect(commandsOf('shell')).toContain('sleep');
    expect(await session.interrupt()).toEqual(INTERRUPTED);

    expect((await turn.result).outcome).toBe('interrupted');
    await expect.poll(() => commandsOf('shell'), { timeout: 10_000 }).not.toContain('sleep');
    const lines = await linesOf(session);
    expect(lines.filter(({ type }) => type === 'result')).toMatchObject([ABORTED_TOOL]);
    expect(lines).toContainEqual(expect.objectContaining({ subtype: 'task_notification', status: 'stopped' }));
    expect(userTexts(lines).slice(-2)).toEqual([
      expect.stringContaining('"is_error":true'),
      expect.stringContaining(FOR_TOOL_USE),
    ]);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });

  it('takes an open question back before it answers, and counts it as denied (R26, WIRE §6)', async () => {
    const { start } = await stage();
    const session = await start();
    const turn = session.prompt(QUESTION);
    const { requestId } = await eventOf(session, 'permission.requested');
    const receipt = session.interrupt();
    const { outcome } = await eventOf(session, 'permission.settled', (event) => event.requestId === requestId);
    expect(await receipt).toEqual(INTERRUPTED);

    expect([outcome, (await turn.result).outcome]).toEqual(['cancelled', 'interrupted']);
    const lines = await linesOf(session);
    expect(lines.filter(({ type }) => type === 'result')).toMatchObject([
      { ...ABORTED_TOOL, permission_denials: [{ tool_name: 'Bash' }] },
    ]);
    expect(userTexts(lines).at(-1)).toContain(FOR_TOOL_USE);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });

  it('of nobody brings no result, and the next prompt runs (R42)', async () => {
    const { start } = await stage();
    const session = await start();
    await session.prompt('hello').result;
    await session.settled();
    expect(await session.interrupt()).toEqual({ effect: 'nothing', cancelled: [], stillQueued: [] });
    // Ours is not even written then; the CLI itself would say yes and do nothing.
    await session.control('interrupt');

    expect((await session.prompt('next').result).outcome).toBe('completed');
    expect(await resultsOf(session)).toMatchObject([{ is_error: false }, { is_error: false }]);
  });

  it('sent twice gives two receipts and one result (R43)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const receipts = await Promise.all([session.interrupt(), session.interrupt()]);

    expect(receipts.map(({ effect }) => effect)).toEqual(['interrupted', 'interrupted']);
    expect((await turn.result).outcome).toBe('interrupted');
    expect((await session.prompt('next').result).outcome).toBe('completed');
    expect(await resultsOf(session)).toHaveLength(2);
  });

  it('lets a prompt that the CLI holds run on, as a turn with its own result (R79)', async () => {
    const { start, cli } = await stage();
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const second = session.prompt('held', { onBusy: 'steer' });
    await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === second.id);
    // Newer releases say when they hold it; until then an interrupt may come before it.
    if (cli.since('2.1.220'))
      await linesWith(session, { type: 'command_lifecycle', command_uuid: second.id, state: 'queued' });

    expect(await session.interrupt()).toEqual({ effect: 'interrupted', cancelled: [], stillQueued: [second.id] });
    expect((await first.result).outcome).toBe('interrupted');
    expect(await second.result).toMatchObject({ outcome: 'completed', text: expect.stringContaining('held') });
  });

  it('takes back a prompt that the CLI holds when asked, and names it (R79, WIRE §8)', async () => {
    const { start, cli } = await stage();
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const held = session.prompt('held', { onBusy: 'steer' });
    await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === held.id);
    if (cli.since('2.1.220')) {
      await linesWith(session, { type: 'command_lifecycle', command_uuid: held.id, state: 'queued' });
    }
    const unsent = session.prompt('unsent');

    const receipt = await session.interrupt({ cancelQueued: true });
    expect(receipt).toEqual({ effect: 'interrupted', cancelled: [unsent.id, held.id], stillQueued: [] });
    expect((await first.result).outcome).toBe('interrupted');
    expect((await held.result).outcome).toBe('cancelled');
    expect((await unsent.result).outcome).toBe('cancelled');
    expect((await session.prompt('next').result).text).not.toContain('held');
  });

  it('after the result ends a background agent, without a result of its own (WIRE §8, §17)', async () => {
    const job = {
      description: 'work',
      prompt: 'agent work',
      subagent_type: 'general-purpose',
      run_in_background: true,
    };
    const { start, model, cli } = await stage({
      script: {
        rules: [
          { when: { promptEquals: 'delegate', isToolResult: false }, reply: toolUse('Task', job) },
          { when: { promptContains: 'agent work' }, reply: hang() },
        ],
      },
    });
    const session = await start();
    expect((await session.prompt('delegate').result).outcome).toBe('completed');
    await expect.poll(() => model.requests.some(({ prompt }) => prompt?.includes('agent work') === true)).toBe(true);
    // In 2.1.197 the CLI calls itself idle here, which it is not.
    if (!cli.since('2.1.220')) await linesWith(session, { subtype: 'session_state_changed', state: 'idle' });
    expect(session.status).toBe('running');
    expect(await session.interrupt()).toEqual({ effect: 'nothing', cancelled: [], stillQueued: [] });

    await session.settled({ ceilingMs: 20_000 });
    expect(session.status).toBe('idle');
    const lines = await linesWith(session, { subtype: 'task_notification', status: 'stopped' });
    expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });
});

/** Resolves when the model has begun to say something of this kind. */
async function streaming(session: Session, kind: string): Promise<void> {
  await eventOf(session, 'message', ({ message }) => message.raw.includes(`"${kind}"`));
}

function commandsOf(sessionId: string): (string | undefined)[] {
  return processesOf(sessionId).map(({ command }) => command.split(' ')[0]);
}
