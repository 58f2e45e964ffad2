import { createActor, fromCallback, fromPromise, SimulatedClock, waitFor } from 'xstate';
import type { ChildEvent, IncarnationCommand } from '../../machines/child/child.events.ts';
import { childMachine } from '../../machines/child/child.machine.ts';
import type { IncarnationInput } from '../../machines/child/child.ports.ts';
import type { RestartSpec } from '../../machines/child/child-spec.ts';
import type { RestoredChild } from '../../machines/child/restored-child.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { CRASH } from './event-samples.ts';
import { stateOf } from './state-name.ts';

export const RESTART: RestartSpec = {
  type: 'transient',
  intensity: 3,
  periodMs: 60_000,
  backoff: { minMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.2 },
};

export interface ChildOptions extends Partial<RestartSpec> {
  readonly autoStart?: boolean;
  readonly isMember?: boolean;
  readonly restored?: RestoredChild;
}

/** A session under supervision whose admission and incarnations are in the hands of the test. */
export function openChild({ autoStart = true, isMember = false, restored, ...restart }: ChildOptions = {}) {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const announced: string[] = [];
  const incarnations: IncarnationInput[] = [];
  const gate = openGate();
  const machine = childMachine.provide({
    actors: {
      admission: fromPromise<void, IncarnationInput>(({ signal }) => gate.wait(signal)),
      incarnation: fromCallback<IncarnationCommand | ChildEvent, IncarnationInput>(({ input, receive }) => {
        incarnations.push(input);
        receive((command) => told.push(command.type));
      }),
    },
  });
  const child = createActor(machine, {
    clock,
    input: {
      id: 'review',
      restart: { ...RESTART, ...restart },
      autoStart,
      isMember,
      ...(restored === undefined ? {} : { restored }),
    },
  });
  child.on('state.entered', ({ state }) => announced.push(state));
  child.start();
  return {
    child,
    clock,
    admission: gate,
    state: () => stateOf(child.getSnapshot()),
    told: () => told,
    announced: () => announced,
    incarnations: () => incarnations,
    output: () => child.getSnapshot().output,
  };
}

/** The same, ready in its first incarnation since the moment 0. */
export async function readyChild(options: ChildOptions = {}) {
  const opened = openChild(options);
  const { child, clock, admission } = opened;
  admission.grant();
  await waitFor(child, (snapshot) => snapshot.matches('running'));
  child.send({ type: 'incarnation.ready', at: 0 });
  /** Ends at that moment, waits the backoff and runs again; the length of the wait. */
  const again = async (cause: EndCause, at: number): Promise<number> => {
    child.send({ type: 'incarnation.ended', cause, at, chance: 0.5 });
    const waitMs = child.getSnapshot().context.backoffMs;
    clock.increment(waitMs);
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    return waitMs;
  };
  return { ...opened, again, restartAt: (at: number) => again(CRASH, at) };
}

function openGate() {
  let settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  let asker: AbortSignal | undefined;
  return {
    wait(signal: AbortSignal): Promise<void> {
      asker = signal;
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
      });
    },
    grant: () => settle?.resolve(),
    refuse: (error: unknown) => settle?.reject(error),
    signal: () => asker,
  };
}
