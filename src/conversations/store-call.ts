import { type Clock, systemClock } from '../clock.ts';
import { TroupeError } from '../errors.ts';

/** How long one call of a store may take unless the caller says otherwise, in milliseconds. */
export const STORE_CALL_MS = 60_000;

export interface StoreCallOptions {
  /** Milliseconds; `Infinity` for none. Default: `STORE_CALL_MS`. */
  readonly deadlineMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Asks the store; rejects with STORE_FAILED when it fails or does not answer within the deadline (`details.timedOut`). */
export async function askStore<T>(method: string, call: () => Promise<T>, options: StoreCallOptions = {}): Promise<T> {
  const { deadlineMs = STORE_CALL_MS, clock = systemClock } = options;
  let timer: unknown;
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimeout(() => {
      const reason = `${method}() did not answer within ${deadlineMs} ms.`;
      reject(new TroupeError('STORE_FAILED', { reason, details: { method, deadlineMs, timedOut: true } }));
    }, deadlineMs);
  });
  try {
    // A store that throws instead of rejecting is one that failed, too.
    return await Promise.race([Promise.resolve().then(call), overdue]);
  } catch (error) {
    if (TroupeError.is(error) && error.code === 'STORE_FAILED') throw error;
    const reason = `${method}(): ${error instanceof Error ? error.message : String(error)}`;
    throw new TroupeError('STORE_FAILED', { reason, cause: error, details: { method, timedOut: false } });
  } finally {
    clock.clearTimeout(timer);
  }
}

/** The error for a method that a store does not have. */
export function storeLacks(method: string, purpose: string): TroupeError {
  return new TroupeError('INVALID_OPTIONS', {
    reason: `sessionStore: has no ${method}(), which ${purpose} needs.`,
    details: { field: 'sessionStore', reason: `has no ${method}()`, method },
  });
}
