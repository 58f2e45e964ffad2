import { fromPromise } from 'xstate';

/** What a turn came to, as far as every session tells it. */
export interface TurnOutcome {
  readonly outcome: string;
  readonly text: string | undefined;
}

/** The part of a session this needs; a `Session` of `troupe` fits. */
export interface PromptedSession {
  prompt(content: string): { readonly result: Promise<TurnOutcome> };
  interrupt(): Promise<unknown>;
}

export interface TurnLogicInput {
  readonly session: PromptedSession;
  readonly prompt: string;
}

/**
 * One turn as actor logic, to be invoked by a machine of your own: done with the result of the turn, whatever its outcome.
 * A machine that leaves the state before the end interrupts the turn.
 */
export const turnLogic = fromPromise<TurnOutcome, TurnLogicInput>(async ({ input, signal }) => {
  const { session, prompt } = input;
  const turn = session.prompt(prompt);
  // The turn tells its own end; that an interrupt came too late is no failure of the machine that left.
  const interrupt = () => void session.interrupt().catch(() => {});
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await turn.result;
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
});
