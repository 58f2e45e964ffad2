import type { Shown } from '../row.ts';

/** A fault that others had (R…): the tests that play it and show what is right, or what is not shown, and why. */
export type ReportEntry = readonly Shown[] | { readonly shown?: readonly Shown[]; readonly missing: string };

export interface ReportTopic {
  readonly topic: string;
  readonly entries: Readonly<Record<string, ReportEntry>>;
}

/** Names tests of one file by words of their titles. */
export function titles(file: string, ...words: readonly string[]): readonly Shown[] {
  return words.map((title) => [`test/${file}.test.ts`, title] as const);
}
