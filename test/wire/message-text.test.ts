import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';
import {
  isErrorMessage,
  isResult,
  textDeltaOf,
  textOf,
  thinkingOf,
  toolResultsOf,
  toolUsesOf,
} from '../../src/wire/message-text.ts';
import { subagentOf } from '../../src/wire/subagent.ts';

describe('the text of a message', () => {
  it('is that of its text blocks, and of no others', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'x' },
      { type: 'text', text: 'b' },
    ];
    expect(textOf(messageOf({ type: 'assistant', message: { content } }))).toBe('ab');
  });

  it('is plain content, the result of a result, and the piece in a stream event', () => {
    expect(textOf(messageOf({ type: 'user', message: { content: 'hi' } }))).toBe('hi');
    expect(textOf(messageOf({ type: 'result', result: 'done' }))).toBe('done');
    expect(textOf(deltaOf({ type: 'text_delta', text: 'w0 ' }))).toBe('w0 ');
  });

  it.each([null, 7, [7, null, { type: 'text' }, { type: 'text', text: 'ok' }], undefined])(
    'is what can be read of the content %j (R17)',
    (content) => {
      expect(textOf(messageOf({ type: 'assistant', message: { content } }))).toBe(Array.isArray(content) ? 'ok' : '');
    },
  );
});

describe('the text delta of a stream event', () => {
  it('is undefined for other events and other messages', () => {
    expect(textDeltaOf(deltaOf({ type: 'input_json_delta', partial_json: '"text_delta"' }))).toBeUndefined();
    expect(textDeltaOf(messageOf({ type: 'stream_event', event: { type: 'message_stop' } }))).toBeUndefined();
    expect(textDeltaOf(deltaOf({ type: 'zzz_delta', text: 'x', like: 'text_delta' }))).toBeUndefined();
    expect(
      textDeltaOf(messageOf({ type: 'assistant', event: { delta: { type: 'text_delta', text: 'x' } } })),
    ).toBeUndefined();
  });

  it('is not looked for with the parser where the bytes show that there is none', () => {
    const message = deltaOf({ type: 'thinking_delta', thinking: 'x' });
    Object.defineProperty(message, 'value', { get: () => expect.fail('parsed') });
    expect(textDeltaOf(message)).toBeUndefined();
  });

  it('may be empty', () => {
    expect(textDeltaOf(deltaOf({ type: 'text_delta', text: '' }))).toBe('');
  });
});

describe('the tool uses of a message', () => {
  it('are listed in order with their input, the malformed ones left out (R17)', () => {
    const good = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } };
    const content = [good, { type: 'tool_use', id: 't2' }, 7, { ...good, id: 't3', input: 'str' }, { type: 'text' }];
    expect(toolUsesOf(messageOf({ type: 'assistant', message: { content } }))).toEqual([
      { id: 't1', name: 'Bash', input: { command: 'ls' } },
      { id: 't3', name: 'Bash', input: 'str' },
    ]);
  });

  it('are none in a message that is not of the model', () => {
    const content = [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }];
    expect(toolUsesOf(messageOf({ type: 'user', message: { content } }))).toEqual([]);
  });
});

describe('what the model thought', () => {
  it('is read from its thinking blocks, and only from its own messages', () => {
    const content = [
      { type: 'thinking', thinking: 'hm ' },
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'so' },
      { type: 'thinking' },
    ];
    expect(thinkingOf(messageOf({ type: 'assistant', message: { content } }))).toBe('hm so');
    expect(thinkingOf(messageOf({ type: 'user', message: { content } }))).toBe('');
  });
});

describe('the tool results of a message', () => {
  it('are listed with their text, whether they are a text or blocks (R17)', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 't1', content: 'done' },
      {
        type: 'tool_result',
        tool_use_id: 't2',
        content: [{ type: 'text', text: 'no' }, { type: 'image' }],
        is_error: true,
      },
      { type: 'tool_result', tool_use_id: 't3' },
      { type: 'tool_result', content: 'nobody asked' },
    ];
    const results = toolResultsOf(messageOf({ type: 'user', message: { content } }));

    expect(results.map(({ toolUseId, text, isError }) => [toolUseId, text, isError])).toEqual([
      ['t1', 'done', false],
      ['t2', 'no', true],
      ['t3', '', false],
    ]);
    expect(toolResultsOf(messageOf({ type: 'assistant', message: { content } }))).toEqual([]);
  });
});

describe('a message that tells an error', () => {
  it.each([
    [{ type: 'result', subtype: 'success', is_error: true }, true],
    [{ type: 'result', subtype: 'success', is_error: false }, false],
    [{ type: 'result', subtype: 'error_max_turns', is_error: false }, true],
    [{ type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }, false],
    [{ type: 'assistant', error: 'rate_limit', message: { content: [] } }, true],
    [{ type: 'assistant', message: { content: [] } }, false],
    [{ type: 'user', error: 'x' }, false],
  ])('is known by is_error, not by its subtype, and an interrupt is none (P3, WIRE §0.5): %j', (value, expected) => {
    expect(isErrorMessage(messageOf(value))).toBe(expected);
    expect(isErrorMessage(value)).toBe(expected);
  });
});

describe('the subagent of a message', () => {
  it('is known by the Task call that started it (WIRE §17)', () => {
    const message = messageOf({
      type: 'assistant',
      parent_tool_use_id: 'toolu_1',
      agent_id: 'a1',
      subagent_type: 'Plan',
    });
    const known = { toolUseId: 'toolu_1', agentId: 'a1', type: 'Plan', description: undefined };

    expect(subagentOf(message)).toEqual(known);
    expect(subagentOf({ type: 'assistant', parent_tool_use_id: null })).toBeUndefined();
    expect(subagentOf({ type: 'result' })).toBeUndefined();
  });
});

it('the helpers read the messages of a query as they read those of a session', () => {
  const content = [
    { type: 'text', text: 'hi' },
    { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
  ];
  const message = { type: 'assistant', message: { content } };

  expect([textOf(message), toolUsesOf(message).length, isResult(message)]).toEqual(['hi', 1, false]);
  expect(textDeltaOf({ type: 'stream_event', event: { delta: { type: 'text_delta', text: 'x' } } })).toBe('x');
});

it('a result is known by its type', () => {
  expect([isResult(messageOf({ type: 'result' })), isResult(messageOf({ type: 'assistant' }))]).toEqual([true, false]);
});

it('reading a message never throws, whatever it holds (R17)', () => {
  const type = fc.constantFrom('assistant', 'user', 'result', 'stream_event', 'system');
  const value = fc.record({ type, message: fc.jsonValue(), event: fc.jsonValue(), result: fc.jsonValue() });
  fc.assert(
    fc.property(value, (garbage) => {
      const message = messageOf(garbage);
      expect(typeof textOf(message)).toBe('string');
      expect(Array.isArray(toolUsesOf(message))).toBe(true);
      expect(Array.isArray(toolResultsOf(message))).toBe(true);
      expect(typeof isErrorMessage(message)).toBe('boolean');
    }),
  );
});

function messageOf(value: { type: string } & Record<string, unknown>): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), value.type, undefined);
}

function deltaOf(delta: Record<string, unknown>): CliMessage {
  return messageOf({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta } });
}
