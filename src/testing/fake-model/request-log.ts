import { TroupeError } from '../../errors.ts';
import type { ModelRequest, RequestFacts, RequestOutcome } from './model-request.ts';

/** The most callers that may wait for a request at the same time. */
export const MAX_WAITERS = 1_000;

interface Waiter {
  readonly ordinal: number;
  resolve(request: ModelRequest): void;
  reject(reason: TroupeError): void;
}

/** The requests a fake model was asked: the last `limit` of them, and whoever waits for the next ones. */
export class RequestLog {
  /** Oldest first. */
  readonly kept: ModelRequest[] = [];
  readonly #limit: number;
  readonly #waiters = new Set<Waiter>();
  #count = 0;
  #isClosed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Notes a request; the returned function notes how it ended, and only the first call counts. */
  add(facts: RequestFacts, sessionId: string | undefined): { request: ModelRequest; settle(as: RequestOutcome): void } {
    const { promise: finished, resolve } = settlement<RequestOutcome>();
    let outcome: RequestOutcome | undefined;
    this.#count += 1;
    const request: ModelRequest = {
      ...facts,
      ordinal: this.#count,
      sessionId,
      get outcome() {
        return outcome;
      },
      finished,
    };
    this.kept.push(request);
    if (this.kept.length > this.#limit) this.kept.shift();
    this.#tell(request);
    return {
      request,
      settle: (as) => {
        outcome ??= as;
        resolve(outcome);
      },
    };
  }

  /** The request with this number, as soon as it is there. Rejects with INVALID_OPTIONS when it was dropped, ABORTED at the end. */
  received(ordinal: number): Promise<ModelRequest> {
    const known = this.kept.find((request) => request.ordinal === ordinal);
    if (known !== undefined) return Promise.resolve(known);
    if (!Number.isSafeInteger(ordinal) || ordinal <= this.#count || this.#waiters.size >= MAX_WAITERS) {
      const reason = `Request ${ordinal} is not kept, or too many callers wait.`;
      return Promise.reject(new TroupeError('INVALID_OPTIONS', { reason, details: { ordinal } }));
    }
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => this.#waiters.add({ ordinal, resolve, reject }));
  }

  /** Ends all waiting. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.reject(closed());
    this.#waiters.clear();
  }

  #tell(request: ModelRequest): void {
    for (const waiter of this.#waiters) {
      if (waiter.ordinal !== request.ordinal) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(request);
    }
  }
}

/** The last `limit` requests to count tokens. */
export class CountLog {
  /** Oldest first. */
  readonly kept: RequestFacts[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(facts: RequestFacts): void {
    this.kept.push(facts);
    if (this.kept.length > this.#limit) this.kept.shift();
  }
}

function closed(): TroupeError {
  return new TroupeError('ABORTED', { reason: 'The fake model was closed.' });
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function settlement<Value>(): { promise: Promise<Value>; resolve(value: Value): void } {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
