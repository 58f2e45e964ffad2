import { fromPromise } from 'xstate';

/** When the phase was over, in epoch milliseconds. */
export interface PhaseOutput {
  readonly at: number;
}

/** How the way down was entered. */
export interface PhaseInput {
  /** The sessions are kept for another supervisor: nothing is taken back, interrupted or ended for good. */
  readonly isHandover: boolean;
}

/** Calls off the starts that wait in line or have no prompt to work on, and resolves when none is left. */
export const settleStarts = phasePort('settleStarts');

/** Resolves when no session has a turn, or a queued prompt that it could still come to; in a handover those stay in the queue. */
export const finishTurns = phasePort('finishTurns');

/** Takes queued prompts back, interrupts what runs, and resolves when that has ended. */
export const interruptTurns = phasePort('interruptTurns');

/**
 * Asks every session to leave, newest first, and resolves when the process tree of each was seen gone. In a handover the log of
 * each ends before.
 */
export const closeChildren = phasePort('closeChildren');

/** Kills what is left, and resolves when it was seen gone. */
export const killChildren = phasePort('killChildren');

/** Resolves when everything that is to be kept of the sessions is stored or given up. */
export const flushChildren = phasePort('flushChildren');

function phasePort(name: string) {
  return fromPromise<PhaseOutput, PhaseInput>(() => {
    throw new Error(`The port "${name}" was not provided: use supervisorMachine.provide({ actors: { ${name} } }).`);
  });
}
