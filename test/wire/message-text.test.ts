import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { isResult, textDeltaOf, textOf, toolUsesOf } from '../../src/wire/message-text.ts';

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
    }),
  );
});

function messageOf(value: { type: string } & Record<string, unknown>): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), value.type, undefined);
}

function deltaOf(delta: Record<string, unknown>): CliMessage {
  return messageOf({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta } });
}
