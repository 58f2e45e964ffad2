import type { PlainFact } from '../store/plain-fact.ts';

/** One conversation line of the CLI as text; `kind` and `subtype` are those of the line. */
export interface MessageFact {
  readonly type: 'message';
  readonly kind: string;
  readonly subtype?: string;
  /** The line as the CLI wrote it, not parsed. */
  readonly line: string;
}

/** An event of a session as clients get it: JSON, with the line of a message as text. */
export type ViewEvent = (PlainFact | MessageFact) & {
  /** Dense per session, from 1. */
  readonly seq: number;
  /** Number of the incarnation. */
  readonly epoch: number;
  /** Epoch milliseconds. */
  readonly at: number;
};
