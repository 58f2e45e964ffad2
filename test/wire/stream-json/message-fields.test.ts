import { describe, expect, it } from 'vitest';
import { type KnownMessage, recognize } from '../../../src/wire/stream-json/known-message.ts';

const FROM = { uuid: 'u', session_id: 's' };
const said = (content: unknown, more = {}) => ({
  type: 'assistant',
  message: { id: 'msg_1', role: 'assistant', model: 'm', content, ...more },
  parent_tool_use_id: null,
  ...FROM,
});
const heard = (content: unknown, more = {}) => ({ type: 'user', message: { role: 'user', content }, ...FROM, ...more });
const system = (subtype: string, more = {}) => ({ type: 'system', subtype, ...FROM, ...more });
const result = (more = {}) => ({ type: 'result', subtype: 'success', is_error: false, result: 'ok', ...FROM, ...more });
const limit = (info: Record<string, unknown>) => ({ type: 'rate_limit_event', rate_limit_info: info, ...FROM });
const TOOL_USE = { type: 'tool_use', id: 't1', name: 'Read', input: { path: '/a' } };
const TASK = { task_id: 'a1', tool_use_id: 't1' };

/** Messages as releases send them: each is known, and everything in it is there to be read. */
const KNOWN: readonly [what: string, value: Record<string, unknown>][] = [
  ['a user text', heard('hello')],
  ['user blocks', heard([{ type: 'text', text: 'hello' }])],
  ['a tool result', heard([{ type: 'tool_result', tool_use_id: 't1', content: 'out' }])],
  [
    'a tool result that is an error',
    heard([{ type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true }]),
  ],
  [
    'user blocks of several kinds',
    heard([{ type: 'text', text: 'a' }, TOOL_USE, { type: 'tool_result', tool_use_id: 't' }]),
  ],
  ['a user message of a subagent', heard('x', { parent_tool_use_id: 't1' })],
  ['the structured result beside a tool result', heard([], { tool_use_result: { stdout: 'out', interrupted: false } })],
  ['the origin of a user message', heard('x', { origin: { kind: 'task-notification' } })],
  ['no origin of a user message', heard('x', { origin: undefined })],
  ['an answer', said([{ type: 'text', text: 'hi' }])],
  ['a thought', said([{ type: 'thinking', thinking: 'hm', signature: 'sig' }])],
  ['a tool call', said([{ type: 'text', text: 'a' }, TOOL_USE])],
  [
    'a tool that the server ran',
    said([{ type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }]),
  ],
  ['what such a tool said', said([{ type: 'web_search_tool_result', tool_use_id: 's1', content: [] }])],
  ['the usage of one message', said([], { usage: { input_tokens: 1, output_tokens: 2 }, stop_reason: 'end_turn' })],
  ['no usage and no stop reason', said([], { stop_reason: null })],
  ...['authentication_failed', 'rate_limit', 'unknown', 'zzz_later'].map((error): [string, Record<string, unknown>] => [
    `the error ${error}`,
    { ...said([]), error },
  ]),
  ['a started task', system('task_started', { ...TASK, description: 'job', task_type: 'local_agent' })],
  ['a started task with the least', system('task_started', { task_id: 'a1' })],
  [
    'the progress of a task',
    system('task_progress', { ...TASK, usage: { total_tokens: 1, tool_uses: 2, duration_ms: 3 } }),
  ],
  ['the news of a task', system('task_notification', { ...TASK, status: 'failed', output_file: '/f', summary: 's' })],
  ['an updated task', system('task_updated', { task_id: 'a1', patch: { status: 'killed', end_time: 5 } })],
  ['an updated task without news', system('task_updated', { task_id: 'a1', patch: {} })],
  [
    'a hook that begins',
    system('hook_started', { hook_id: 'h', hook_name: 'PreToolUse:Bash', hook_event: 'PreToolUse' }),
  ],
  [
    'a hook that ends',
    system('hook_response', { hook_id: 'h', hook_name: 'n', hook_event: 'Stop', outcome: 'success' }),
  ],
  ['a reset', { type: 'conversation_reset', new_conversation_id: 'c2', ...FROM }],
  ['a stream event', { type: 'stream_event', event: { type: 'message_start' }, parent_tool_use_id: null, ...FROM }],
  [
    'a warning of a limit',
    limit({ status: 'allowed_warning', rateLimitType: 'five_hour', utilization: 0.9, resetsAt: 5 }),
  ],
  ['a limit that is reached', limit({ status: 'rejected', rateLimitType: 'seven_day', overageStatus: 'rejected' })],
  ['a limit with the least', limit({ status: 'allowed' })],
  [
    'a result with its reasons',
    result({ stop_reason: 'end_turn', terminal_reason: 'completed', api_error_status: null }),
  ],
  ['a result without a stop reason', result({ stop_reason: null })],
  ['the models of a result', result({ modelUsage: { m: { inputTokens: 1, outputTokens: 2, costUSD: 0.1 } } })],
  ['the origin of a result', result({ origin: { kind: 'task-notification', task_id: 'a1' } })],
  ['a call that a result put off', result({ deferred_tool_use: { id: 't1', name: 'Bash', input: {} } })],
  [
    'a failed result',
    { type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['a', 'b'], ...FROM },
  ],
];

describe('a known message (PEER test_message_parser)', () => {
  it.each(KNOWN)('may be %s, and keeps every field', (_, value) => {
    expect(recognize(value)).toEqual({ recognized: true, message: value });
  });

  it.each<[what: string, value: Record<string, unknown>]>([
    ['has no type', { message: {} }],
    ['has a type that is none', { type: 7 }],
    ['is of the model and has no message', { type: 'assistant' }],
    ['is of the user and has no message', { type: 'user', ...FROM }],
    ['has a text in place of blocks', said('a text')],
    ['has a block that is no object', said(['a text'])],
    ['has a text block without a text', said([{ type: 'text' }])],
    ['has an event that is none', { type: 'stream_event', event: 'x' }],
  ])('is not one that %s: it passes as it is, with the reason', (_, value) => {
    expect(recognize(value)).toMatchObject({ recognized: false, reason: expect.stringMatching(/^un/) });
  });

  it('of the system may be read as such, also when its subtype is known', () => {
    const recognition = recognize(system('task_started', { task_id: 'a1' }));
    if (!recognition.recognized) return expect.fail(recognition.reason);
    const message: KnownMessage = recognition.message;
    expect(message.type === 'system' && message.subtype === 'task_started' ? message.task_id : undefined).toBe('a1');
  });
});
