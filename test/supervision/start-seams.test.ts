import { expect, it } from 'vitest';
import { createSupervisor, type Session } from '../../src/index.ts';
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

it('nothing follows the end of a session: a setting that waited for its process is refused (P7)', async () => {
  const { supervisor } = stage();
  const session = await supervisor.start({ id: 'one' });
  const changed = session.setModel('opus');
  void session.kill();

  await expect(changed).rejects.toMatchObject({ code: 'SESSION_CLOSED' });

  await session.ended;
  expect((await typesOf(session)).at(-1)).toBe('session.ended');
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
