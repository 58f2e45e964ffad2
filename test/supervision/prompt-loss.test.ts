import { afterEach, describe, expect, it } from 'vitest';
import type { OnPromptLost, Session, SessionEvent, Supervisor } from '../../src/index.ts';
import { createSupervisor } from '../../src/index.ts';
import { type MemoryPrompt, memoryFleet } from './memory-cli.ts';

const QUICK = { backoff: { minMs: 1, maxMs: 1, jitter: 0 } } as const;

const supervisors: Supervisor[] = [];

afterEach(async () => {
  for (const supervisor of supervisors.splice(0)) await supervisor.shutdown();
});

describe('a prompt whose process is lost in the middle of it', () => {
  it('onPromptLost "once": is sent again under its id, and the CLI decides (P2)', async () => {
    const { session, fleet } = await opened('once', ({ text, cli, complete }, nth) =>
      text === 'deadly' && nth === 1 ? crash(cli) : complete(),
    );
    const turn = session.prompt('deadly', { id: 'p1' });
    expect((await turn.result).outcome).toBe('completed');
    expect(fleet.prompts.map(({ uuid }) => uuid)).toEqual(['p1', 'p1']);
    expect(session.incarnation).toBe(2);
  });

  it('onPromptLost "fail": ends as lost with PROMPT_LOST, and the next prompt runs (P2)', async () => {
    const { session, fleet } = await opened('fail', ({ text, cli, complete }) =>
      text === 'deadly' ? crash(cli) : complete(),
    );
    const deadly = session.prompt('deadly', { id: 'p1' });
    const next = session.prompt('next', { id: 'p2' });
    expect(await deadly.result).toMatchObject({
      outcome: 'lost',
      error: { code: 'PROMPT_LOST', details: { id: 'p1', because: 'CLI_EXITED' } },
    });
    expect((await next.result).outcome).toBe('completed');
    expect(fleet.prompts.map(({ uuid }) => uuid)).toEqual(['p1', 'p2']);
  });

  it('onPromptLost "retry": a turn that the CLI will not take up is begun anew, linked to its prompt (WIRE §15)', async () => {
    const { session, fleet, told } = await opened('retry', ({ cli, uuid, complete }, nth) => {
      if (nth === 1) crash(cli);
      else if (nth === 2)
        cli.say(RESULT_OF_ANOTHER, { type: 'command_lifecycle', command_uuid: uuid, state: 'completed' });
      else complete('at last');
    });
    const turn = session.prompt('deadly', { id: 'p1' });
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'at last', promptIds: ['p1'] });
    const [first, second, third] = fleet.prompts.map(({ uuid }) => uuid);
    expect([first, second]).toEqual(['p1', 'p1']);
    expect(third).not.toBe('p1');
    const delivered = told().filter((event) => event.type === 'prompt.delivered');
    expect(delivered.map(({ promptId, uuid }) => [promptId, uuid])).toEqual([
      ['p1', undefined],
      ['p1', undefined],
      ['p1', third],
    ]);
    expect(told().filter(({ type }) => type === 'prompt.ended')).toHaveLength(1);
  });

  it('onPromptLost "ask": is held, nothing runs, and explain() says who has to decide (P2, P5)', async () => {
    const { session, fleet, told } = await opened('ask', ({ text, cli, complete }, nth) =>
      text === 'deadly' && nth === 1 ? crash(cli) : complete(),
    );
    const deadly = session.prompt('deadly', { id: 'p1' });
    const next = session.prompt('next', { id: 'p2' });
    await until(() => session.state === 'ready' && session.incarnation === 2);
    expect(session.doubts.pending()).toMatchObject([{ id: 'p1', code: 'CLI_EXITED' }]);
    expect(session.status).toBe('requires_action');
    expect(session.explain()).toMatchObject({
      promptsInDoubt: [{ id: 'p1' }],
      queuedPrompts: 2,
      outstandingPrompts: 0,
    });
    expect(session.explain().waitingFor).toEqual(['doubts.resolve("p1", "retry" or "fail")']);
    expect(told().filter((event) => event.type === 'prompt.in-doubt')).toMatchObject([{ promptId: 'p1' }]);
    expect(fleet.prompts).toHaveLength(1);

    expect(session.doubts.resolve('p1', 'retry')).toBe(true);
    expect(session.doubts.resolve('p1', 'fail')).toBe(false);

    expect((await deadly.result).outcome).toBe('completed');
    expect((await next.result).outcome).toBe('completed');
    expect(session.doubts.pending()).toEqual([]);
  });

  it('onPromptLost "ask": stays in doubt while the session sleeps, and the answer wakes it (P5)', async () => {
    const { session } = await opened('ask', ({ cli, complete }, nth) => (nth === 1 ? crash(cli) : complete()));
    const deadly = session.prompt('deadly', { id: 'p1' });
    await until(() => session.state === 'ready' && session.incarnation === 2);
    await session.hibernate();
    expect(session.state).toBe('hibernated');
    expect(session.doubts.pending()).toHaveLength(1);

    session.doubts.resolve('p1', 'retry');

    expect((await deadly.result).outcome).toBe('completed');
    expect(session.incarnation).toBe(3);
  });

  it('onPromptLost "ask": ends with the session that is closed, as interrupted, once (P2)', async () => {
    const { session, told } = await opened('ask', ({ cli }) => crash(cli));
    const deadly = session.prompt('deadly', { id: 'p1' });
    await until(() => session.doubts.pending().length === 1);
    await session.close();
    expect((await deadly.result).outcome).toBe('interrupted');
    expect(told().filter(({ type }) => type === 'prompt.ended')).toHaveLength(1);
    expect(session.doubts.resolve('p1', 'retry')).toBe(false);
  });

  it('refuses an answer that is none', async () => {
    const { session } = await opened('ask', ({ complete }) => complete());
    expect(() => session.doubts.resolve('p1', 'perhaps' as 'fail')).toThrow(
      expect.objectContaining({ code: 'INVALID_ANSWER' }),
    );
  });

  it('is declared by the supervisor where the session says nothing', async () => {
    const fleet = memoryFleet(({ cli }) => crash(cli));
    const supervisor = newSupervisor(fleet.open, { onPromptLost: 'fail' });
    const session = await supervisor.start({});
    expect((await session.prompt('deadly').result).error?.code).toBe('PROMPT_LOST');
  });
});

describe('a quarantine', () => {
  it('is told with every end that led to it and when, by explain() and by the event, and says what to do (P8, R62)', async () => {
    const { session, supervisor, told } = await opened('fail', ({ cli }) => crash(cli), 2);
    for (const text of ['one', 'two', 'three']) await session.prompt(text).result;
    await until(() => session.state === 'quarantined');

    const { failures, advice, lastFailure } = session.explain();
    expect(failures.map(({ incarnation, code, ending }) => [incarnation, code, ending])).toEqual([
      [1, 'CLI_EXITED', 'crash'],
      [2, 'CLI_EXITED', 'crash'],
      [3, 'CLI_EXITED', 'crash'],
    ]);
    expect(failures.map(({ at }) => at)).toEqual(failures.map(({ at }) => at).toSorted());
    expect(lastFailure).toMatchObject({ code: 'CLI_EXITED', ending: 'crash' });
    expect(advice).toContain('stderr');
    expect(told().filter((event) => event.type === 'session.quarantined')).toMatchObject([{ failures }]);
    expect(supervisor.list()).toEqual([session]);

    session.restart();
    await until(() => session.state === 'ready');
    expect(session.explain().failures).toEqual([]);
  });
});

/** Ends the turn, and is about another prompt. */
const RESULT_OF_ANOTHER = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  user_message_uuids: ['another'],
  num_turns: 1,
  total_cost_usd: 0,
};

function crash(cli: MemoryPrompt['cli']): void {
  cli.peer.exit({ exitCode: 1, signal: null });
}

function newSupervisor(spawn: ReturnType<typeof memoryFleet>['open'], more: { onPromptLost?: OnPromptLost } = {}) {
  const supervisor = createSupervisor({
    spawn,
    pathToClaudeCodeExecutable: process.execPath,
    restart: QUICK,
    ...more,
  });
  supervisors.push(supervisor);
  return supervisor;
}

async function opened(
  onPromptLost: OnPromptLost,
  answer: (prompt: MemoryPrompt, nth: number) => void,
  intensity = 3,
): Promise<{
  session: Session;
  supervisor: Supervisor;
  fleet: ReturnType<typeof memoryFleet>;
  told: () => readonly SessionEvent[];
}> {
  let count = 0;
  const fleet = memoryFleet((prompt) => {
    count += 1;
    answer(prompt, count);
  });
  const supervisor = newSupervisor(fleet.open);
  const events: SessionEvent[] = [];
  supervisor.on('event', (event) => {
    if ('seq' in event && 'epoch' in event) events.push(event as SessionEvent);
  });
  const session = await supervisor.start({ onPromptLost, restart: { ...QUICK, intensity } });
  return { session, supervisor, fleet, told: () => events };
}

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { interval: 5, timeout: 20_000 }).toBe(true);
}
