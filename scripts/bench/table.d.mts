import type { Row } from './rows.mjs';
import type { Figures, Verdict } from './verdict.mjs';

export interface TableLine {
  readonly row: number;
  readonly case: string;
  readonly measured: number | undefined;
  readonly verdict: Verdict;
}

export declare function linesOf(row: Row, figures: Figures): readonly TableLine[];
export declare function markdownOf(row: Row, lines: readonly TableLine[]): string;
