import type { ResultFacts, Usage } from '../wire/facts.ts';
import type { ModelUsage, TurnCost } from './cost-meter.ts';

/** One turn of the CLI: what stands between `system/init` and its result, whoever asked for it. */
export interface TurnRecord {
  /** Counts the turns of the session from 1. */
  readonly number: number;
  /** The process that served it. */
  readonly incarnation: number;
  readonly conversationId: string | undefined;
  readonly state: 'running' | 'ended' | 'lost';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** The prompts that it answered, several where the CLI merged them; none for a turn of the CLI's own (WIRE §0.6, §11). */
  readonly promptIds: readonly string[];
  /** Why the CLI began it by itself, such as `task-notification`; undefined for a prompt, or where it was not told. */
  readonly origin: string | undefined;
  readonly isError: boolean;
  /** What the whole turn added, shared by its prompts: US dollars, and tokens with those of subagents by model. */
  readonly costUsd: number | undefined;
  readonly models: Readonly<Record<string, ModelUsage>> | undefined;
  /** Tokens of the main conversation. */
  readonly usage: Usage | undefined;
  readonly durationMs: number | undefined;
}

const KEPT = 1_000;

/** The newest turns of a session, oldest first. */
export class TurnHistory {
  #turns: TurnRecord[] = [];
  #count = 0;

  /** Counts the turns that opened. */
  get count(): number {
    return this.#count;
  }

  list(): readonly TurnRecord[] {
    return this.#turns;
  }

  /** The newest turn, which may still run. */
  get newest(): TurnRecord | undefined {
    return this.#turns.at(-1);
  }

  /** Takes up the turns from before a restart of the host, oldest first; one that ran then is lost. */
  restore(turns: readonly TurnRecord[], at: number): void {
    this.#turns = turns.slice(-KEPT);
    this.#count = turns.at(-1)?.number ?? 0;
    this.#lose(at);
  }

  opened(turn: { incarnation: number; conversationId: string | undefined; at: number }): void {
    this.#lose(turn.at);
    this.#count += 1;
    const { incarnation, conversationId, at } = turn;
    const record: TurnRecord = {
      number: this.#count,
      incarnation,
      conversationId,
      state: 'running',
      startedAt: at,
      endedAt: undefined,
      promptIds: [],
      origin: undefined,
      isError: false,
      costUsd: undefined,
      models: undefined,
      usage: undefined,
      durationMs: undefined,
    };
    this.#turns = [...this.#turns.slice(1 - KEPT), record];
  }

  /** A result without an open turn is a start that failed (WIRE §12): no turn. */
  closed(result: ResultFacts, cost: TurnCost, end: { promptIds: readonly string[]; at: number }): void {
    this.#replaceOpen((turn) => ({
      ...turn,
      state: 'ended',
      endedAt: end.at,
      promptIds: end.promptIds,
      origin: result.origin,
      isError: result.isError,
      costUsd: cost.costUsd,
      models: cost.models,
      usage: result.usage,
      durationMs: result.durationMs,
    }));
  }

  /** The process is gone: what its open turn used, nobody tells. */
  lost(at: number): void {
    this.#lose(at);
  }

  #lose(at: number): void {
    this.#replaceOpen((turn) => ({ ...turn, state: 'lost', endedAt: at }));
  }

  #replaceOpen(change: (turn: TurnRecord) => TurnRecord): void {
    const open = this.#turns.at(-1);
    if (open?.state === 'running') this.#turns = [...this.#turns.slice(0, -1), change(open)];
  }
}
