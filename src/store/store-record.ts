/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** What is so now, beside the log that tells how it came about. Moments are milliseconds since 1970, never durations. */
export type StoreRecord = SessionRecord | PromptRecord | PermissionRecord | LedgerRecord;

export type SessionRecord = {
  readonly kind: 'session';
  /** As `session.state` said it. */
  readonly state: string;
  /** Set when it has ended for good: retention may take it. */
  readonly endedAt?: number;
  /** What of its options is JSON and no secret: with this it is started again. */
  readonly options: Json;
  /** Options that a store cannot keep, by path: functions, servers of this process, secrets. Without them nothing is started by itself. */
  readonly withheld?: readonly string[];
  /** The groups it belongs to, the outermost first. */
  readonly groups?: readonly string[];
  /** The settings that were changed since. */
  readonly settings: Json;
  /** What people allowed for the rest of the session. */
  readonly grants?: Json;
  /** Every conversation of the CLI that it had, the newest last. */
  readonly conversationIds: readonly string[];
  /** The conversation that a live process of it has open; no two sessions may name the same. */
  readonly openConversation?: string;
  /** What the CLI told about itself: its version decides what a resume may rely on. */
  readonly facts?: Json;
  /** Turns that ended well; 0 while nothing was ever answered. */
  readonly completedTurns?: number;
  /** What its supervision remembers: ends, reasons, the wait that is planned. */
  readonly child?: Json;
  /** When it was restarted, as far back as the restart window looks. */
  readonly restarts: readonly number[];
  /** When a host took it up after a crash, since its last completed turn: too many and it is set aside. */
  readonly recoveries?: readonly number[];
  /** When its host left it to the next one, which writes it without. */
  readonly handedOverAt?: number;
  /** The last event of the session that had this id before it and has ended. */
  readonly begunAfter?: number;
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
  /** What is sent again after a crash; null when it has ended. */
  readonly content: Json;
  /** A secret was taken out of the content: it can be shown, and never be sent again. */
  readonly isRedacted?: true;
  /** Of content and fields as they were: a repeated id is known by it. */
  readonly digest?: string;
  readonly onBusy?: string;
  readonly isUntrusted?: true;
  readonly fields?: Json;
  /** `seq` of the events that began it. */
  readonly acceptedSeq?: number;
  readonly startedSeq?: number;
  /** By what the CLI knows it, where that is not its id. */
  readonly wireId?: string;
  /** A process had it once, and was lost before it ended. */
  readonly wasDelivered?: true;
  /** It was sent once more under the id that the CLI may know. */
  readonly isRepeated?: true;
  /** Somebody has asked for the end of its turn. */
  readonly wasInterruptAsked?: true;
  /** The CLI was done with it, and not with the turn that took it up. */
  readonly isFolded?: true;
  /** Why it is held until somebody decides: an error as code, message and details. */
  readonly doubt?: Json;
  /** How it ended, as its turn told. */
  readonly result?: Json;
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
  /** The decision in whole, as it is told and given. */
  readonly settlement?: Json;
  /** It was decided while no process asked: the first that asks the same is given the decision, once. */
  readonly isUnheard?: true;
  /** The question as it is shown to people. */
  readonly question: Json;
};

/** One turn and what it used. */
export type LedgerRecord = {
  readonly kind: 'ledger';
  readonly id: string;
  readonly at: number;
  readonly model?: string;
  /** Unknown is absent, never 0. */
  readonly costUsd?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** As that of its session: an id may be taken again, and what was used under it stays with who used it. */
  readonly begunAfter?: number;
  /** Whose it is beside its session's. */
  readonly key?: string;
  /** The groups of its session, the outermost first. */
  readonly groups?: readonly string[];
  /** The turn as `session.turns()` shows it, and what the budgets counted. */
  readonly details?: Json;
};
