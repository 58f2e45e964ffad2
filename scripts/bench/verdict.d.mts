import type { Check } from './rows.mjs';

/** By case, adapter and name. */
export type Figures = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
export type Verdict = 'met' | 'missed' | 'not measured' | 'told';

export interface Judgement {
  readonly check: Check;
  readonly own: number | undefined;
  readonly measured: number | undefined;
  readonly verdict: Verdict;
}

export declare function judged(check: Check, figures: Figures): Judgement;
export declare function exitCodeOf(judgements: readonly { readonly verdict: Verdict }[]): 0 | 1 | 2;
export declare function picked(
  values: readonly (number | undefined)[],
  pick?: 'median' | 'low' | 'least',
): number | undefined;
