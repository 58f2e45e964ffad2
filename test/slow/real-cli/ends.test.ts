import { describe, expect, it } from 'vitest';
import { eventOf, processesOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

// The CLI refuses to run a lone sleep.
const SLEEP = `CALL Bash ${JSON.stringify({ command: 'while true; do sleep 300; done', description: 'sleep' })}`;
const QUESTION = `CALL Bash ${JSON.stringify({ command: 'echo hi > out.txt', description: 'write' })}`;
const allowedTools = ['Bash'];

async function sleeping(sessionId: string): Promise<{ pid: number; command: string }> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const found = processesOf(sessionId).find(({ command }) => command.startsWith('sleep'));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('The tool did not start.');
}

describe('interrupting the real CLI', () => {
  it('stops a streaming turn and takes the next prompt (R43, WIRE §8)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const receipt = await session.interrupt();
    const result = await turn.result;

    expect(receipt).toEqual({ effect: 'interrupted', cancelled: [], stillQueued: [] });
    expect(result).toMatchObject({ outcome: 'interrupted', error: undefined });
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });

  it('stops a running tool and its processes (WIRE §8)', async () => {
    const { start } = await stage();
    const session = await start({ id: 'midtool', allowedTools });
    const turn = session.prompt(SLEEP);
    await sleeping('midtool');
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    await expect.poll(() => processesOf('midtool').map(({ command }) => command.split(' ')[0])).not.toContain('sleep');
    expect(session.state).toBe('ready');
  });

  it('withdraws the open question when it interrupts (R26, WIRE §6)', async () => {
    const { start } = await stage();
    const session = await start();
    const turn = session.prompt(QUESTION);
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    expect(session.permissions.get(requestId)?.settlement?.outcome).toBe('cancelled');
    expect(session.permissions.pending()).toEqual([]);
    await expect(session.permissions.answer(requestId, { behavior: 'allow' })).rejects.toMatchObject({
      code: 'PERMISSION_SETTLED',
    });
  });

  it('reports that there was nothing to stop (R42)', async () => {
    const { start } = await stage();
    const session = await start();
    await session.prompt('hello').result;
    await session.settled();

    expect(await session.interrupt()).toEqual({ effect: 'nothing', cancelled: [], stillQueued: [] });
    expect((await session.prompt('go on').result).outcome).toBe('completed');
  });

  it('leaves queued prompts to run, or takes them back when asked (R79)', async () => {
    const { start } = await stage();
    const session = await start();
    const [first, second] = [session.prompt('SLOW 200'), session.prompt('second')];
    await eventOf(session, 'turn.started');
    expect(await session.interrupt()).toMatchObject({ effect: 'interrupted' });
    expect((await first.result).outcome).toBe('interrupted');
    expect((await second.result).text).toContain('second');

    const [third, fourth] = [session.prompt('SLOW 200'), session.prompt('fourth')];
    await eventOf(session, 'prompt.started', ({ promptId }) => promptId === third.id);
    expect(await session.interrupt({ cancelQueued: true })).toMatchObject({ cancelled: [fourth.id], stillQueued: [] });
    expect((await fourth.result).outcome).toBe('cancelled');
  });
});

describe('ending the real CLI', () => {
  it('leaves no tool behind when the CLI is killed in the middle of one (P1, WIRE §15)', async () => {
    const { start } = await stage();
    const session = await start({ id: 'killed', allowedTools });
    const turn = session.prompt(SLEEP);
    await sleeping('killed');
    process.kill(session.pid ?? 0, 'SIGKILL');
    const [result, end] = await Promise.all([turn.result, session.ended]);

    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'CLI_EXITED' } });
    expect(result.error?.details).toMatchObject({ signal: 'SIGKILL' });
    expect(end).toMatchObject({ reason: 'failed', error: { code: 'CLI_EXITED' } });
    expect(session.state).toBe('failed');
    expect(processesOf('killed')).toEqual([]);
  });

  it('resumes the conversation after such a kill and runs the prompt once more (P2, P8)', async () => {
    const { start, model, cli, configDir } = await stage();
    const session = await start({
      id: 'phoenix',
      allowedTools,
      restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } },
    });
    await session.prompt('remember the lamp').result;
    const { conversationId } = session;
    await recorded(configDir, 'Echo: remember the lamp');
    const turn = session.prompt('SLOW 60');
    await eventOf(session, 'prompt.started', ({ promptId }) => promptId === turn.id);
    process.kill(session.pid ?? 0, 'SIGKILL');
    const result = await turn.result;

    // Older releases drop a prompt that was killed midway without a word (WIRE §11), so it is not sent again.
    expect(result.outcome).toBe(cli.since('2.1.220') ? 'completed' : 'lost');
    expect((await session.prompt('and now?').result).outcome).toBe('completed');
    expect(session.incarnation).toBe(2);
    expect(session.conversationId).toBe(conversationId);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('remember the lamp');
  });

  it('never calls a prompt completed whose tool was cut off by a crash (P2, WIRE §15)', async () => {
    const { start, cli } = await stage();
    const session = await start({
      id: 'cut-off',
      allowedTools,
      restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } },
    });
    const turn = session.prompt(SLEEP);
    await sleeping('cut-off');
    process.kill(session.pid ?? 0, 'SIGKILL');
    const result = await turn.result;

    const code = cli.since('2.1.220') ? 'PROMPT_LOST' : 'CLI_EXITED';
    expect(result).toMatchObject({ outcome: 'lost', error: { code } });
    expect((await session.prompt('go on').result).outcome).toBe('completed');
    // Older releases write their transcript late, and what was not written cannot be resumed (WIRE §15).
    expect(session.incarnation).toBeGreaterThanOrEqual(2);
  });

  it('ends a tool, a turn and an open question with the session, whatever it is doing (P1, R50)', async () => {
    const { start } = await stage();
    const ids = ['tool', 'turn', 'question'];
    const [tool, turn, question] = await Promise.all([
      start({ id: 'tool', allowedTools }),
      start({ id: 'turn' }),
      start({ id: 'question' }),
    ]);
    const turns = [tool.prompt(SLEEP), turn.prompt('SLOW 400'), question.prompt(QUESTION)];
    await Promise.all([sleeping('tool'), eventOf(turn, 'turn.started'), eventOf(question, 'permission.requested')]);
    await Promise.all([tool.close(), turn.close(), question.close()]);

    expect(ids.flatMap(processesOf)).toEqual([]);
    for (const { result } of turns) expect((await result).outcome).not.toBe('lost');
    expect([tool.state, turn.state, question.state]).toEqual(['closed', 'closed', 'closed']);
  });

  it('kills at once when told to, and refuses everything afterwards without touching the process', async () => {
    const { start } = await stage();
    const session = await start({ id: 'gone', allowedTools });
    const turn = session.prompt(SLEEP);
    await sleeping('gone');
    await session.kill();

    expect(processesOf('gone')).toEqual([]);
    expect((await turn.result).outcome).toBe('interrupted');
    expect(() => session.prompt('more')).toThrow(expect.objectContaining({ code: 'SESSION_CLOSED' }));
    await expect(session.control('mcp_status')).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await session.close();
  });
});
