import { expect, it } from 'vitest';
import { createSupervisor, type Session, TroupeError } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { memoryFleet } from './memory-cli.ts';

it('a start is over when somebody sends the session to sleep before it was ready (P5)', async () => {
  const { supervisor } = stage();
  const asked: Promise<void>[] = [];
  supervisor.on('event', (event) => {
    if (event.type !== 'session.state-changed' || event.state !== 'spawning' || asked.length > 0) return;
    asked.push(supervisor.session('one')?.hibernate() ?? Promise.reject(new Error('There is no session.')));
  });

  const session = await supervisor.start({ id: 'one' });

  await Promise.all(asked);
  expect(asked).toHaveLength(1);
  expect(session.state).toBe('hibernated');
  expect((await session.prompt('wake up').result).outcome).toBe('completed');
  await supervisor.shutdown();
});

it('nothing follows the end of a session: a setting that was under way is refused (P7)', async () => {
  const { supervisor } = stage();
  const outcomes = new Set<string>();
  for (let turns = 0; turns < 40; turns += 1) {
    const session = await supervisor.start({ id: `after-${turns}` });
    const changed = session.setModel('opus').then(
      () => 'changed',
      (error: unknown) => (TroupeError.is(error) ? error.code : 'untyped'),
    );
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await session.kill();

    outcomes.add(await changed);
    expect((await typesOf(session)).at(-1)).toBe('session.ended');
  }
  expect([...outcomes].toSorted()).toEqual(['CLI_INPUT_CLOSED', 'SESSION_CLOSED', 'changed']);
  await supervisor.shutdown();
});

function stage() {
  const clock = simulatedClock();
  const fleet = memoryFleet();
  return { supervisor: createSupervisor({ clock, spawn: fleet.open, pathToClaudeCodeExecutable: process.execPath }) };
}

async function typesOf(session: Session) {
  const types: string[] = [];
  for await (const event of session.events()) if ('epoch' in event) types.push(event.type);
  return types;
}
