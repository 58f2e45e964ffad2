/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** What is so now, beside the log that tells how it came about. Moments are milliseconds since 1970, never durations. */
export type StoreRecord = SessionRecord | PromptRecord | PermissionRecord | LedgerRecord;

export type SessionRecord = {
  readonly kind: 'session';
  readonly state: string;
  /** Set when it has ended for good: retention may take it. */
  readonly endedAt?: number;
  /** With what it is started again: options, and the settings that were changed since. */
  readonly options: Json;
  readonly settings: Json;
  /** Every conversation of the CLI that it had, the newest last. */
  readonly conversationIds: readonly string[];
  /** The conversation that a live process of it has open; no two sessions may name the same. */
  readonly openConversation?: string;
  /** When it was restarted, as far back as the restart window looks. */
  readonly restarts: readonly number[];
  /** Moments at which something falls due, by name. */
  readonly deadlines: { readonly [name: string]: number };
};

export type PromptRecord = {
  readonly kind: 'prompt';
  readonly id: string;
  readonly state: 'accepted' | 'delivered' | 'started' | 'ended';
  /** Set when it has ended. */
  readonly outcome?: string;
  readonly acceptedAt: number;
  readonly endedAt?: number;
  /** What is sent again after a crash. */
  readonly content: Json;
};

export type PermissionRecord = {
  readonly kind: 'permission';
  readonly id: string;
  readonly about: 'tool' | 'elicitation' | 'dialog';
  readonly state: 'open' | 'settled';
  readonly toolName?: string;
  /** Of the input in canonical form: a question asked again after a resume is known by it. */
  readonly inputDigest: string;
  readonly requestedAt: number;
  readonly expiresAt?: number;
  readonly decision?: { readonly outcome: string; readonly by: string; readonly at: number };
  /** The question as it is shown to people. */
  readonly question: Json;
};

export type LedgerRecord = {
  readonly kind: 'ledger';
  readonly id: string;
  readonly at: number;
  readonly model?: string;
  /** Unknown is absent, never 0. */
  readonly costUsd?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly details?: Json;
};
