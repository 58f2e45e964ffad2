import { fromPromise } from 'xstate';
import type { PermissionDecision, Verdict } from './permission.events.ts';

export interface AskInput {
  readonly requestId: string;
  readonly toolName: string;
}

/** Applies the standing rules. */
export const judge = fromPromise<Verdict, AskInput>(() => {
  throw new Error('The port "judge" was not provided: use permissionMachine.provide({ actors: { judge } }).');
});

/** Asks the callback of the session, if it has one; stays silent when only people can answer. */
export const ask = fromPromise<PermissionDecision & { by: string }, AskInput>(() => {
  throw new Error('The port "ask" was not provided: use permissionMachine.provide({ actors: { ask } }).');
});
