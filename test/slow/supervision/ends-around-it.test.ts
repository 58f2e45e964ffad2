import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Supervisor } from '../../../src/index.ts';
import {
  ANSWER_INITIALIZE,
  errorFrom,
  eventOf,
  isAlive,
  newSupervisor,
  QUICK_RESTART,
  reaches,
  script,
} from '../session/stage.ts';

/** Ends whose reason lies around the process: in the system, the limits, a store, or who asks for it. */
describe('a session', () => {
  it.each([
    ['close', 'asked', 'closed'],
    ['kill', 'killed', 'closed'],
  ] as const)('that is ended by %s() has ended as %s, and its process is gone (P1)', async (how, ending, code) => {
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: await script(...ANSWER_INITIALIZE, 'read -r go') });
    const causes = endsOf(supervisor);
    const session = await supervisor.start({ timeouts: { closeGraceMs: 2_000 } });
    const { pid } = session;

    await session[how]();

    expect(causes).toEqual([{ code, ending }]);
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('whose next process the system cannot start is tried again, as spawn-failed, and goes on (P8)', async () => {
    const path = await script(...ANSWER_INITIALIZE, 'read -r go', 'exit 1');
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: path, restart: QUICK_RESTART });
    const session = await supervisor.start();
    // While it is open for writing the system runs no program.
    const writing = await open(path, 'r+');
    session.prompt('go');
    const { cause } = await eventOf(session, 'session.restarting', ({ restarts }) => restarts === 2);
    await writing.close();

    expect(cause).toMatchObject({ code: 'SPAWN_FAILED', ending: 'spawn-failed' });
    await reaches(session, 'ready', 3);
    await session.kill();
  });

  it('that finds no slot within admissionMs has ended as no-room before it had a process (P9)', async () => {
    const supervisor = newSupervisor({
      pathToClaudeCodeExecutable: await script(...ANSWER_INITIALIZE, 'cat >/dev/null'),
      limits: { maxSessions: 1 },
      timeouts: { admissionMs: 100 },
    });
    await supervisor.start({ id: 'first' });
    const causes = endsOf(supervisor);

    expect(await errorFrom(supervisor.start({ id: 'second' }))).toMatchObject({ code: 'AT_CAPACITY' });

    expect(causes).toEqual([{ code: 'AT_CAPACITY', ending: 'no-room' }]);
  });

  it('whose conversation its store does not give back has ended as store-failed (P5)', async () => {
    const supervisor = newSupervisor({
      pathToClaudeCodeExecutable: await script(...ANSWER_INITIALIZE, 'cat >/dev/null'),
    });
    const causes = endsOf(supervisor);
    const sessionStore = { append: async () => {}, load: () => Promise.reject(new Error('No disk.')) };
    const resume = '11111111-1111-4111-8111-111111111111';

    expect((await errorFrom(supervisor.start({ resume, sessionStore }))).code).toBe('STORE_FAILED');

    expect(causes).toEqual([{ code: 'STORE_FAILED', ending: 'store-failed' }]);
    expect(supervisor.list()).toEqual([]);
  });
});

function endsOf(supervisor: Supervisor): { code: string; ending: string }[] {
  const causes: { code: string; ending: string }[] = [];
  supervisor.on('event', (event) => {
    if (event.type !== 'session.ended') return;
    const { code, ending } = event.cause;
    causes.push({ code, ending });
  });
  return causes;
}
