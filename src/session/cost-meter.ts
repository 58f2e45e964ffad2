import type { ResultFacts, Usage } from '../wire/facts.ts';

/** What a session has used so far. Unknown is undefined, not 0. */
export interface SessionUsage {
  readonly costUsd: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheCreationTokens: number | undefined;
  /** Results seen, unprompted turns included. */
  readonly turns: number;
}

/**
 * Adds up what the turns cost. The CLI reports a running total per process, so each turn is the rise above the highest
 * total seen; a new process, or a total that fell, starts again at zero (R84).
 */
export class CostMeter {
  #highWaterUsd = 0;
  #costUsd: number | undefined;
  #tokens: Usage | undefined;
  #turns = 0;

  startProcess(): void {
    this.#highWaterUsd = 0;
  }

  /** Counts a result and returns what its turn cost, in US dollars. */
  add(result: ResultFacts): number | undefined {
    this.#turns += 1;
    this.#tokens = sum(this.#tokens, result.usage);
    const total = result.totalCostUsd;
    if (total === undefined) return undefined;
    const cost = total < this.#highWaterUsd ? total : total - this.#highWaterUsd;
    this.#highWaterUsd = total;
    this.#costUsd = (this.#costUsd ?? 0) + cost;
    return cost;
  }

  usage(): SessionUsage {
    return {
      costUsd: this.#costUsd,
      inputTokens: this.#tokens?.inputTokens,
      outputTokens: this.#tokens?.outputTokens,
      cacheReadTokens: this.#tokens?.cacheReadTokens,
      cacheCreationTokens: this.#tokens?.cacheCreationTokens,
      turns: this.#turns,
    };
  }
}

function sum(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const add = (a: number | undefined, b: number | undefined) =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  return {
    inputTokens: add(left.inputTokens, right.inputTokens),
    outputTokens: add(left.outputTokens, right.outputTokens),
    cacheReadTokens: add(left.cacheReadTokens, right.cacheReadTokens),
    cacheCreationTokens: add(left.cacheCreationTokens, right.cacheCreationTokens),
  };
}
