import { fromPromise } from 'xstate';

/** Resolves when no session has a turn or a queued prompt left. */
export const finishTurns = fromPromise<void>(() => {
  throw new Error(
    'The port "finishTurns" was not provided: use supervisorMachine.provide({ actors: { finishTurns } }).',
  );
});

/** Stops every session, newest first, and resolves when the end of each was seen. */
export const stopChildren = fromPromise<void>(() => {
  throw new Error(
    'The port "stopChildren" was not provided: use supervisorMachine.provide({ actors: { stopChildren } }).',
  );
});
