import type { SessionFact } from '../store/session-event.ts';
import type { StoreRecord } from '../store/store-record.ts';
import { ProcessRedaction } from './process-redaction.ts';
import type { Secrets } from './secrets.ts';

/**
 * The one place that everything of a session passes before it is kept or told (P11): what its processes say as it comes in,
 * every other fact in front of the log, every record in front of the store.
 */
export class Redaction {
  readonly #build: (more: readonly string[]) => Secrets;
  #more: readonly string[] = [];
  #secrets: Secrets;

  /** `build`: the secrets that are known from the start, with more. */
  constructor(build: (more: readonly string[]) => Secrets) {
    this.#build = build;
    this.#secrets = build([]);
  }

  /** From now on these are secrets, too. */
  learn(values: readonly string[]): void {
    const unknown = values.filter((value) => !this.#more.includes(value));
    if (unknown.length === 0) return;
    this.#more = [...this.#more, ...unknown];
    this.#secrets = this.#build(this.#more);
  }

  /** For what one process says. */
  process(): ProcessRedaction {
    return new ProcessRedaction(() => this.#secrets);
  }

  /** Messages and lines of stderr come from `process` already; changes of state hold nothing but words of ours. */
  fact(fact: SessionFact): SessionFact {
    if (fact.type === 'message' || fact.type === 'stderr' || fact.type === 'session.state-changed') return fact;
    if (fact.type === 'prompt.accepted' && fact.preview !== undefined) {
      return { ...fact, preview: this.#secrets.excerpt(fact.preview) };
    }
    return fact.type === 'diagnostic' && fact.detail !== undefined
      ? { ...fact, detail: this.#secrets.excerpt(fact.detail) }
      : this.#secrets.value(fact);
  }

  /** A prompt that loses something can be shown, and must not be sent again as it is now. */
  record(record: StoreRecord): StoreRecord {
    const cleaned = this.#secrets.value(record);
    if (record.kind !== 'prompt' || cleaned.kind !== 'prompt') return cleaned;
    const isSame = cleaned.content === record.content && cleaned.fields === record.fields;
    return isSame ? cleaned : { ...cleaned, isRedacted: true };
  }

  /** Plain data of any kind. */
  value<Value>(value: Value): Value {
    return this.#secrets.value(value);
  }

  /** Whether a text holds a secret: a name that does can be kept and told by nobody. */
  readonly isIn = (text: string): boolean => this.#secrets.value(text) !== text;

  /** A text of which something may have been cut off. */
  excerpt(text: string): string {
    return this.#secrets.excerpt(text);
  }
}
