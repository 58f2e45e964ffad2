import type { FakeDialect } from './fake-dialect.ts';
import type { JsonObject } from './scenario.ts';

/** No control channel: whoever answers these hears nothing of them here. */
const UNKNOWN = ['control_request', 'control_response', 'control_cancel_request', 'command_lifecycle'];
const SYSTEM = ['init', 'permission_request', 'hook_execution', 'error', 'status', 'permission_denied'];

/** Lines of one prompt: results by other names, tokens flat. */
export class PrintDialect implements FakeDialect {
  written(frame: JsonObject): JsonObject | undefined {
    const timestamp = new Date().toISOString();
    if (UNKNOWN.includes(String(frame.type))) return undefined;
    if (frame.type === 'result') return resultOf(frame, timestamp);
    if (frame.type !== 'system') return frame;
    if (!SYSTEM.includes(String(frame.subtype))) return undefined;
    if (frame.subtype !== 'init') return frame;
    const tools = (Array.isArray(frame.tools) ? frame.tools : []).map((name) => ({ name }));
    const { session_id, model } = frame;
    return { type: 'system', subtype: 'init', session_id, model, tools, timestamp };
  }

  read(line: JsonObject): JsonObject {
    return line;
  }
}

function resultOf(frame: JsonObject, timestamp: string): JsonObject {
  const { session_id, num_turns, total_cost_usd } = frame;
  const usage = (frame.usage ?? {}) as JsonObject;
  const about = { type: 'result', session_id, num_turns, total_cost_usd };
  const counts = {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_tokens: usage.cache_creation_input_tokens,
    cache_read_tokens: usage.cache_read_input_tokens,
  };
  if (frame.is_error !== true) return { ...about, subtype: 'success', ...counts, timestamp };
  if (String(frame.terminal_reason).startsWith('aborted_'))
    return { ...about, subtype: 'user_cancelled', ...counts, timestamp };
  const message = typeof frame.result === 'string' ? frame.result : 'The task failed.';
  const error = { type: 'api_error', message, details: { status: frame.api_error_status } };
  return { ...about, subtype: 'error', ...counts, error, timestamp };
}
