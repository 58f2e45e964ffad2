import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type Session, type SessionOptions, type Supervisor } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryPrompt, memoryFleet } from './memory-cli.ts';

const supervisors: Supervisor[] = [];

afterEach(async () => {
  for (const supervisor of supervisors.splice(0)) await supervisor.shutdown();
});

describe('prompts behind one in doubt', () => {
  it.each([
    ['it is decided that it failed', (session: Session) => void session.doubts.resolve('deadly', 'fail')],
    ['it is taken back', (session: Session) => void session.cancelPrompt('deadly')],
    ['it is interrupted', (session: Session) => void session.interrupt()],
  ])('go out when %s (P2, P5)', async (_, act) => {
    const { session } = await doubting();
    const next = session.prompt('next');

    act(session);

    expect((await next.result).outcome).toBe('completed');
  });

  it('go out also where the session fell asleep over the question (P5)', async () => {
    const { session, clock } = await doubting({ timeouts: { idleMs: 1_000 } });
    const next = session.prompt('next');
    await clock.advance(60_000);
    expect(session.state).toBe('hibernated');
    expect(session.explain().waitingFor).toEqual(['doubts.resolve("deadly", "retry" or "fail")']);

    session.doubts.resolve('deadly', 'fail');

    expect((await next.result).outcome).toBe('completed');
  });

  it('are waited for by a drain as what waits for a person', async () => {
    const { session, clock, supervisor } = await doubting();
    const next = session.prompt('next');
    const drained = supervisor.drain({ timeoutMs: 60_000 });
    await clock.advance(1_000);
    expect(supervisor.explain()).toMatchObject({
      awaited: [{ id: 'one', reason: 'person' }],
      remaining: { people: 1 },
    });

    await clock.advance(100_000);
    await drained;
    expect(await next.result).toMatchObject({ outcome: 'cancelled', error: { code: 'SUPERVISOR_STOPPED' } });
  });
});

describe('a session that is asked to sleep while a prompt waits for its process', () => {
  it('is busy, and the prompt runs (P2, P5)', async () => {
    const { session, supervisor } = await stage({ autoStart: false });
    const asked: Promise<void>[] = [];
    supervisor.on('event', (event) => {
      if (event.type === 'session.state-changed' && event.state === 'initializing') asked.push(session.hibernate());
    });

    const turn = session.prompt('first');

    expect((await turn.result).outcome).toBe('completed');
    await expect(asked[0]).rejects.toMatchObject({ code: 'SESSION_BUSY' });
  });
});

async function doubting(more: SessionOptions = {}) {
  const staged = await stage({ onPromptLost: 'ask', ...more }, ({ text, cli, complete }) =>
    text === 'deadly' ? cli.exit(1) : complete(),
  );
  staged.session.prompt('deadly', { id: 'deadly' });
  await staged.clock.advance(1);
  await staged.clock.advance(3_000);
  expect(staged.session.doubts.pending()).toMatchObject([{ id: 'deadly' }]);
  return staged;
}

async function stage(options: SessionOptions, answer?: (prompt: MemoryPrompt) => void) {
  const clock = simulatedClock();
  const fleet = memoryFleet(answer);
  const supervisor = createSupervisor({ clock, spawn: fleet.open, pathToClaudeCodeExecutable: process.execPath });
  supervisors.push(supervisor);
  return { supervisor, clock, fleet, session: await supervisor.start({ id: 'one', ...options }) };
}
