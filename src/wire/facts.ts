import type { CliMessage } from './cli-message.ts';
import { isRecord, numberOf, recordsOf, stringOf, stringsOf } from './fields.ts';
import { resultFacts } from './result-facts.ts';

/** Tokens. Unknown is undefined, never 0. */
export interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheCreationTokens: number | undefined;
}

/** Tokens of one model, and what they cost in US dollars by the CLI's own price list. */
export interface ModelTokens extends Usage {
  readonly costUsd: number | undefined;
}

/** One limit of the account, as the CLI told it. Unknown is undefined. */
export interface RateLimit {
  /** `five_hour`, `seven_day` …; `unknown` when it was not named. */
  readonly window: string;
  /** `allowed`, `allowed_warning` or `rejected`; others may come. */
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly resetsAt: number | undefined;
  /** The share that is used, as the API reports it. */
  readonly utilization: number | undefined;
  readonly isUsingOverage: boolean | undefined;
}

/** How a turn ended, in the CLI's words. */
export interface ResultFacts {
  /** Says little: an API failure is a `success` too (WIRE §0.5). `unknown` when the line names none. */
  readonly subtype: string;
  readonly isError: boolean;
  readonly text: string | undefined;
  readonly errors: readonly string[];
  readonly terminalReason: string | undefined;
  readonly apiErrorStatus: number | undefined;
  /** Prompts this result answers, as far as the CLI names them: at most 64 (WIRE §11). */
  readonly promptUuids: readonly string[];
  /** Who opened the turn when no prompt did, such as `task-notification` (WIRE §0.6). */
  readonly origin: string | undefined;
  readonly conversationId: string | undefined;
  /** Running total of the process, in US dollars. */
  readonly totalCostUsd: number | undefined;
  readonly usage: Usage | undefined;
  /** By model: running totals of the process. */
  readonly modelUsage: Readonly<Record<string, ModelTokens>> | undefined;
  /** By model: what this result adds to them; told from 2.1.312 on (measured). */
  readonly modelUsageAdded: Readonly<Record<string, ModelTokens>> | undefined;
  readonly turns: number | undefined;
  readonly durationMs: number | undefined;
  readonly permissionDenials: number;
  readonly structuredOutput: unknown;
}

/** Something the CLI runs beside its turns. */
export interface BackgroundTask {
  readonly id: string;
  /** `local_agent` for a subagent, `local_bash` for a shell; others may come. */
  readonly kind: string;
}

/** What a session has to know of a message, in neutral words: the CLI's spelling ends here. */
export type Fact =
  | {
      readonly type: 'turn.opened';
      /** The id to resume; it changes with `/clear` and with a fork (WIRE §25.13). */
      readonly conversationId: string | undefined;
      readonly model: string | undefined;
      readonly permissionMode: string | undefined;
      readonly cliVersion: string | undefined;
      readonly capabilities: readonly string[];
      readonly tools: readonly string[];
      readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
    }
  | {
      readonly type: 'prompt.progressed';
      readonly uuid: string;
      readonly state: 'queued' | 'started' | 'completed' | 'cancelled' | 'other';
    }
  /** The CLI repeated a prompt; whether it is one of ours, its uuid tells. 1.0.128 sets no flag (WIRE §11). */
  | { readonly type: 'prompt.echoed'; readonly uuid: string }
  | ({ readonly type: 'turn.result' } & ResultFacts)
  | { readonly type: 'activity.changed'; readonly state: 'running' | 'requires_action' | 'idle' }
  /** The whole list of background tasks (WIRE §17). */
  | { readonly type: 'background.changed'; readonly tasks: readonly BackgroundTask[] }
  | { readonly type: 'task.started'; readonly task: BackgroundTask }
  /** `isReporting`: it ended by itself, and the CLI will speak about it; a killed one ends in silence (WIRE §17). */
  | { readonly type: 'task.ended'; readonly id: string; readonly isReporting: boolean }
  | { readonly type: 'permission-mode.changed'; readonly mode: string }
  /** `conversationId` is only what was announced: the id to resume comes with the next `turn.opened` (WIRE §11). */
  | { readonly type: 'rate-limit.told'; readonly limit: RateLimit }
  | { readonly type: 'conversation.reset'; readonly conversationId: string | undefined }
  | {
      readonly type: 'api.retrying';
      readonly attempt: number | undefined;
      readonly maxRetries: number | undefined;
      readonly delayMs: number | undefined;
      /** HTTP status; undefined when there was no response. */
      readonly status: number | undefined;
      readonly error: string | undefined;
    };

/** The fact a message holds, if any. Looks at the type first, so that streamed text is not parsed; never throws. */
export function factOf(message: CliMessage): Fact | undefined {
  switch (message.type) {
    case 'system':
      return SYSTEM_FACTS.get(message.subtype)?.(message.value ?? {});
    case 'command_lifecycle':
      return promptProgressed(message.value ?? {});
    case 'user':
      return promptEchoed(message.value ?? {});
    case 'result':
      return { type: 'turn.result', ...resultFacts(message.value ?? {}) };
    case 'rate_limit_event':
      return rateLimitTold(message.value?.['rate_limit_info']);
    case 'conversation_reset':
      return { type: 'conversation.reset', conversationId: idOf(message.value?.['new_conversation_id']) };
    default:
      return undefined;
  }
}

type Read = (value: Record<string, unknown>) => Fact | undefined;

const SYSTEM_FACTS: ReadonlyMap<string | undefined, Read> = new Map<string, Read>([
  ['init', turnOpened],
  ['session_state_changed', activityChanged],
  ['background_tasks_changed', backgroundChanged],
  ['task_started', taskStarted],
  [
    'task_updated',
    (value) => taskEnded(value['task_id'], isRecord(value['patch']) ? value['patch']['status'] : undefined),
  ],
  ['task_notification', (value) => taskEnded(value['task_id'], value['status'])],
  ['status', permissionModeChanged],
  ['api_retry', apiRetrying],
]);

const LIFECYCLE_STATES = ['queued', 'started', 'completed', 'cancelled'] as const;
const TERMINAL_STATES: ReadonlySet<string> = new Set(['completed', 'failed', 'stopped', 'killed']);
const ACTIVITY_STATES = ['running', 'requires_action', 'idle'] as const;

function turnOpened(value: Record<string, unknown>): Fact {
  const mcpServers = recordsOf(value['mcp_servers']).flatMap(({ name, status }) =>
    typeof name === 'string' ? [{ name, status: stringOf(status) ?? 'unknown' }] : [],
  );
  return {
    type: 'turn.opened',
    conversationId: idOf(value['session_id']),
    model: stringOf(value['model']),
    permissionMode: stringOf(value['permissionMode']),
    cliVersion: stringOf(value['claude_code_version']),
    capabilities: stringsOf(value['capabilities']),
    tools: stringsOf(value['tools']),
    mcpServers,
  };
}

function promptProgressed(value: Record<string, unknown>): Fact | undefined {
  const { command_uuid: uuid, state } = value;
  if (typeof uuid !== 'string') return undefined;
  return { type: 'prompt.progressed', uuid, state: LIFECYCLE_STATES.find((known) => known === state) ?? 'other' };
}

function promptEchoed(value: Record<string, unknown>): Fact | undefined {
  const { uuid, isReplay, message, parent_tool_use_id: parent } = value;
  if (typeof uuid !== 'string') return undefined;
  if (isReplay === true) return { type: 'prompt.echoed', uuid };
  const content = isRecord(message) ? message['content'] : undefined;
  const isPlain = isReplay === undefined && (parent === undefined || parent === null) && isPrompt(content);
  return isPlain ? { type: 'prompt.echoed', uuid } : undefined;
}

function isPrompt(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && !recordsOf(content).some((block) => block['type'] === 'tool_result');
}

function activityChanged(value: Record<string, unknown>): Fact | undefined {
  const state = ACTIVITY_STATES.find((known) => known === value['state']);
  return state === undefined ? undefined : { type: 'activity.changed', state };
}

function backgroundChanged(value: Record<string, unknown>): Fact | undefined {
  // A list that cannot be read must not look like an empty one: that would mean idle.
  if (!Array.isArray(value['tasks'])) return undefined;
  const tasks = recordsOf(value['tasks']).flatMap((task) => taskOf(task) ?? []);
  return { type: 'background.changed', tasks };
}

function taskStarted(value: Record<string, unknown>): Fact | undefined {
  const task = taskOf(value);
  return task === undefined ? undefined : { type: 'task.started', task };
}

/** Both a notification and an update may be the only word about an end. */
function taskEnded(id: unknown, status: unknown): Fact | undefined {
  if (typeof id !== 'string' || typeof status !== 'string' || !TERMINAL_STATES.has(status)) return undefined;
  return { type: 'task.ended', id, isReporting: status === 'completed' || status === 'failed' };
}

function taskOf(value: Record<string, unknown>): BackgroundTask | undefined {
  const id = stringOf(value['task_id']);
  if (id === undefined) return undefined;
  const kind = stringOf(value['task_type']) ?? (value['subagent_type'] === undefined ? 'unknown' : 'local_agent');
  return { id, kind };
}

function permissionModeChanged(value: Record<string, unknown>): Fact | undefined {
  const mode = stringOf(value['permissionMode']);
  return mode === undefined ? undefined : { type: 'permission-mode.changed', mode };
}

function apiRetrying(value: Record<string, unknown>): Fact {
  return {
    type: 'api.retrying',
    attempt: numberOf(value['attempt']),
    maxRetries: numberOf(value['max_retries']),
    delayMs: numberOf(value['retry_delay_ms']),
    status: numberOf(value['error_status']),
    error: stringOf(value['error']),
  };
}

/** A limit without a status says nothing; the API gives the reset in seconds. */
function rateLimitTold(info: unknown): Fact | undefined {
  const status = isRecord(info) ? stringOf(info['status']) : undefined;
  if (status === undefined || !isRecord(info)) return undefined;
  const { rateLimitType, resetsAt, utilization, isUsingOverage } = info;
  const seconds = numberOf(resetsAt);
  return {
    type: 'rate-limit.told',
    limit: {
      window: stringOf(rateLimitType) || 'unknown',
      status,
      resetsAt: seconds === undefined ? undefined : seconds * 1_000,
      utilization: numberOf(utilization),
      isUsingOverage: typeof isUsingOverage === 'boolean' ? isUsingOverage : undefined,
    },
  };
}

function idOf(value: unknown): string | undefined {
  // Frames before the first init carry an empty id (R67).
  return stringOf(value) || undefined;
}
