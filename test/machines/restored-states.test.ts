import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  fromCallback,
  fromPromise,
  initialTransition,
  SimulatedClock,
  transition,
} from 'xstate';
import { overJson, RESTORED, type RestoreSubject, WITH_ITS_HOST, WITH_ITS_PROCESS } from './restore-subjects.ts';
import { atomicStatesOf, stateOf } from './state-name.ts';
import { type Place, timersOf, walk } from './state-walk.ts';
import { SUBJECTS, type Subject } from './walk-subjects.ts';

// The walks are mere computation, and slow where the processor is shared.
const deadline = { timeout: 120_000 };

it('every machine comes back, or belongs to what is gone with the host', () => {
  expect([...Object.keys(RESTORED), ...WITH_ITS_PROCESS, ...WITH_ITS_HOST].toSorted()).toEqual(
    Object.keys(SUBJECTS).toSorted(),
  );
});

describe.each(Object.entries(RESTORED))('a restored %s', (name, restored) => {
  const subject = subjectOf(name);
  const { machine, options, transient } = subject;
  const samples = samplesOf([...walk(machine, options).values()]);

  it('has an answer for every state of its machine', () => {
    const states = atomicStatesOf(machine).filter((state) => !transient.includes(state));

    expect(Object.keys(restored.comebacks).toSorted()).toEqual(states.toSorted());
    expect([...samples.keys()].toSorted()).toEqual(states.toSorted());
  });

  it('goes on in the state that is promised for the one it was lost in, early and late (P7)', deadline, () => {
    const seen: Record<string, Set<string>> = {};
    for (const [state, places] of samples) {
      if (state === 'settled') continue;
      for (const { snapshot } of places) {
        for (const now of moments(restored, snapshot)) {
          seen[state] = (seen[state] ?? new Set()).add(stateOf(comeback(subject, restored, snapshot, now)));
        }
      }
    }

    for (const [state, found] of Object.entries(seen)) {
      const promised = restored.comebacks[state]?.split(', ') ?? [];
      expect([state, [...found].toSorted()]).toEqual([state, promised.toSorted()]);
    }
  });

  it('is the same over three more hosts that did nothing with it (R76)', deadline, () => {
    for (const [state, places] of samples) {
      for (const { snapshot } of places) {
        if (state === 'settled') continue;
        const now = Math.min(...moments(restored, snapshot));
        const hosts = [comeback(subject, restored, snapshot, now)];
        for (let host = 1; host < 4; host += 1)
          hosts.push(comeback(subject, restored, hosts[host - 1] ?? snapshot, now));
        const [first, ...others] = hosts.map(({ value, context }) => ({ state, value, context: overJson(context) }));
        for (const other of others) expect(other).toEqual(first);
      }
    }
  });

  it('is in no trap: from each it can reach its goals (P5)', deadline, () => {
    const trapped = [...samples].flatMap(([state, places]) =>
      places
        .map(({ snapshot }) => comeback(subject, restored, snapshot, 70_000))
        .filter((snapshot) => !reaches(subject, snapshot))
        .map((snapshot) => `${state} as ${stateOf(snapshot)}`),
    );

    expect(trapped).toEqual([]);
  });

  it('has every wait end at the moment it was to end, or at once when that has passed (P5)', deadline, async () => {
    for (const [state, places] of samples) {
      for (const { snapshot } of places) {
        const dueAt = restored.dueAt(snapshot);
        if (dueAt === null || snapshot.status !== 'active') continue;
        for (const now of [dueAt - 300, dueAt - 1, dueAt, dueAt + 5_000]) {
          const heard = await waitsUntil(subject, restored, snapshot, now);
          expect([state, now, heard]).toEqual([state, now, Math.max(now, dueAt)]);
        }
      }
    }
  });
});

function subjectOf(name: string): Subject {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`There is no machine ${name}.`);
  return subject;
}

/** Enough of each state: more of the same would only take longer. */
const SAMPLES = 60;

function samplesOf(places: readonly Place[]): Map<string, Place[]> {
  const samples = new Map<string, Place[]>();
  for (const [state, all] of grouped(places)) {
    const step = Math.max(1, Math.floor(all.length / SAMPLES));
    samples.set(
      state,
      all.filter((_, index) => index % step === 0),
    );
  }
  return samples;
}

function grouped(places: readonly Place[]): Map<string, Place[]> {
  const groups = new Map<string, Place[]>();
  for (const place of places) groups.set(place.state, [...(groups.get(place.state) ?? []), place]);
  return groups;
}

function moments(restored: RestoreSubject, snapshot: AnyMachineSnapshot): number[] {
  const dueAt = restored.dueAt(snapshot);
  return dueAt === null ? [0, 70_000, 9_000_000] : [dueAt - 1, dueAt, dueAt + 9_000_000];
}

function inputOf({ options }: Subject, restored: RestoreSubject, snapshot: AnyMachineSnapshot, now: number): object {
  return { ...Object(options.input), ...restored.restore(snapshot, now) };
}

function comeback(subject: Subject, restored: RestoreSubject, snapshot: AnyMachineSnapshot, now: number) {
  return initialTransition(subject.machine, inputOf(subject, restored, snapshot, now))[0];
}

/** Breadth first over all events and timers, up to the first goal. */
function reaches({ machine, options, goals }: Subject, start: AnyMachineSnapshot): boolean {
  const seen = new Set<string>();
  const queue = [start];
  for (const snapshot of queue) {
    if (goals.includes(stateOf(snapshot))) return true;
    if (snapshot.status !== 'active' || seen.size > 2_000) continue;
    const events: EventObject[] = [...options.events, ...timersOf(machine, snapshot)];
    for (const event of events) {
      const next = transition(machine, snapshot, event)[0];
      const key = JSON.stringify([next.value, options.contextOf?.(next.context) ?? next.context]);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push(next);
    }
  }
  return false;
}

/** The moment at which the restored machine does what it waited for; its ports are in the hands of the test. */
async function waitsUntil(subject: Subject, restored: RestoreSubject, lost: AnyMachineSnapshot, now: number) {
  const clock = new SimulatedClock();
  let due: number | undefined;
  const machine: AnyStateMachine = subject.machine.provide({ actors: portsOf((at) => (due = at)) });
  const actor = createActor(machine, { clock, input: inputOf(subject, restored, lost, now) });
  actor.start();
  const before = stateOf(actor.getSnapshot());
  actor.subscribe((snapshot) => {
    if (stateOf(snapshot) !== before) due ??= now + clock.now();
  });
  await nextLoop();
  for (let step = 0; step <= 1_000 && due === undefined; step += 1) {
    clock.increment(step === 0 ? 0 : 1);
    await nextLoop();
  }
  actor.stop();
  return due === undefined ? undefined : Math.max(due, now);

  function portsOf(tell: (at: number) => void) {
    const silence = () => new Promise<never>(() => {});
    return {
      admission: fromPromise(silence),
      judge: fromPromise(silence),
      ask: fromPromise(silence),
      newLogin: fromPromise(silence),
      // The wall clock is in the hands of this port: what it is asked for is what will be.
      moment: fromPromise<number, { at: number }>(({ input }) => {
        tell(input.at);
        return silence();
      }),
      incarnation: fromCallback(() => {}),
      startMembers: fromPromise(silence),
      holdMembers: fromPromise(silence),
      endMembers: fromPromise(silence),
      members: fromCallback<{ type: string; delayMs: number }>(({ receive }) => {
        receive(({ type, delayMs }) => {
          if (type === 'members.restart') tell(now + delayMs);
        });
      }),
    };
  }
}
