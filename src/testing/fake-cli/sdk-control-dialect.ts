import type { FakeDialect } from './fake-dialect.ts';
import type { JsonObject } from './scenario.ts';

/** Only these say something in this write-up; the others of the newer releases it does not know. */
const KNOWN_TYPES: ReadonlySet<string> = new Set(['assistant', 'user', 'control_response', 'control_cancel_request']);
const SYSTEM = ['init', 'status', 'informational', 'permission_denied'];

/** Ids inside `request`, `sdk_control_request`, `permission`, `stream`, and results that count their tokens flat. */
export class SdkControlDialect implements FakeDialect {
  readonly #handshakes = new Set<unknown>();
  readonly #questions = new Map<unknown, unknown>();

  written(frame: JsonObject): JsonObject | undefined {
    switch (frame.type) {
      case 'control_request':
        return this.#request(frame);
      case 'control_response':
        return this.#response(frame);
      case 'stream_event':
        return streamOf(frame);
      case 'result':
        return resultOf(frame);
      case 'system':
        if (!SYSTEM.includes(String(frame.subtype))) return undefined;
        return frame.subtype === 'init' ? { type: 'system', subtype: 'init', session_id: frame.session_id } : frame;
      default:
        return KNOWN_TYPES.has(String(frame.type)) ? frame : undefined;
    }
  }

  read(line: JsonObject): JsonObject {
    if (line.type === 'control_request') return this.#hostRequest(line);
    if (line.type !== 'control_response') return line;
    const response = objectOf(line.response);
    const payload = objectOf(response.response);
    const asked = this.#questions.get(response.request_id);
    const reply = objectOf(payload.mcp_response);
    // Undone, what `written` did to the ids: the fake counts in numbers.
    const message = typeof reply.id === 'string' ? { mcp_response: { ...reply, id: Number(reply.id.slice(4)) } } : {};
    const input = asked !== undefined && payload.behavior === 'allow' ? { updatedInput: asked } : {};
    return { ...line, response: { ...response, response: { ...input, ...payload, ...message } } };
  }

  #hostRequest(line: JsonObject): JsonObject {
    const { request_id: id, sdk_mcp_servers: servers, hooks, ...request } = objectOf(line.request);
    // Who looks for the id inside finds none, and has nobody to answer: whoever asks may spell it otherwise.
    if (id === undefined && request.subtype === 'initialize') return { type: 'keep_alive' };
    if (request.subtype === 'initialize') this.#handshakes.add(id);
    return {
      type: 'control_request',
      ...(id === undefined ? {} : { request_id: id }),
      request: {
        ...request,
        ...(servers === undefined ? {} : { sdkMcpServers: servers }),
        ...(hooks === undefined ? {} : { hooks: hooksOf(objectOf(hooks)) }),
      },
    };
  }

  #request({ request_id: id, request: asked }: JsonObject): JsonObject {
    const request = objectOf(asked);
    if (request.subtype === 'can_use_tool') {
      this.#questions.set(id, request.input);
      const { tool_name, input } = request;
      const question = { subtype: 'permission', request_id: id, tool_name, tool_input: input };
      return { type: 'sdk_control_request', request: question };
    }
    const { subtype, ...rest } = request;
    const message = objectOf(rest.message);
    const body = rest.message === undefined ? rest : { ...rest, message: mcpMessageOf(message) };
    return { type: 'sdk_control_request', request: { subtype, request_id: id, ...body } };
  }

  #response(frame: JsonObject): JsonObject {
    const { subtype, request_id: id, error } = objectOf(frame.response);
    if (subtype === 'success' && this.#handshakes.has(id))
      return { type: 'control_response', response: { subtype, request_id: id } };
    return error === undefined ? frame : { type: 'control_response', response: { subtype, request_id: id, error } };
  }
}

/** Its ids are texts, and its client says nothing of itself. */
function mcpMessageOf(message: JsonObject): JsonObject {
  const id = message.id === undefined ? {} : { id: `msg_${String(message.id)}` };
  return { ...message, ...id, ...(message.method === 'initialize' ? { params: {} } : {}) };
}

function hooksOf(hooks: JsonObject): JsonObject {
  const entriesOf = (entries: unknown) =>
    (Array.isArray(entries) ? entries : []).map(({ hook_callback_ids: ids, hookCallbackIds: _old, ...entry }) => ({
      ...entry,
      hookCallbackIds: ids ?? [],
    }));
  return Object.fromEntries(Object.entries(hooks).map(([event, entries]) => [event, entriesOf(entries)]));
}

function streamOf({ event: told, session_id }: JsonObject): JsonObject | undefined {
  const event = objectOf(told);
  const delta = objectOf(event.delta);
  if (delta.type === 'text_delta') return { type: 'stream', event: 'delta', text: delta.text, session_id };
  const block = objectOf(event.content_block);
  if (block.type !== 'tool_use') return undefined;
  return { type: 'stream', event: 'tool_use_start', id: block.id, name: block.name, session_id };
}

function resultOf(frame: JsonObject): JsonObject {
  const usage = objectOf(frame.usage);
  const { subtype, is_error, result, errors, terminal_reason } = frame;
  const isPlain = subtype === 'success' && is_error === false;
  return {
    type: 'result',
    ...(isPlain ? {} : { subtype, is_error, result, errors, terminal_reason }),
    total_cost_usd: frame.total_cost_usd,
    total_input_tokens: usage.input_tokens,
    total_output_tokens: usage.output_tokens,
    session_id: frame.session_id,
  };
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
