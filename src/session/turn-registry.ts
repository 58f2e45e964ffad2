import { TroupeError } from '../errors.ts';
import { digestOf } from './prompt-digest.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { PromptContent, PromptRecord } from './prompt-record.ts';
import type { Turn } from './turn.ts';
import type { TurnResult } from './turn-result.ts';

interface KnownTurn {
  readonly turn: Turn;
  readonly settle: (result: TurnResult) => void;
  readonly record: PromptRecord;
}

const ENDED_TURNS_KEPT = 1_000;
/** Ids are short; the turns behind them are long forgotten. */
const USED_IDS_KEPT = 100_000;

/** The turns of a session by prompt id, the newest ended ones too: a repeated id finds its turn, and none runs twice (P2). */
export class TurnRegistry {
  readonly #turns = new Map<string, KnownTurn>();
  readonly #usedIds = new Set<string>();

  /** The turn of this very prompt. Throws PROMPT_ID_USED when the id stands for another prompt, or for one forgotten. */
  find(id: string, content: PromptContent, fields?: PromptFields): Turn | undefined {
    const known = this.#turns.get(id);
    if (known?.record.digest === digestOf(content, fields)) return known.turn;
    if (known === undefined && !this.#usedIds.has(id)) return undefined;
    throw new TroupeError('PROMPT_ID_USED', { details: { field: 'id', id } });
  }

  /** Keeps a turn; its result is what `settle` is called with. */
  add(record: PromptRecord, build: (result: Promise<TurnResult>) => Turn): Turn {
    let settle: (result: TurnResult) => void = () => {};
    const result = new Promise<TurnResult>((resolve) => {
      settle = resolve;
    });
    const turn = build(result);
    this.#turns.set(record.id, { turn, settle, record });
    return turn;
  }

  /** Takes up the turns from before a restart of the host, oldest first: those that have ended know how. */
  restore(records: readonly PromptRecord[], build: (record: PromptRecord, result: Promise<TurnResult>) => Turn): void {
    const recent = new Set(records.slice(-ENDED_TURNS_KEPT));
    for (const record of records) {
      if (record.state === 'ended' && !recent.has(record)) this.#rememberId(record.id);
      else this.add(record, (result) => build(record, result));
      if (record.result !== undefined) this.#turns.get(record.id)?.settle(record.result);
    }
  }

  /** The turn of the prompt with this id, while it is kept. */
  get(id: string): Turn | undefined {
    return this.#turns.get(id)?.turn;
  }

  settle(id: string, result: TurnResult): void {
    this.#turns.get(id)?.settle(result);
    this.#forgetOldTurns();
  }

  #forgetOldTurns(): void {
    let surplus = this.#turns.size - ENDED_TURNS_KEPT;
    for (const [id, { record }] of this.#turns) {
      if (surplus <= 0) return;
      surplus -= 1;
      if (record.state !== 'ended') continue;
      this.#turns.delete(id);
      this.#rememberId(id);
    }
  }

  /** The CLI drops a prompt whose id it has seen, without a word (WIRE §11): such an id must never be sent again. */
  #rememberId(id: string): void {
    this.#usedIds.add(id);
    const oldest = this.#usedIds.values().next();
    if (this.#usedIds.size > USED_IDS_KEPT && oldest.done !== true) this.#usedIds.delete(oldest.value);
  }
}
