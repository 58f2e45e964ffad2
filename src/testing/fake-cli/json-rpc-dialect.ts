import type { FakeDialect } from './fake-dialect.ts';
import type { Launch } from './launch.ts';
import type { JsonObject } from './scenario.ts';

/** The tools a fake engine has, as its `system/init` says them. */
const TOOLS = ['Task', 'Bash', 'Read', 'Edit', 'Write'];
const METHOD_NOT_FOUND = -32_601;
const APPLICATION_ERROR = -32_000;

/** What a fake engine has beside the write-up; a scenario that answers `initialize` itself says something else. */
const EXTENSIONS = {
  interrupt: true,
  hooks: true,
  in_process_tools: true,
  session_options: true,
  updated_input: true,
};

/** An engine is started with nothing that says what it is to do: it streams, asks and repeats no prompt. */
export function engineLaunch(launch: Launch): Launch {
  return {
    ...launch,
    inputFormat: 'stream-json',
    outputFormat: 'stream-json',
    includesPartialMessages: true,
    asksOverStdio: true,
    replaysUserMessages: false,
  };
}

/** The engine of the JSON-RPC dialect, around a fake that speaks `stream-json` within. */
export class JsonRpcDialect implements FakeDialect {
  readonly isUntyped = true;
  /** Calls of the host that have no answer yet: by the id of the control request inside. */
  readonly #calls = new Map<string, { readonly id: unknown; readonly method: string }>();
  /** Messages of the host that have no answer yet, by uuid, the oldest first. */
  readonly #prompts = new Map<string, unknown>();
  /** Requests of ours, by their number. */
  readonly #asked = new Map<unknown, { readonly requestId: string; readonly request: JsonObject }>();
  #nextId = 1;
  #messageId = '';
  #hasStreamed = false;
  #totalCostUsd = 0;
  #servers = 0;
  #sessionId: unknown;
  #wasInterrupted = false;

  /** A line of the host as `stream-json` says it; nothing for what an engine ignores. */
  read(line: JsonObject): JsonObject | undefined {
    const { jsonrpc, id, method } = line;
    if (jsonrpc !== '2.0') return { type: 'no-json-rpc', ...line };
    const params = (line.params ?? {}) as JsonObject;
    if (method === undefined) return this.#readAnswer(line);
    if (id === undefined) return method === 'mcp_message' ? noticed(params) : undefined;
    if (method === 'user_message') return this.#readPrompt(id, params);
    const requestId = `json-rpc-${String(id)}`;
    this.#calls.set(requestId, { id, method: String(method) });
    return { type: 'control_request', request_id: requestId, request: this.#requestOf(String(method), params) };
  }

  /** The lines of a frame; a frame that holds `jsonrpc` is one of the dialect already. */
  written(frame: JsonObject): JsonObject[] {
    if ('jsonrpc' in frame) return [frame];
    this.#sessionId = frame.session_id ?? this.#sessionId;
    switch (frame.type) {
      case 'control_response':
        return this.#answer(frame.response as JsonObject);
      case 'control_request':
        return this.#ask(String(frame.request_id), frame.request as JsonObject);
      case 'control_cancel_request':
        return this.#takeBack(String(frame.request_id));
      case 'stream_event':
        return this.#token(frame.event as JsonObject);
      case 'assistant':
        return this.#spoken(frame);
      case 'user':
        return this.#toolResults(frame);
      case 'result':
        return this.#result(frame);
      case 'command_lifecycle':
        return this.#lifecycle(String(frame.command_uuid), frame.state);
      default:
        return [];
    }
  }

  #readPrompt(id: unknown, params: JsonObject): JsonObject {
    const uuid = typeof params.prompt_id === 'string' ? params.prompt_id : `json-rpc-prompt-${String(id)}`;
    this.#prompts.set(uuid, id);
    return { type: 'user', message: { role: 'user', content: params.content }, uuid };
  }

  #requestOf(method: string, params: JsonObject): JsonObject {
    if (method === 'interrupt') {
      this.#wasInterrupted = true;
      return { subtype: 'interrupt', ...(params.cancel_queued === true ? { cancel_queued: true } : {}) };
    }
    if (method !== 'initialize') return { ...params, subtype: method };
    const servers = (params.in_process_servers ?? []) as string[];
    this.#servers = servers.length;
    return {
      subtype: 'initialize',
      ...(params.hooks === undefined ? {} : { hooks: hooksOf(params.hooks as JsonObject) }),
      ...(servers.length === 0 ? {} : { sdkMcpServers: servers }),
    };
  }

  #readAnswer(line: JsonObject): JsonObject {
    const asked = this.#asked.get(line.id);
    this.#asked.delete(line.id);
    const requestId = asked?.requestId ?? `unknown-${String(line.id)}`;
    if (line.error !== undefined) {
      const error = String((line.error as JsonObject).message);
      return { type: 'control_response', response: { subtype: 'error', request_id: requestId, error } };
    }
    const response = asked?.request.subtype === 'can_use_tool' ? decisionOf(line, asked.request) : line.result;
    return { type: 'control_response', response: { subtype: 'success', request_id: requestId, response } };
  }

  #answer(response: JsonObject): JsonObject[] {
    const call = this.#calls.get(String(response.request_id));
    this.#calls.delete(String(response.request_id));
    if (call === undefined) return [];
    if (response.subtype === 'error') {
      const isUnknown = String(response.error).startsWith('Unsupported control request');
      const error = isUnknown
        ? { code: METHOD_NOT_FOUND, message: 'Method not found' }
        : { code: APPLICATION_ERROR, message: response.error };
      return [{ jsonrpc: '2.0', id: call.id, error }];
    }
    const payload = (response.response ?? {}) as JsonObject;
    const isOwnGreeting = call.method === 'initialize' && payload.protocol_version === undefined;
    return [{ jsonrpc: '2.0', id: call.id, result: isOwnGreeting ? this.#greeting() : payload }];
  }

  #greeting(): JsonObject {
    return {
      protocol_version: '1.0',
      capabilities: { tools: TOOLS, mcp_servers: this.#servers, ...EXTENSIONS },
    };
  }

  #ask(requestId: string, request: JsonObject): JsonObject[] {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#asked.set(id, { requestId, request });
    const asked = (method: string, params: JsonObject) => [
      { jsonrpc: '2.0', id, method, params: { session_id: this.#sessionId, ...params } },
    ];
    if (request.subtype === 'can_use_tool') {
      const input = (request.input ?? {}) as JsonObject;
      const command = typeof input.command === 'string' ? input.command : JSON.stringify(input);
      const about = { tool: request.tool_name, command, risk_level: 'medium', input };
      return asked('permission_request', { ...about, tool_use_id: request.tool_use_id, request_id: requestId });
    }
    if (request.subtype === 'hook_callback') {
      const { callback_id, input, tool_use_id } = request;
      return asked('hook', { hook_id: callback_id, input, tool_use_id });
    }
    const { subtype, ...params } = request;
    return asked(String(subtype), params);
  }

  #takeBack(requestId: string): JsonObject[] {
    for (const [id, { requestId: own, request }] of this.#asked) {
      if (own !== requestId) continue;
      this.#asked.delete(id);
      if (request.subtype !== 'can_use_tool') return [];
      return [this.#notice('permission_resolved', { request_id: requestId, outcome: 'withdrawn', by: 'cli' })];
    }
    return [];
  }

  #token(event: JsonObject): JsonObject[] {
    if (event.type === 'message_start') {
      this.#messageId = String((event.message as JsonObject).id);
      this.#hasStreamed = false;
    }
    const delta = event.delta as JsonObject | undefined;
    if (delta?.type !== 'text_delta') return [];
    this.#hasStreamed = true;
    return [this.#notice('assistant_token', { token: delta.text, message_id: this.#messageId })];
  }

  #spoken(frame: JsonObject): JsonObject[] {
    const { id, content } = frame.message as { id: string; content: JsonObject[] };
    const wasStreamed = this.#hasStreamed && id === this.#messageId;
    return content.flatMap((block) => {
      if (block.type === 'tool_use') {
        const { name, input, id: toolUseId } = block;
        return [this.#notice('tool_use_start', { name, input, tool_use_id: toolUseId, message_id: id })];
      }
      if (block.type !== 'text' || wasStreamed) return [];
      return [this.#notice('assistant_token', { token: block.text, message_id: id })];
    });
  }

  #toolResults(frame: JsonObject): JsonObject[] {
    const { content } = frame.message as JsonObject;
    if (!Array.isArray(content)) return [];
    return content.flatMap((block: JsonObject) => {
      if (block.type !== 'tool_result') return [];
      const { tool_use_id, content: output, is_error: isError } = block;
      return [this.#notice('tool_result', { tool_use_id, content: output, is_error: isError === true })];
    });
  }

  #result(frame: JsonObject): JsonObject[] {
    const cost = Number(frame.total_cost_usd ?? 0) - this.#totalCostUsd;
    this.#totalCostUsd += cost;
    const named = Array.isArray(frame.user_message_uuids) ? (frame.user_message_uuids as string[]) : [];
    const [oldest] = this.#prompts.keys();
    const uuids = named.length > 0 || oldest === undefined ? named : [oldest];
    const isOwn = frame.origin !== undefined;
    const ends = isOwn ? [] : uuids.flatMap((uuid) => this.#end(uuid, { ...this.#outcome(frame), cost_usd: cost }));
    this.#wasInterrupted = false;
    const stop = { stop_reason: frame.stop_reason ?? 'end_turn', is_error: frame.is_error === true };
    return [this.#notice('turn_complete', stop), ...ends];
  }

  #outcome(frame: JsonObject): JsonObject {
    const { usage, result: text, errors, is_error: isError, terminal_reason: reason, subtype } = frame;
    const isAborted = String(reason ?? '').startsWith('aborted_');
    if (isAborted || (this.#wasInterrupted && subtype !== 'success')) return { status: 'interrupted', usage };
    if (isError !== true) return { status: 'completed', usage, text };
    const message = typeof text === 'string' ? text : String((errors as unknown[] | undefined)?.[0] ?? subtype);
    return { status: 'failed', usage, error: { message } };
  }

  #lifecycle(uuid: string, state: unknown): JsonObject[] {
    // A turn that is under way answers by its result.
    return state === 'completed' || state === 'cancelled' ? this.#end(uuid, { status: state }) : [];
  }

  #end(uuid: string, outcome: JsonObject): JsonObject[] {
    const id = this.#prompts.get(uuid);
    if (!this.#prompts.delete(uuid)) return [];
    return [{ jsonrpc: '2.0', id, result: { ...outcome, session_id: this.#sessionId, prompt_id: uuid } }];
  }

  #notice(method: string, params: JsonObject): JsonObject {
    return { jsonrpc: '2.0', method, params: { session_id: this.#sessionId, ...params } };
  }
}

let noticesTaken = 0;

/** What is told without a wish for an answer; the fake answers it within, and nobody hears of it. */
function noticed(params: JsonObject): JsonObject {
  noticesTaken += 1;
  return {
    type: 'control_request',
    request_id: `json-rpc-notice-${noticesTaken}`,
    request: { ...params, subtype: 'mcp_message' },
  };
}

function hooksOf(events: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(events).map(([event, matchers]) => [
      event,
      (matchers as JsonObject[]).map(({ hook_ids: ids, ...matcher }) => ({ ...matcher, hookCallbackIds: ids })),
    ]),
  );
}

function decisionOf(line: JsonObject, request: JsonObject): JsonObject {
  const { decision, updated_input: updated, message, interrupt } = (line.result ?? {}) as JsonObject;
  if (decision === 'allow') return { behavior: 'allow', updatedInput: updated ?? request.input };
  if (decision !== 'deny') return { behavior: decision };
  return { behavior: 'deny', message: message ?? 'Denied.', ...(interrupt === true ? { interrupt: true } : {}) };
}
