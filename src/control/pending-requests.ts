import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { SparseMap } from '../sparse.ts';

export type Answer = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly subtype: string;
  readonly settle: (outcome: { answer: Answer } | { error: unknown }) => void;
}

/** Who waits for which answer. The invariant: every caller is answered exactly once, whatever happens. */
export class PendingRequests {
  readonly #waiting = new SparseMap<string, Waiting>();
  readonly #clock: Clock;
  readonly #limit: number;

  constructor(options: { clock: Clock; limit: number }) {
    this.#clock = options.clock;
    this.#limit = options.limit;
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(requestId: string): boolean {
    return this.#waiting.has(requestId);
  }

  /** Registers a caller; rejects with CONTROL_LIMIT, CONTROL_TIMEOUT, ABORTED, or whatever `reject` and `rejectAll` say. */
  wait(
    requestId: string,
    subtype: string,
    options: { deadlineMs: number; signal?: AbortSignal | undefined; onGivenUp: () => void },
  ): Promise<Answer> {
    if (this.#waiting.size >= this.#limit) {
      const details = { field: 'limits.maxControlPending', limit: this.#limit, subtype };
      return Promise.reject(new TroupeError('CONTROL_LIMIT', { details }));
    }
    const { signal } = options;
    const aborted = () => new TroupeError('ABORTED', { cause: signal?.reason, details: { subtype } });
    if (signal?.aborted === true) return Promise.reject(aborted());
    return new Promise<Answer>((resolve, reject) => {
      const giveUp = (error: TroupeError) => {
        if (this.#settle(requestId, { error })) options.onGivenUp();
      };
      const timer = this.#clock.setTimeout(() => {
        const details = { subtype, deadlineMs: options.deadlineMs };
        giveUp(
          new TroupeError('CONTROL_TIMEOUT', { reason: `"${subtype}" waited ${options.deadlineMs} ms.`, details }),
        );
      }, options.deadlineMs);
      const onAbort = () => giveUp(aborted());
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(requestId, {
        subtype,
        settle: (outcome) => {
          this.#clock.clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          if ('answer' in outcome) resolve(outcome.answer);
          else reject(outcome.error);
        },
      });
    });
  }

  /** False when nobody waits for this id: the answer is late, doubled, or not ours. */
  resolve(requestId: string, answer: Answer): boolean {
    return this.#settle(requestId, { answer });
  }

  /** Answers the caller with the CLI's own refusal, as CONTROL_REFUSED. */
  refuse(requestId: string, message: string, errorCode: string | undefined): boolean {
    const subtype = this.#waiting.get(requestId)?.subtype;
    const details = { subtype, cliError: message, ...(errorCode === undefined ? {} : { cliErrorCode: errorCode }) };
    return this.#settle(requestId, { error: new TroupeError('CONTROL_REFUSED', { reason: message, details }) });
  }

  reject(requestId: string, error: unknown): boolean {
    return this.#settle(requestId, { error });
  }

  rejectAll(error: unknown): void {
    for (const requestId of [...this.#waiting.keys()]) this.#settle(requestId, { error });
  }

  #settle(requestId: string, outcome: { answer: Answer } | { error: unknown }): boolean {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return false;
    this.#waiting.delete(requestId);
    waiting.settle(outcome);
    return true;
  }
}
