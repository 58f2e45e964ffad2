import type { EndFacts, PromptOutcome, QuestionContext } from '../store/plain-fact.ts';

/** What is known of a session without its log. */
export interface SessionIdentity {
  readonly id: string;
  /** What the caller said it works on. */
  readonly key?: string;
  /** The groups it is a member of, from the outermost. */
  readonly groups: readonly string[];
}

/** What a client knows of one session when it has seen its event `seq`: JSON, in the words of the library. */
export interface SessionView extends SessionIdentity {
  /** The last event it holds; 0 before the first. */
  readonly seq: number;
  /** Number of the newest incarnation. */
  readonly epoch: number;
  /** As `session.state`. */
  readonly state: string;
  /** `state` with the place inside it, as far as the events tell: `ready.running`. What a chart lights up. */
  readonly position: string;
  readonly status: 'idle' | 'running' | 'requires_action';
  /** Since when it is in that state, in epoch milliseconds. */
  readonly since: number;
  /** When its first event was logged; 0 before it. */
  readonly createdAt: number;
  /** When its newest event was logged; 0 before the first. */
  readonly updatedAt: number;
  /** Of the process that lives. */
  readonly pid?: number;
  readonly conversationId?: string;
  /** As the CLI last told them. */
  readonly model?: string;
  readonly permissionMode?: string;
  readonly cliVersion?: string;
  /** What was changed at run time, by the name of the setting. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly restarts: RestartsView;
  /** Those that have not ended in order of acceptance, and the newest 50 that have. */
  readonly prompts: readonly PromptView[];
  /** The turn that is open, whoever began it. */
  readonly turn?: TurnView;
  /** What the CLI last said of its work; undefined from releases that do not tell. */
  readonly activity?: string;
  /** Background tasks of the process. */
  readonly tasks: readonly TaskView[];
  /** The open requests, oldest first. */
  readonly permissions: readonly PermissionView[];
  /** The newest 50 that are settled, oldest first. */
  readonly settled: readonly SettledPermission[];
  readonly usage: UsageView;
  /** The MCP servers and the status of each, by name. */
  readonly servers: Readonly<Record<string, ServerView>>;
  /** Why it is parked. `until`: epoch milliseconds, null when somebody has to act. */
  readonly parked?: { readonly reason: string; readonly until: number | null; readonly note: string };
  readonly quarantined?: { readonly cause: EndFacts; readonly at: number };
  readonly ended?: EndedView;
  /** The silence that was warned of, while it lasts. */
  readonly watchdog?: WatchdogView;
  /** How many diagnostic events there were, suppressed ones included. */
  readonly diagnostics: number;
  /** Since when what is logged is not in the store, because it fails. */
  readonly volatileSince?: number;
  /** The newest 100 changes of state, oldest first. */
  readonly transitions: readonly Transition[];
}

export interface RestartsView {
  /** Since its start: how often a process was replaced that nobody had asked to end. */
  readonly count: number;
  /** How many of them are in the window of the restart policy, as of the newest. */
  readonly inWindow: number;
  /** Why the last one was needed. */
  readonly cause?: EndFacts;
  /** When the next process is started, while it waits for that; epoch milliseconds. */
  readonly nextAt?: number;
}

export interface PromptView {
  readonly id: string;
  readonly state: 'accepted' | 'delivered' | 'started' | 'in-doubt' | 'deferred' | 'ended';
  readonly onBusy: string;
  /** Who sent it, where that was told. */
  readonly from?: string;
  /** The beginning of its text, where that was told. */
  readonly preview?: string;
  readonly outcome?: PromptOutcome;
  readonly acceptedAt: number;
  /** By what the CLI knows it, where that is not its id. */
  readonly uuid?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

export interface TurnView {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Empty when the CLI began it by itself. */
  readonly promptIds: readonly string[];
}

export interface TaskView {
  readonly id: string;
  readonly kind: string;
}

export interface PermissionView extends QuestionContext {
  readonly id: string;
  readonly kind: 'tool' | 'elicitation' | 'dialog';
  readonly toolName?: string;
  /** Of the tool; else the elicitation or the dialog as a whole. */
  readonly input: unknown;
  readonly toolUseId?: string;
  /** The subagent that asks. */
  readonly agentId?: string;
  readonly requestedAt: number;
}

export interface SettledPermission {
  readonly id: string;
  readonly kind: 'tool' | 'elicitation' | 'dialog';
  readonly toolName?: string;
  readonly toolUseId?: string;
  readonly requestedAt?: number;
  readonly settledAt: number;
  readonly outcome: string;
  /** By what it was decided: `api`, `rule`, `callback`, `deadline` … */
  readonly by: string;
  /** Who it was, where that is known. */
  readonly who?: string;
  readonly rule?: { readonly tool: string; readonly behavior: string; readonly source: string };
}

export interface UsageView {
  /** US dollars; undefined while nobody told. */
  readonly costUsd?: number;
  /** Turns with a result. */
  readonly turns: number;
}

export interface ServerView {
  readonly status: string;
  readonly reason?: string;
}

export interface EndedView {
  readonly at: number;
  readonly cause: EndFacts;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly wasForced?: true;
}

export interface WatchdogView {
  /** For whom it waits: `model`, `tool`, `hook`, `mcp` or `background`. */
  readonly clock: string;
  readonly since: number;
  /** When the turn is interrupted if nothing moves; undefined for never. */
  readonly interruptAt?: number;
}

export interface Transition {
  readonly from?: string;
  readonly to: string;
  readonly at: number;
  readonly seq: number;
  readonly epoch: number;
}

/** A session of which no event is known yet: where every fold begins. */
export function startView({ id, key, groups }: SessionIdentity): SessionView {
  return {
    id,
    ...(key === undefined ? {} : { key }),
    groups,
    seq: 0,
    epoch: 0,
    state: 'waiting',
    position: 'waiting',
    status: 'idle',
    since: 0,
    createdAt: 0,
    updatedAt: 0,
    settings: {},
    restarts: { count: 0, inWindow: 0 },
    prompts: [],
    tasks: [],
    permissions: [],
    settled: [],
    usage: { turns: 0 },
    servers: {},
    diagnostics: 0,
    transitions: [],
  };
}
