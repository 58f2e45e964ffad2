import { createHash } from 'node:crypto';
import { TroupeError } from '../errors.ts';

interface Kept {
  readonly digest: string;
  readonly answer: Promise<unknown>;
}

/** What was done for a key is not done again: whoever asks once more, with the same request, gets the same answer. Bounded; the oldest go. */
export class IdempotencyKeys {
  readonly #kept = new Map<string, Kept>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Of a failure nothing is kept: it may be tried again. Rejects with IDEMPOTENCY_KEY_USED for another request, or as `act` does. */
  async once<T>(key: string | undefined, request: unknown, act: () => Promise<T>): Promise<T> {
    if (key === undefined) return act();
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64');
    const known = this.#kept.get(key);
    if (known !== undefined) {
      if (known.digest !== digest) throw new TroupeError('IDEMPOTENCY_KEY_USED');
      return known.answer as Promise<T>; // Of the same request, so of the same kind.
    }
    const answer = act();
    this.#kept.set(key, { digest, answer });
    answer.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#max && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
}
