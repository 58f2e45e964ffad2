import type { SessionOptions } from '../launch/session-options.ts';
import type { InterruptReceipt } from '../session/interrupt.ts';
import { type QueryControls, queryControls } from './query-controls.ts';
import type { QueryMessage } from './query-message.ts';
import { assertPrompt, type QueryPrompt, type UserMessageInput } from './query-prompts.ts';
import { QueryRun } from './query-run.ts';

export interface QueryInput {
  readonly prompt: QueryPrompt;
  /**
   * The options of a session, with the defaults of the official SDK: no system prompt, every setting source, the
   * permission mode of those settings, and an `env` that is the whole environment of the process (`envMode`).
   */
  readonly options?: SessionOptions;
}

/** The receipt of an interrupt, in the shape of the official SDK. */
export interface QueryInterruptReceipt {
  /** Prompts that still wait and will run. */
  readonly still_queued: readonly string[];
  /** Prompts that will not run any more; left out when there are none. */
  readonly cancelled?: readonly string[];
}

/**
 * The messages of a query, and control over it while it runs. Leaving the loop early, `close`, `return`, `throw`, the abort
 * controller and `await using` each end its process with everything it started (R53).
 */
export interface Query extends AsyncGenerator<QueryMessage, void>, QueryControls {
  /** Stops the running turn. Its `result` message comes, the query goes on, and nothing is thrown for it. */
  interrupt(): Promise<QueryInterruptReceipt>;
  /** Sends further prompts; resolves when the last one is written. The query ends when they, too, are answered. */
  streamInput(stream: AsyncIterable<UserMessageInput>): Promise<void>;
  /** Ends the query at once: the loop over it ends without an error. */
  close(): void;
}

/**
 * One conversation from start to end, called like the function of the same name in the official SDK. The process starts
 * with the first step or the first method. Throws there INVALID_PROMPT, INVALID_OPTIONS or the reason a start failed;
 * later CLI_EXITED when the process is lost, ABORTED, SUBSCRIBER_LAGGED, what the stream of prompts threw, and TURN_FAILED
 * when the last `result` was an error and nobody had interrupted it.
 */
export function query(input: QueryInput): Query {
  // Nothing given is read as no prompt, which is named when the query begins.
  const { prompt, options = {} } = input ?? ({} as QueryInput);
  return queryOf(new QueryRun(options), prompt);
}

/** The query over a run that has not been given a prompt yet. */
export function queryOf(run: QueryRun, prompt: QueryPrompt): Query {
  const messages = run.messages(prompt);
  const leave = messages.return.bind(messages);
  const fail = messages.throw.bind(messages);
  // A generator that was never stepped runs no `finally`, and one that waits for a message would make its leaver wait.
  const end = async () => {
    await run.end();
    return leave();
  };
  return Object.assign(
    messages,
    queryControls(() => run.begin()),
    {
      return: end,
      throw: async (error: unknown) => {
        await run.end();
        return fail(error);
      },
      [Symbol.asyncDispose]: async () => void (await end()),
      interrupt: async () => receiptOf(await (await run.begin()).interrupt()),
      streamInput: async (stream: AsyncIterable<UserMessageInput>) => {
        assertPrompt(stream);
        await run.feed(stream);
      },
      close: () => void end(),
    },
  );
}

function receiptOf({ stillQueued, cancelled }: InterruptReceipt): QueryInterruptReceipt {
  return { still_queued: stillQueued, ...(cancelled.length === 0 ? {} : { cancelled }) };
}
