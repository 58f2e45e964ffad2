import { TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { type Query, queryOf } from './query.ts';
import type { QueryPrompt } from './query-prompts.ts';
import { QueryRun } from './query-run.ts';

export interface StartupInput {
  /** As for `query`. */
  readonly options?: SessionOptions;
  /** Milliseconds from the start of the process until it must be ready. Default: `timeouts.initializeMs`. */
  readonly initializeTimeoutMs?: number;
}

/** A process that is ready and waits for the prompt of its one query. */
export interface WarmQuery extends AsyncDisposable {
  /** Sends the prompt to the process. Once: afterwards, and after `close`, it throws SESSION_CLOSED. */
  query(prompt: QueryPrompt): Query;
  /** Ends the process when no prompt is to come. Idempotent. */
  close(): void;
}

/**
 * Starts the process of a query before its prompt is known, so that the first answer does not wait for the start. Rejects
 * with INVALID_OPTIONS, INITIALIZE_TIMEOUT, or the reason the start failed; by then nothing of it is left.
 */
export async function startup({ options = {}, initializeTimeoutMs }: StartupInput = {}): Promise<WarmQuery> {
  const timeouts = initializeTimeoutMs === undefined ? {} : { initializeMs: initializeTimeoutMs };
  const run = new QueryRun({ ...options, timeouts: { ...options.timeouts, ...timeouts } });
  let isTaken = false;
  try {
    await run.ready();
  } catch (error) {
    await run.end();
    throw error;
  }
  return {
    query: (prompt) => {
      if (isTaken) throw new TroupeError('SESSION_CLOSED', { reason: 'A warm query takes one prompt.' });
      isTaken = true;
      return queryOf(run, prompt);
    },
    close: () => {
      isTaken = true;
      void run.end();
    },
    [Symbol.asyncDispose]: () => {
      isTaken = true;
      return run.end();
    },
  };
}
