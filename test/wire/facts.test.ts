import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { type Fact, factOf, type ResultFacts } from '../../src/wire/facts.ts';

describe('the facts of a message', () => {
  it('tell from system/init what the turn runs with (WIRE §1)', () => {
    const fact = factIn({
      type: 'system',
      subtype: 'init',
      session_id: 's1',
      model: 'm',
      permissionMode: 'default',
      claude_code_version: '2.1.332',
      capabilities: ['msg_lifecycle_v1', 7],
      tools: ['Bash', null, 'Read'],
      mcp_servers: [{ name: 'calc', status: 'connected' }, { name: 'beta' }, 'garbage', { status: 'failed' }],
    });
    expect(fact).toEqual({
      type: 'turn.opened',
      conversationId: 's1',
      model: 'm',
      permissionMode: 'default',
      cliVersion: '2.1.332',
      capabilities: ['msg_lifecycle_v1'],
      tools: ['Bash', 'Read'],
      mcpServers: [
        { name: 'calc', status: 'connected' },
        { name: 'beta', status: 'unknown' },
      ],
    });
  });

  it('take an empty session id for none (R67)', () => {
    expect(factIn({ type: 'system', subtype: 'init', session_id: '' })).toMatchObject({ conversationId: undefined });
  });

  it.each(['queued', 'started', 'completed', 'cancelled'])('tell that a prompt is %s (WIRE §11)', (state) => {
    const fact = factIn({ type: 'command_lifecycle', command_uuid: 'u1', state, uuid: 'other' });
    expect(fact).toEqual({ type: 'prompt.progressed', uuid: 'u1', state });
  });

  it('call a state of a prompt that was invented later other', () => {
    const fact = factIn({ type: 'command_lifecycle', command_uuid: 'u1', state: 'paused' });
    expect(fact).toEqual({ type: 'prompt.progressed', uuid: 'u1', state: 'other' });
  });

  it.each(['running', 'requires_action', 'idle'])('tell that the session is %s (WIRE §0.7)', (state) => {
    expect(factIn({ type: 'system', subtype: 'session_state_changed', state })).toEqual({
      type: 'activity.changed',
      state,
    });
  });

  it('tell the whole list of background tasks (WIRE §17)', () => {
    const agent = { task_id: 'a', task_type: 'local_agent' };
    const changed = { type: 'system', subtype: 'background_tasks_changed' };
    const tasks = [agent, { task_id: 'b', subagent_type: 'x' }, { task_id: 'c' }, {}, null];
    expect(factIn({ ...changed, tasks })).toEqual({
      type: 'background.changed',
      tasks: [
        { id: 'a', kind: 'local_agent' },
        { id: 'b', kind: 'local_agent' },
        { id: 'c', kind: 'unknown' },
      ],
    });
    expect(factIn({ ...changed, tasks: [] })).toEqual({ type: 'background.changed', tasks: [] });
  });

  it('tell that a task began (WIRE §17)', () => {
    const fact = factIn({ type: 'system', subtype: 'task_started', task_id: 'a', task_type: 'local_bash' });
    expect(fact).toEqual({ type: 'task.started', task: { id: 'a', kind: 'local_bash' } });
    expect(factIn({ type: 'system', subtype: 'task_started' })).toBeUndefined();
  });

  it.each([
    ['completed', true],
    ['failed', true],
    ['killed', false],
    ['stopped', false],
  ])('tell that a task ended as %s, whoever says so first (WIRE §17)', (status, isReporting) => {
    const ended = { type: 'task.ended', id: 'a', isReporting };
    expect(factIn({ type: 'system', subtype: 'task_notification', task_id: 'a', status })).toEqual(ended);
    expect(factIn({ type: 'system', subtype: 'task_updated', task_id: 'a', patch: { status } })).toEqual(ended);
  });

  it.each([{ status: 'running' }, {}, null, 'x'])('take the task update %j for no end', (patch) => {
    expect(factIn({ type: 'system', subtype: 'task_updated', task_id: 'a', patch })).toBeUndefined();
  });

  it('do not take an unreadable list of background tasks for an empty one', () => {
    expect(factIn({ type: 'system', subtype: 'background_tasks_changed', tasks: 'x' })).toBeUndefined();
  });

  it('tell a new permission mode, and nothing of a status without one (WIRE §9)', () => {
    const status = { type: 'system', subtype: 'status', status: null };
    expect(factIn({ ...status, permissionMode: 'plan' })).toEqual({ type: 'permission-mode.changed', mode: 'plan' });
    expect(factIn(status)).toBeUndefined();
  });

  it('tell that the conversation was reset, with the announced id (WIRE §11)', () => {
    const fact = factIn({ type: 'conversation_reset', new_conversation_id: 'n1', session_id: 'old' });
    expect(fact).toEqual({ type: 'conversation.reset', conversationId: 'n1' });
  });

  it('tell how long the API makes the CLI wait (WIRE §13)', () => {
    const fact = factIn({
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 549,
      error_status: null,
      error: 'unknown',
    });
    expect(fact).toEqual({
      type: 'api.retrying',
      attempt: 1,
      maxRetries: 10,
      delayMs: 549,
      status: undefined,
      error: 'unknown',
    });
  });

  it.each(['stream_event', 'assistant', 'tool_progress', 'zzz_new'])('do not parse a %s', (type) => {
    const message = new CliMessage(Buffer.from('{}'), type, undefined);
    Object.defineProperty(message, 'value', { get: () => expect.fail('parsed') });
    expect(factOf(message)).toBeUndefined();
  });

  it('survive any garbage in any field (R17, P6)', () => {
    const names = [
      'uuid',
      'message',
      'usage',
      'modelUsage',
      'origin',
      'errors',
      'tasks',
      'mcp_servers',
      'permission_denials',
    ];
    const fields = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    const type = fc.constantFrom('system', 'user', 'result', 'command_lifecycle', 'conversation_reset');
    const subtype = fc.constantFrom(
      'init',
      'background_tasks_changed',
      'api_retry',
      'task_updated',
      'task_notification',
      '__proto__',
    );
    fc.assert(fc.property(fields, type, subtype, (value, t, s) => void factIn({ ...value, type: t, subtype: s })));
    expect(factOf(new CliMessage(Buffer.from('corrupt'), 'result', undefined))).toMatchObject({ isError: true });
  });
});

describe('the echo of a prompt', () => {
  const plain = { type: 'user', uuid: 'u1', parent_tool_use_id: null, message: { role: 'user', content: 'hi' } };
  const echoed = { type: 'prompt.echoed', uuid: 'u1' };

  it('is known by its flag (WIRE §11)', () => {
    expect(factIn({ ...plain, isReplay: true })).toEqual(echoed);
  });

  it('is known without the flag, as 1.0.128 sends it (WIRE §11)', () => {
    expect(factIn(plain)).toEqual(echoed);
    expect(factIn({ ...plain, message: { content: [{ type: 'text', text: 'hi' }] } })).toEqual(echoed);
  });

  it('is not a tool result, nor the prompt of a subagent, nor a summary', () => {
    expect(factIn({ ...plain, message: { content: [{ type: 'tool_result', tool_use_id: 't' }] } })).toBeUndefined();
    expect(factIn({ ...plain, parent_tool_use_id: 't' })).toBeUndefined();
    expect(factIn({ ...plain, isReplay: false })).toBeUndefined();
  });

  it('is nothing without a uuid or content', () => {
    expect(factIn({ ...plain, uuid: undefined, isReplay: true })).toBeUndefined();
    expect(factIn({ ...plain, message: null })).toBeUndefined();
  });
});

describe('the facts of a result', () => {
  it('hold everything the CLI tells about the end of a turn (WIRE §0.5, §11)', () => {
    const facts = resultIn({
      subtype: 'success',
      is_error: true,
      result: 'API Error: 400',
      terminal_reason: 'api_error',
      api_error_status: 400,
      user_message_uuid: 'a',
      user_message_uuids: ['a', 'b'],
      origin: { kind: 'task-notification', producer: 'session-task' },
      session_id: 's1',
      total_cost_usd: 0.5,
      usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
      modelUsage: {
        m: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4, costUSD: 5 },
      },
      num_turns: 2,
      duration_ms: 176,
      permission_denials: [{}, {}],
      structured_output: { a: 1 },
    });
    expect(facts).toEqual({
      type: 'turn.result',
      subtype: 'success',
      isError: true,
      text: 'API Error: 400',
      errors: [],
      terminalReason: 'api_error',
      apiErrorStatus: 400,
      promptUuids: ['a', 'b'],
      origin: 'task-notification',
      conversationId: 's1',
      totalCostUsd: 0.5,
      usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 3, cacheCreationTokens: 4 },
      modelUsage: { m: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4, costUsd: 5 } },
      turns: 2,
      durationMs: 176,
      permissionDenials: 2,
      structuredOutput: { a: 1 },
    });
  });

  it('leave unknown what is not told, and never make it 0', () => {
    const facts = resultIn({ subtype: 'success', is_error: false, usage: { input_tokens: 1 } });
    expect(facts).toMatchObject({ totalCostUsd: undefined, modelUsage: undefined, turns: undefined, promptUuids: [] });
    expect(facts.usage).toEqual({
      inputTokens: 1,
      outputTokens: undefined,
      cacheReadTokens: undefined,
      cacheCreationTokens: undefined,
    });
  });

  it('believe is_error, and the subtype only where it is missing (WIRE §0.5)', () => {
    expect(resultIn({ subtype: 'success', is_error: true }).isError).toBe(true);
    expect(resultIn({ subtype: 'error_during_execution', is_error: false }).isError).toBe(false);
    expect(resultIn({ subtype: 'error_max_turns' }).isError).toBe(true);
    expect(resultIn({}).subtype).toBe('unknown');
  });

  it('keep a model of any name', () => {
    const line = '{"type":"result","modelUsage":{"__proto__":{"inputTokens":1}}}';
    const fact = factOf(new CliMessage(Buffer.from(line), 'result', undefined));
    expect(fact?.type === 'turn.result' && Object.keys(fact.modelUsage ?? {})).toEqual(['__proto__']);
  });
});

describe('a limit of the account', () => {
  it('is told by its window, with the reset in milliseconds, and unknown stays unknown (R86)', () => {
    const info = { status: 'rejected', rateLimitType: 'five_hour', resetsAt: 1_800_000_000, utilization: 1 };
    expect(factIn({ type: 'rate_limit_event', rate_limit_info: info })).toEqual({
      type: 'rate-limit.told',
      limit: {
        window: 'five_hour',
        status: 'rejected',
        resetsAt: 1_800_000_000_000,
        utilization: 1,
        isUsingOverage: undefined,
      },
    });
    expect(factIn({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } })).toMatchObject({
      limit: { window: 'unknown', resetsAt: undefined, utilization: undefined },
    });
  });

  it.each([{}, { rate_limit_info: null }, { rate_limit_info: { status: 7 } }])('is none without a status: %j', (it) => {
    expect(factIn({ type: 'rate_limit_event', ...it })).toBeUndefined();
  });
});

it('a result tells what it adds by model, from 2.1.312 on (R84)', () => {
  const opus = { inputTokens: 10, outputTokens: 20, costUSD: 0.5 };
  expect(resultIn({ model_usage_since_last_result: { opus } }).modelUsageAdded).toMatchObject({
    opus: { inputTokens: 10, outputTokens: 20, costUsd: 0.5, cacheReadTokens: undefined },
  });
  expect(resultIn({}).modelUsageAdded).toBeUndefined();
});

function factIn(value: Record<string, unknown>): Fact | undefined {
  const { type, subtype } = value;
  const message = new CliMessage(
    Buffer.from(JSON.stringify(value)),
    String(type),
    typeof subtype === 'string' ? subtype : undefined,
  );
  return factOf(message);
}

function resultIn(value: Record<string, unknown>): ResultFacts {
  const fact = factIn({ type: 'result', ...value });
  if (fact?.type !== 'turn.result') return expect.fail('no result');
  return fact;
}
