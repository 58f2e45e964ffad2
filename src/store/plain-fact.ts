/** What happened in a session beside the conversation itself: JSON, and nothing of it needs Node. */
export type PlainFact =
  | { readonly type: 'session.started'; readonly incarnation: number; readonly pid: number }
  | { readonly type: 'session.state-changed'; readonly state: string; readonly from: string | undefined }
  | { readonly type: 'session.resumed'; readonly conversationId: string }
  /** The last that this host says of it: the next one that opens the store goes on; what waits, runs or is asked stays so. */
  | { readonly type: 'session.handed-over' }
  /** The host was lost, or left, and this one goes on with it. `from`: the incarnation that was lost, or had ended, there. */
  | {
      readonly type: 'session.recovered';
      readonly from: number;
      readonly decision: RecoveryDecision;
      readonly reason: string;
    }
  | {
      readonly type: 'session.restarting';
      readonly cause: EndFacts;
      readonly delayMs: number;
      readonly restarts: number;
    }
  /** `evicted`: one that waited got its place (`admission.evictIdle`). */
  | { readonly type: 'session.hibernated'; readonly reason?: 'evicted' }
  /** It has no process and waits, with its prompts, until then (epoch milliseconds); null when somebody has to act. */
  | {
      readonly type: 'session.parked';
      readonly reason: 'quota' | 'auth' | 'budget';
      readonly until: number | null;
      readonly note: string;
    }
  /** `failures`: the newest ends that led to it, oldest first. */
  /** A share of a budget is spent, or all of it; by this session, whoever else paid into it. */
  | ({ readonly type: 'budget.warned' } & BudgetMark)
  | ({ readonly type: 'budget.reached'; readonly onLimit: 'park' | 'interrupt' | 'kill' } & BudgetMark)
  /** What this model costs nobody knows: a budget in dollars does not bind it. Told once for each model. */
  | { readonly type: 'budget.unpriced'; readonly model: string }
  | { readonly type: 'session.quarantined'; readonly cause: EndFacts; readonly failures: readonly FailureFacts[] }
  /** A run-time setting was changed; it rules over restarts (P8). */
  | { readonly type: 'session.settings-changed'; readonly setting: string; readonly value: unknown }
  | { readonly type: 'session.conversation-changed'; readonly from: string | undefined; readonly to: string }
  | {
      readonly type: 'session.ended';
      readonly cause: EndFacts;
      readonly exitCode?: number | null;
      readonly signal?: string | null;
      /** The process did not leave when it was asked to, and was signalled. */
      readonly wasForced?: true;
    }
  /** `preview`: the beginning of its text. `from`: who sent it, where that was told. */
  | {
      readonly type: 'prompt.accepted';
      readonly promptId: string;
      readonly onBusy: string;
      readonly preview?: string;
      readonly from?: string;
    }
  /** `uuid`: by what the CLI knows it, where that is no longer the id: it was begun anew after a loss. */
  | { readonly type: 'prompt.delivered'; readonly promptId: string; readonly uuid?: string }
  /** Its process was lost and it could run twice: held until somebody decides (`onPromptLost: 'ask'`). */
  | { readonly type: 'prompt.in-doubt'; readonly promptId: string; readonly code: string }
  /** It was in doubt, and somebody has said that it begins anew. */
  | { readonly type: 'prompt.retried'; readonly promptId: string }
  | { readonly type: 'prompt.started'; readonly promptId: string }
  /** Its turn met a limit of the account: it is sent once more when that is reset. */
  | { readonly type: 'prompt.deferred'; readonly promptId: string }
  | { readonly type: 'prompt.ended'; readonly promptId: string; readonly outcome: PromptOutcome }
  | { readonly type: 'turn.started'; readonly promptId: string | undefined }
  | {
      readonly type: 'turn.ended';
      readonly promptIds: readonly string[];
      readonly isError: boolean;
      readonly origin: string | undefined;
      readonly costUsd: number | undefined;
    }
  /** A limit of the account refuses work, or does so no more; `resetsAt` in milliseconds since 1970, where it was told. */
  | { readonly type: 'quota.reached' | 'quota.reset'; readonly window: string; readonly resetsAt: number | undefined }
  | {
      readonly type: 'permission.requested';
      readonly kind: 'tool' | 'elicitation' | 'dialog';
      readonly requestId: string;
      /** Undefined for what is not about a tool. */
      readonly toolName: string | undefined;
      /** Of the tool; else the elicitation or the dialog as a whole. */
      readonly input: unknown;
      readonly toolUseId: string | undefined;
      readonly agentId: string | undefined;
      readonly context?: QuestionContext;
    }
  | {
      readonly type: 'permission.settled';
      readonly kind: 'tool' | 'elicitation' | 'dialog';
      readonly requestId: string;
      readonly outcome: string;
      readonly by: string;
      /** The rule that decided, where one did. */
      readonly rule?: { readonly tool: string; readonly behavior: string; readonly source: string };
    }
  /** A process asked again what was asked before its host was lost: the request, its deadline and its answer are the same. */
  | {
      readonly type: 'permission.rebound';
      readonly kind: 'tool' | 'elicitation' | 'dialog';
      readonly requestId: string;
    }
  /** It was settled while no process asked, and none has asked again: what was decided was applied to nothing. */
  | {
      readonly type: 'permission.unheard';
      readonly kind: 'tool' | 'elicitation' | 'dialog';
      readonly requestId: string;
    }
  | {
      readonly type: 'hook.called';
      readonly event: string;
      readonly matcher: string | undefined;
      readonly toolUseId: string | undefined;
      readonly outcome: 'answered' | 'failed' | 'timed-out' | 'cancelled';
      readonly tookMs: number;
    }
  | WatchdogFact
  | { readonly type: 'mcp.server-changed'; readonly server: string; readonly status: string; readonly reason?: string }
  | {
      readonly type: 'diagnostic';
      readonly reason: string;
      readonly detail?: string;
      /** How many of this reason were counted without an event of their own since the last one. */
      readonly suppressed?: number;
    }
  /** What is behind this `seq` is not in the store yet, because it fails; a crash of the host would lose it. */
  | { readonly type: 'log.volatile'; readonly after: number; readonly code: string; readonly message: string }
  /** Everything up to here is in the store again. */
  | { readonly type: 'log.durable' }
  | { readonly type: 'stderr'; readonly line: string };

/**
 * A silence of the work: which clock counted it, since when (epoch milliseconds), and how long it has lasted. A warning says
 * when the turn is interrupted if nothing moves; undefined for never.
 */
export type WatchdogFact =
  | ({ readonly type: 'watchdog.warned'; readonly interruptAt: number | undefined } & SilenceFacts)
  | ({ readonly type: 'watchdog.recovered' } & SilenceFacts)
  | ({ readonly type: 'watchdog.interrupted' } & SilenceFacts);

export interface SilenceFacts {
  /** For whom it waited. */
  readonly clock: 'model' | 'tool' | 'hook' | 'mcp' | 'background';
  readonly since: number;
  readonly silentMs: number;
}

/**
 * What becomes of a session when its store is opened again. `resumed`: it has work, and gets a process. `kept`: it is as it
 * was, and has no work. `held`: nothing runs until somebody says so. `failed`, `ended`: it is over.
 */
export type RecoveryDecision = 'resumed' | 'kept' | 'held' | 'quarantined' | 'failed' | 'ended';

/** What somebody who decides should know beside what is asked; each is there only where it was told. */
export interface QuestionContext {
  /** When nobody's answer is one, in epoch milliseconds; undefined for never. */
  readonly deadlineAt?: number;
  /** A sentence that asks. */
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  /** Why it is asked, and the kind of that reason. */
  readonly decisionReason?: string;
  readonly decisionReasonType?: string;
  readonly blockedPath?: string;
  /** What could be remembered with the answer, as `updatedPermissions` takes it. */
  readonly suggestions?: readonly unknown[];
  /** Only a person can answer. */
  readonly requiresUserInteraction?: true;
  /** Do not let a single stray key allow it. */
  readonly defaultToNo?: true;
  /** Do not offer to remember the answer. */
  readonly suppressAlwaysAllowRule?: true;
}

export interface BudgetMark {
  readonly scope: 'session' | 'key' | 'group' | 'day' | 'total';
  /** The id of the session or group, the key, the date; empty for the total. */
  readonly name: string;
  readonly unit: 'usd' | 'tokens' | 'turns';
  readonly spent: number;
  readonly limit: number;
}

export type PromptOutcome = 'completed' | 'failed' | 'interrupted' | 'cancelled' | 'lost';

export interface EndFacts {
  /** A TroupeError code, or `closed`. */
  readonly code: string;
  readonly message: string;
  /** The kind of end, by which the consequence was decided: a name of docs/endings.md. */
  readonly ending: string;
}

/** One end that nobody asked for. */
export interface FailureFacts extends EndFacts {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly incarnation: number;
}
