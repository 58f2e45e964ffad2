import { fromPromise } from 'xstate';
import type { HostedPromptOptions, PromptedSession, TurnOutcome } from './hosted-session.ts';

export interface TurnLogicInput<Outcome extends TurnOutcome = TurnOutcome> {
  readonly session: PromptedSession<Outcome>;
  readonly prompt: string;
  readonly options?: HostedPromptOptions;
}

/** What the actor emits. */
export type TurnLogicEvent =
  /** The session has taken the prompt; from here it runs once. */
  { type: 'turn.accepted'; promptId: string };

/**
 * One turn as actor logic, to be invoked by a machine of your own: done with the result of the turn, whatever its outcome;
 * an actor error when the session refuses the prompt. A machine that leaves the state before the end takes the prompt back,
 * or interrupts its turn.
 */
export const turnLogic = fromPromise<TurnOutcome, TurnLogicInput, TurnLogicEvent>(async ({ input, signal, emit }) => {
  const { session, prompt, options } = input;
  const turn = session.prompt(prompt, options);
  emit({ type: 'turn.accepted', promptId: turn.id });
  // The turn tells its own end; that this came too late is no failure of the machine that left.
  const leave = () => void takeBack(session, turn.id).catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await turn.result;
  } finally {
    signal.removeEventListener('abort', leave);
  }
});

/** A prompt that has not begun must not be answered by interrupting somebody else's turn. */
async function takeBack(session: PromptedSession, promptId: string): Promise<void> {
  if (!(await session.cancelPrompt(promptId))) await session.interrupt();
}
