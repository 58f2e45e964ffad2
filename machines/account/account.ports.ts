import { fromPromise } from 'xstate';

export interface MomentInput {
  /** Epoch milliseconds; null for a moment that never comes. */
  readonly at: number | null;
}

export interface LoginInput {
  readonly key: string;
}

/** Resolves with the time when the account has other credentials than when it was asked. Aborted when nobody waits for it any more. */
export const newLogin = fromPromise<number, LoginInput>(() => {
  throw new Error('The port "newLogin" was not provided: use accountMachine.provide({ actors: { newLogin } }).');
});

/**
 * Resolves with the time when the wall clock shows that moment: also where it leapt meanwhile, as after the sleep of a
 * laptop. Aborted when nobody waits for it any more.
 */
export const moment = fromPromise<number, MomentInput>(() => {
  throw new Error('The port "moment" was not provided: use accountMachine.provide({ actors: { moment } }).');
});
