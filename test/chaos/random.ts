/** Chance that can be repeated: the same seed gives the same sequence (mulberry32). */
export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    chance: (probability) => next() < probability,
  };
}
