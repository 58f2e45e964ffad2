import type { Shown } from '../row.ts';

/**
 * A measured statement about the CLI (WIRE): the test that shows what the host makes of it, with the real CLI or the fake
 * one; the recording that holds it, which test/wire/corpus.test.ts replays; or why nothing of the host depends on it.
 */
export type WireRow = Shown | { readonly recorded: string } | { readonly cli: string };

export interface WireSection {
  readonly section: number;
  readonly about: string;
  readonly rows: Readonly<Record<string, WireRow>>;
}
