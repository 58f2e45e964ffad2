import { closeSync, openSync, writeSync } from 'node:fs';
import type { PromptState } from './session-memory.ts';

/** The most characters of a line that a violation repeats. */
const MAX_DETAIL = 200;

/** What a host did that the protocol does not allow, or that a careful host never does. */
export const VIOLATIONS = [
  'blank-line',
  'invalid-utf8',
  'broken-frame',
  'not-an-object',
  'unfinished-line',
  'wrong-role',
  'missing-request',
  'missing-request-id',
  'reused-request-id',
  'unknown-type',
  'misplaced-request-id',
  'answer-to-unknown-request',
  'answer-after-cancel',
  'duplicate-answer',
  'allow-without-updated-input',
  'deny-without-message',
  'invalid-permission-answer',
  'missing-mcp-response',
  'shared-conversation',
  'unexpected-line',
] as const;

export type ViolationKind = (typeof VIOLATIONS)[number];

/** Where a scenario expected something else, and what. */
export interface Surprise {
  /** The step, as in `rules[0].do[2]`. */
  readonly at: string;
  readonly expected: string;
  readonly got: string;
}

interface Stamp {
  readonly pid: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** One thing a fake saw or did. Lines longer than 64 KiB are kept as `text`, cut. */
export type JournalEntry =
  | (Stamp & {
      readonly kind: 'start';
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    })
  | (Stamp & { readonly kind: 'line'; readonly bytes: number; readonly message?: unknown; readonly text?: string })
  | (Stamp & { readonly kind: 'eof' })
  | (Stamp & { readonly kind: 'signal'; readonly name: string })
  | (Stamp & {
      readonly kind: 'violation';
      readonly violation: ViolationKind;
      readonly detail: string;
      readonly surprise?: Surprise;
    })
  /** A rule that counts its `times` was taken. */
  | (Stamp & { readonly kind: 'rule'; readonly place: string })
  /** How far a prompt got, as its lifecycle tells. */
  | (Stamp & { readonly kind: 'prompt'; readonly uuid: string; readonly text: string; readonly state: PromptState })
  /** A tool ran: its effect is done from here on. */
  | (Stamp & { readonly kind: 'tool'; readonly tool: string; readonly input: unknown })
  /** The host answered whether a tool may run; `input` is the one that was asked about. */
  | (Stamp & { readonly kind: 'decision'; readonly tool: string; readonly input: unknown; readonly answer: unknown })
  | (Stamp & { readonly kind: 'child'; readonly pids: readonly number[] })
  | (Stamp & { readonly kind: 'exit'; readonly reason: string; readonly code: number | null });

type Unstamped<Entry> = Entry extends unknown ? Omit<Entry, keyof Stamp> : never;

/** Appends entries to the journal file, which all processes of one fake share; every entry is one write. */
export class Journal {
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'a', 0o600);
  }

  add(entry: Unstamped<JournalEntry>): void {
    writeSync(this.#descriptor, `${JSON.stringify({ pid: process.pid, at: Date.now(), ...entry })}\n`);
  }

  violation(violation: ViolationKind, detail: string): void {
    this.add({ kind: 'violation', violation, detail: detail.slice(0, MAX_DETAIL) });
  }

  surprise(at: string, expected: string, got: string): void {
    const surprise = { at, expected: expected.slice(0, MAX_DETAIL), got: got.slice(0, MAX_DETAIL) };
    const detail = `${at}: expected ${surprise.expected}, got ${surprise.got}`;
    this.add({ kind: 'violation', violation: 'unexpected-line', detail, surprise });
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
