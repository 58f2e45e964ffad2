import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContentBlock, isKnownBlock } from '../../../src/wire/stream-json/content-block-schemas.ts';
import { type KnownMessage, recognize } from '../../../src/wire/stream-json/known-message.ts';

describe('recognising a message', () => {
  it.each([
    'rate_limit_event',
    'auth_status',
    'prompt_suggestion',
    'tool_use_summary',
    'conversation_reset',
    'keep_alive',
  ])('knows %s with no field but its type (R15)', (type) =>
    expect(recognize({ type })).toEqual({ recognized: true, message: { type } }),
  );

  it.each(['hook_started', 'hook_progress', 'hook_response', 'status', 'init', 'api_retry', 'compact_boundary'])(
    'knows system/%s with no other field (R15)',
    (subtype) => expect(recognize({ type: 'system', subtype }).recognized).toBe(true),
  );

  it('keeps the fields it does not know (P6)', () => {
    const value = { type: 'tool_progress', tool_use_id: 't', later: { a: [1] } };
    expect(recognize(value)).toEqual({ recognized: true, message: value });
  });

  it('says what is unknown: the type or the subtype (R15)', () => {
    expect(reasonOf({ type: 'zzz_new' })).toBe('unknown-type');
    expect(reasonOf({ type: 'system', subtype: 'zzz_new' })).toBe('unknown-subtype');
    expect(reasonOf({ type: 'system' })).toBe('unknown-subtype');
    expect(reasonOf({ type: 'result', subtype: 'error_zzz', is_error: true })).toBe('unknown-subtype');
  });

  it.each(['__proto__', 'constructor', 'toString'])('knows no type or subtype %s', (name) => {
    expect(reasonOf({ type: name })).toBe('unknown-type');
    expect(reasonOf({ type: 'system', subtype: name })).toBe('unknown-subtype');
  });

  it.each([null, 'text', 7, {}, [7], [null], [{ text: 'no type' }], [{ type: 'text', text: 7 }]])(
    'calls an assistant message with the content %j unexpected, not broken (R17)',
    (content) => expect(reasonOf({ type: 'assistant', message: { content } })).toBe('unexpected-shape'),
  );

  it('calls a tool call whose input is no object unexpected (R17)', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'Bash', input: 'str' }];
    expect(reasonOf({ type: 'assistant', message: { content } })).toBe('unexpected-shape');
  });

  it('knows user messages with text and with blocks (R17)', () => {
    const contents = ['text', [{ type: 'tool_result', tool_use_id: 't', content: null }], []];
    for (const content of contents) expect(recognize({ type: 'user', message: { content } }).recognized).toBe(true);
    expect(reasonOf({ type: 'user', message: { content: null } })).toBe('unexpected-shape');
  });

  it('passes kinds of content blocks that were invented later (R15)', () => {
    const blocks = blocksOf({ type: 'assistant', message: { content: [{ type: 'zzz_new', x: 1 }] } });
    expect(blocks).toEqual([{ type: 'zzz_new', x: 1 }]);
  });

  it('tells the known kinds of content blocks apart by their type', () => {
    const blocks = blocksOf({
      type: 'assistant',
      message: { content: [{ type: 'text', text: 'hi' }, { type: 'zzz' }] },
    });
    const texts = blocks.filter(isKnownBlock).map((block) => (block.type === 'text' ? block.text : undefined));
    expect(texts).toEqual(['hi']);
  });

  it('never throws, whatever the fields (P6)', () => {
    const type = fc.constantFrom('assistant', 'user', 'result', 'system', 'stream_event', 'rate_limit_event');
    const message = fc.oneof(fc.jsonValue(), fc.record({ content: fc.jsonValue() }));
    const subtype = fc.oneof(fc.constantFrom('init', 'success', 'task_updated'), fc.jsonValue());
    fc.assert(
      fc.property(fc.record({ type, subtype, message, event: fc.jsonValue() }, { requiredKeys: [] }), (value) => {
        expect(typeof recognize(value).recognized).toBe('boolean');
      }),
    );
  });
});

function reasonOf(value: Record<string, unknown>): string {
  const recognition = recognize(value);
  return recognition.recognized ? 'recognized' : recognition.reason;
}

function blocksOf(value: Record<string, unknown>): readonly ContentBlock[] {
  const recognition = recognize(value);
  if (!recognition.recognized) return expect.fail(recognition.reason);
  const message: KnownMessage = recognition.message;
  return message.type === 'assistant' ? message.message.content : [];
}
