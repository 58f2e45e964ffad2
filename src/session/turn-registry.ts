import { TroupeError } from '../errors.ts';
import { SparseMap, SparseSet } from '../sparse.ts';
import type { EventLog } from '../store/event-log.ts';
import { handedOver, unkeptBecause } from './handed-over.ts';
import { digestOf } from './prompt-digest.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { PromptContent, PromptRecord } from './prompt-record.ts';
import { Turn } from './turn.ts';
import { endedWithoutResult, type TurnResult } from './turn-result.ts';

interface KnownTurn {
  readonly turn: Turn;
  readonly accept: () => void;
  readonly refuse: (error: TroupeError) => void;
  readonly settle: (result: TurnResult) => void;
  readonly record: PromptRecord;
}

const ENDED_TURNS_KEPT = 1_000;
/** Ids are short; the turns behind them are long forgotten. */
const USED_IDS_KEPT = 100_000;

/** The turns of a session by prompt id, the newest ended ones too: a repeated id finds its turn, and none runs twice (P2). */
export class TurnRegistry {
  readonly #turns = new SparseMap<string, KnownTurn>();
  readonly #usedIds = new SparseSet<string>();
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
    log.whenSealed(() => this.#handOver());
  }

  /** The turn of this very prompt. Throws PROMPT_ID_USED when the id stands for another prompt, or for one forgotten. */
  find(id: string, content: PromptContent, fields?: PromptFields): Turn | undefined {
    const known = this.#turns.get(id);
    if (known?.record.digest === digestOf(content, fields)) return known.turn;
    if (known === undefined && !this.#usedIds.has(id)) return undefined;
    throw new TroupeError('PROMPT_ID_USED', { details: { field: 'id', id } });
  }

  /** Keeps the turn of a prompt: `confirm` follows when its acceptance is logged, `settle` when its end is. */
  add(record: PromptRecord): Turn {
    let ends = {
      accept: () => {},
      refuse: (_error: TroupeError) => {},
      settle: (_result: TurnResult) => {},
    };
    const accepted = new Promise<void>((accept, refuse) => {
      ends = { ...ends, accept, refuse };
    });
    const result = new Promise<TurnResult>((settle) => {
      ends = { ...ends, settle };
    });
    // Who does not look at it hears of a refusal by the result.
    accepted.catch(() => {});
    const turn = new Turn(record, this.#log, { accepted, result });
    this.#turns.set(record.id, { ...ends, turn, record });
    return turn;
  }

  /** Its acceptance is logged, and counts as soon as it is durable; `withdraw` is called where the store did not take it. */
  confirm(id: string, withdraw: (error: TroupeError) => void): void {
    const known = this.#turns.get(id);
    this.#log.whenKept(
      () => known?.accept(),
      (error) => {
        known?.refuse(error);
        withdraw(error);
      },
    );
  }

  /** Takes up the turns from before a restart of the host, oldest first: those that have ended know how. */
  restore(records: readonly PromptRecord[]): void {
    const recent = new Set(records.slice(-ENDED_TURNS_KEPT));
    for (const record of records) {
      if (record.state === 'ended' && !recent.has(record)) this.#rememberId(record.id);
      else this.add(record);
      this.#turns.get(record.id)?.accept();
      if (record.result !== undefined) this.#turns.get(record.id)?.settle(record.result);
    }
  }

  /** The turn of the prompt with this id, while it is kept. */
  get(id: string): Turn | undefined {
    return this.#turns.get(id)?.turn;
  }

  /** Its end is logged: told as soon as no crash of the host could take it back. */
  settle(id: string, result: TurnResult): void {
    const known = this.#turns.get(id);
    // Where the session was handed over, another supervisor tells how it ends (P2).
    this.#log.whenPublished(
      () => known?.settle(result),
      () => known?.settle(endedWithoutResult('lost', id, unkeptBecause(this.#log, { promptId: id }))),
    );
    this.#forgetOldTurns();
  }

  /** For this process they are lost: another one tells how they end. */
  #handOver(): void {
    for (const [id, { record, settle }] of this.#turns) {
      if (record.state !== 'ended') settle(endedWithoutResult('lost', id, handedOver({ promptId: id })));
    }
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
