import type { Row } from '../row.ts';

/** `elsewhere`: not a matter of this package, such as the packaging of the other one or a habit of its language. */
export type PeerRow = Row | { readonly elsewhere: string };

/** What one part of the peer's suite pins down. */
export interface PeerArea {
  readonly area: string;
  /** At least so many behaviours: a row that was lost in an edit is noticed. */
  readonly least: number;
  readonly rows: Readonly<Record<string, PeerRow>>;
}
