import { fromCallback, fromPromise } from 'xstate';
import type { ChildEvent, IncarnationCommand } from './child.events.ts';

export interface IncarnationInput {
  readonly id: string;
  readonly incarnation: number;
}

/** Waits for a session slot and a start slot; rejects with the cause when there will be none. Aborted when no longer wanted. */
export const admission = fromPromise<void, IncarnationInput>(() => {
  throw new Error('The port "admission" was not provided: use childMachine.provide({ actors: { admission } }).');
});

/** Runs one incarnation: reports when it is ready and when its process tree is gone; obeys close and kill. */
export const incarnation = fromCallback<IncarnationCommand | ChildEvent, IncarnationInput>(() => {
  throw new Error('The port "incarnation" was not provided: use childMachine.provide({ actors: { incarnation } }).');
});
