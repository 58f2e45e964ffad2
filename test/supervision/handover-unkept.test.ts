import { expect, it } from 'vitest';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';

it('what the store has not got when a session is handed over is told to nobody (P7)', async () => {
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const store = steeredStore();
  const { open } = memoryFleet(() => {});
  const supervisor = createSupervisor({
    clock,
    store,
    spawn: open,
    pathToClaudeCodeExecutable: process.execPath,
    timeouts: { storeMs: 4_000, drainCloseMs: 20_000, drainFlushMs: 5_000 },
  });
  const told: FleetEvent[] = [];
  supervisor.on('event', (event) => told.push(event));
  await supervisor.start({ id: 'one' });
  await clock.advance(0);

  store.steer('hold');
  const over = supervisor.handover({ timeoutMs: 1 });
  await clock.advance(60_000);
  await over;

  const seen = told.flatMap((event) => ('sessionId' in event && 'seq' in event ? [event.seq] : []));
  const head = await store.head('one');
  expect(Math.max(...seen)).toBe(head?.lastSeq);
  expect(told.map(({ type }) => type)).not.toContain('session.handed-over');
});

it('a turn whose end the store has not got when its session is handed over is HANDED_OVER: that is no end, the next supervisor tells it (P2)', async () => {
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const store = steeredStore();
  const fleet = memoryFleet(() => {});
  const supervisor = createSupervisor({
    clock,
    store,
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    timeouts: { storeMs: 4_000, drainCloseMs: 20_000, drainFlushMs: 5_000 },
  });
  const session = await supervisor.start({ id: 'one' });
  const turn = session.prompt('work');
  await turn.accepted;
  await clock.advance(0);

  store.steer('hold');
  fleet.prompts[0]?.complete();
  await clock.advance(0);
  expect(session.snapshot().outstanding).toEqual([]);
  const over = supervisor.handover({ timeoutMs: 1 });
  await clock.advance(60_000);
  await over;

  expect(await turn.result).toMatchObject({ outcome: 'lost', error: { code: 'HANDED_OVER' } });
});

it('an answer whose settlement the store has not got when the session is handed over is HANDED_OVER: the CLI never hears it (P4)', async () => {
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const store = steeredStore();
  const fleet = memoryFleet(() => {});
  const supervisor = createSupervisor({
    clock,
    store,
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    timeouts: { storeMs: 4_000, drainCloseMs: 20_000, drainFlushMs: 5_000 },
  });
  const session = await supervisor.start({ id: 'one' });
  session.prompt('ask');
  await clock.advance(0);
  const heard: string[] = [];
  fleet.prompts[0]?.cli.peer.onInput((line) => heard.push(line));
  fleet.prompts[0]?.cli.say({
    type: 'control_request',
    request_id: 'q1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' },
  });
  await clock.advance(0);

  store.steer('hold');
  const told = session.permissions.answer('q1', { behavior: 'allow' }).then(
    () => 'answered',
    ({ code }) => code,
  );
  await clock.advance(0);
  const over = supervisor.handover({ timeoutMs: 1 });
  await clock.advance(60_000);
  await over;

  expect(await told).toBe('HANDED_OVER');
  expect(heard.filter((line) => line.includes('q1'))).toEqual([]);
});
