import { fromCallback, fromPromise } from 'xstate';
import type { ChildEvent, IncarnationCommand } from '../../machines/child/child.events.ts';
import { childMachine } from '../../machines/child/child.machine.ts';
import type { IncarnationInput } from '../../machines/child/child.ports.ts';
import { Hands } from './hands.ts';

/** What the machine gives to the port that keeps its process. */
export interface IncarnationPort {
  readonly input: IncarnationInput;
  readonly sendBack: (event: ChildEvent) => void;
  readonly receive: (listener: (command: IncarnationCommand | ChildEvent) => void) => void;
}

/** What the child machine of a session has done. */
export interface ChildHands {
  /** Resolves when a process may be started. */
  readonly admit: (signal: AbortSignal) => Promise<void>;
  /** Starts one, and does with it what it is told. */
  readonly serve: (port: IncarnationPort) => void;
}

export const HANDS = new Hands<ChildHands>();

/** One for all sessions. */
export const MACHINE = childMachine.provide({
  actors: {
    admission: fromPromise<void, IncarnationInput>((port) => HANDS.of(port).admit(port.signal)),
    incarnation: fromCallback<IncarnationCommand | ChildEvent, IncarnationInput>((port) => HANDS.of(port).serve(port)),
  },
});
