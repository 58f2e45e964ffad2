import { randomUUID } from 'node:crypto';
import type { Flavor } from './flavor.ts';
import type { JsonObject } from './scenario.ts';

/** At most this many prompts are named in one result (WIRE §11). */
export const MAX_NAMED_PROMPTS = 64;

const USAGE = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };

export interface InitFacts {
  readonly sessionId: string;
  readonly model: string;
  readonly permissionMode: string;
  readonly mcpServers: readonly JsonObject[];
  readonly tools: readonly string[];
}

/** `system/init`, the first frame of every turn (WIRE §1). */
export function systemInit(flavor: Flavor, facts: InitFacts): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: process.cwd(),
    session_id: facts.sessionId,
    tools: ['Task', 'Bash', 'Read', 'Edit', 'Write', ...facts.tools],
    mcp_servers: facts.mcpServers,
    model: facts.model,
    permissionMode: facts.permissionMode,
    slash_commands: [],
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: flavor.version,
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    ...(flavor.capabilities.length === 0 ? {} : { capabilities: flavor.capabilities }),
    uuid: randomUUID(),
  };
}

export interface InitializeFacts {
  readonly permissionMode: string;
  readonly sessionState: string;
  readonly extra: JsonObject;
}

/** Payload of the answer to `initialize` (WIRE §1). */
export function initializePayload(flavor: Flavor, facts: InitializeFacts): JsonObject {
  return {
    commands: [],
    ...(flavor.describesItself ? { agents: [] } : {}),
    output_style: 'default',
    available_output_styles: ['default'],
    models: [],
    account: { tokenSource: 'none', apiKeySource: 'ANTHROPIC_API_KEY', apiProvider: 'firstParty' },
    ...(flavor.hasTerminalReasons ? { pid: process.pid } : {}),
    ...(flavor.describesItself
      ? {
          claude_code_version: flavor.version,
          current_permission_mode: facts.permissionMode,
          session_state: facts.sessionState,
          capabilities: flavor.capabilities,
          ...facts.extra,
        }
      : {}),
  };
}

export interface ResultFacts {
  readonly sessionId: string;
  readonly model: string;
  readonly totalCostUsd: number;
  readonly costUsd: number;
  readonly durationMs: number;
  readonly resultIndex: number;
  readonly turnCount: number;
  readonly promptIds: readonly string[];
  readonly denials: readonly JsonObject[];
  readonly overrides: JsonObject;
}

/** A `result`; the newest release writes `type` in the middle of the object (WIRE §10). */
export function resultFrame(flavor: Flavor, facts: ResultFacts): JsonObject {
  const outcome = { subtype: 'success', is_error: false, ...facts.overrides };
  const body = {
    duration_api_ms: facts.durationMs,
    num_turns: facts.turnCount,
    session_id: facts.sessionId,
    total_cost_usd: facts.totalCostUsd,
    usage: USAGE,
    modelUsage: { [facts.model]: { inputTokens: 10, outputTokens: 20, costUSD: facts.totalCostUsd } },
    permission_denials: facts.denials,
    ...(flavor.hasTerminalReasons ? { stop_reason: 'end_turn', terminal_reason: 'completed' } : {}),
    ...named(flavor, facts.promptIds),
    uuid: randomUUID(),
    ...outcome,
  };
  if (!flavor.describesItself) return { type: 'result', duration_ms: facts.durationMs, ...body };
  return {
    ...body,
    type: 'result',
    duration_ms: facts.durationMs,
    queued_turn_count: 0,
    result_index: facts.resultIndex,
  };
}

/** `user_message_uuid` and `user_message_uuids`, where the release has them. */
export function named(flavor: Flavor, promptIds: readonly string[]): JsonObject {
  if (!flavor.hasLifecycle || promptIds.length === 0) return {};
  return { user_message_uuid: promptIds[0], user_message_uuids: promptIds.slice(0, MAX_NAMED_PROMPTS) };
}

/** One `assistant` frame: one content block (WIRE §10). */
export function assistantFrame(sessionId: string, facts: { id: string; model: string; block: JsonObject }): JsonObject {
  return {
    type: 'assistant',
    message: {
      id: facts.id,
      type: 'message',
      role: 'assistant',
      model: facts.model,
      content: [facts.block],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 1 },
    },
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid: randomUUID(),
    timestamp: new Date().toISOString(),
  };
}

/** A `user` frame of the CLI: a tool result, a note, or the echo of a prompt. */
export function userFrame(sessionId: string, content: unknown, extra: JsonObject = {}): JsonObject {
  return {
    type: 'user',
    message: { role: 'user', content },
    session_id: sessionId,
    parent_tool_use_id: null,
    uuid: randomUUID(),
    timestamp: new Date().toISOString(),
    ...extra,
  };
}

export function systemFrame(sessionId: string, subtype: string, body: JsonObject): JsonObject {
  return { type: 'system', subtype, ...body, uuid: randomUUID(), session_id: sessionId };
}

export function streamEvent(sessionId: string, event: JsonObject): JsonObject {
  return { type: 'stream_event', event, session_id: sessionId, parent_tool_use_id: null, uuid: randomUUID() };
}
