import { fromPromise } from 'xstate';
import type { DecidingRule, PermissionDecision, Verdict } from './permission.events.ts';

export interface AskInput {
  readonly requestId: string;
  readonly toolName: string;
}

/** Applies the standing rules. */
export const judge = fromPromise<Verdict, AskInput>(() => {
  throw new Error('The port "judge" was not provided: use permissionMachine.provide({ actors: { judge } }).');
});

/** Who decided in the place of people: the callback, or a rule of another host's question that is asked again. */
export type Reply = PermissionDecision & { readonly by: string; readonly rule?: DecidingRule };

/** Asks the callback of the session, if it has one; stays silent when only people can answer. */
export const ask = fromPromise<Reply, AskInput>(() => {
  throw new Error('The port "ask" was not provided: use permissionMachine.provide({ actors: { ask } }).');
});
