import type { ModelPrice } from '../launch/budget-options.ts';
import { fitsWildcard } from '../permissions/wildcard.ts';
import type { Usage } from '../wire/facts.ts';

const MILLION = 1_000_000;

/** Prices that somebody chose, in the place of those the CLI believes in. */
export class PriceTable {
  readonly #prices: readonly (readonly [pattern: string, price: ModelPrice])[];

  constructor(prices: Readonly<Record<string, ModelPrice>>) {
    this.#prices = Object.entries(prices);
  }

  /** US dollars; undefined when no entry fits the model. */
  priceOf(model: string | undefined, usage: Usage): number | undefined {
    const price = this.#prices.find(([pattern]) => model !== undefined && fitsWildcard(pattern, model))?.[1];
    if (price === undefined) return undefined;
    const { inputPerMTok, outputPerMTok, cacheReadPerMTok = inputPerMTok, cacheWritePerMTok = inputPerMTok } = price;
    const sum =
      (usage.inputTokens ?? 0) * inputPerMTok +
      (usage.outputTokens ?? 0) * outputPerMTok +
      (usage.cacheReadTokens ?? 0) * cacheReadPerMTok +
      (usage.cacheCreationTokens ?? 0) * cacheWritePerMTok;
    return sum / MILLION;
  }
}
