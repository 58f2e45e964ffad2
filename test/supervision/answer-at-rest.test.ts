import { expect, it } from 'vitest';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';
import { cutOff } from './recovery-house.ts';

const ASKING = {
  type: 'control_request',
  request_id: 'q1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' },
};

/** A session whose host was lost while it asked; its next process has not asked again. */
async function recovered() {
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const store = steeredStore();
  const fleet = memoryFleet(() => {});
  const options = { clock, spawn: fleet.open, pathToClaudeCodeExecutable: process.execPath, env: {} };
  let isLost = false;
  const first = createSupervisor({ ...options, store: cutOff(store, () => isLost) });
  const before = await first.start({ id: 'one' });
  before.prompt('ask');
  await clock.advance(0);
  fleet.prompts[0]?.cli.say(ASKING);
  await clock.advance(0);
  isLost = true;

  const supervisor = createSupervisor({ ...options, store, timeouts: { storeMs: 4_000 } });
  await supervisor.recovered;
  await clock.advance(0);
  const session = supervisor.session('one');
  expect(session?.permissions.pending().map(({ id }) => id)).toEqual(['q1']);
  const outcome: unknown[] = [];
  const answer = () =>
    session?.permissions.answer('q1', { behavior: 'allow' }).then(
      () => outcome.push('taken'),
      ({ code }) => outcome.push(code),
    );
  return { clock, store, supervisor, answer, outcome };
}

it('an answer that no process waits for is told to be taken when the store has it: a crash would take it back (P4)', async () => {
  const { clock, store, answer, outcome } = await recovered();
  store.steer('hold');
  void answer();
  await clock.advance(3_000);
  expect(outcome).toEqual([]);
  store.steer(undefined);
  await clock.advance(0);
  expect(outcome).toEqual(['taken']);
});

it('an answer that no process waits for is told to be taken when the log says that its store does not answer (P5, P7)', async () => {
  const { clock, store, answer, outcome } = await recovered();
  store.steer('hold');
  void answer();
  await clock.advance(4_000);
  expect(outcome).toEqual(['taken']);
});

it('an answer that no process waits for is refused when the store that was to keep it is another’s (P4)', async () => {
  const { clock, store, answer, outcome } = await recovered();
  store.steer('STORE_TAKEN_OVER');
  void answer();
  await clock.advance(0);
  expect(outcome).toEqual(['STORE_TAKEN_OVER']);
});
