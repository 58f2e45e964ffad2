import type { TableLine } from './table.mjs';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly loadBefore: number;
}

export declare const PAGE: string;
export declare function withTable(page: string, lines: readonly TableLine[], machine: Machine): string;
export declare function rowsOfPage(page: string): ReadonlyMap<number, string>;
