import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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

  it('knows every kind of message that the official SDK has a type for (R15)', () => {
    const types = readFileSync(
      join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk')), 'sdk.d.ts'),
      'utf8',
    );
    const [, union = ''] = /export declare type SDKMessage = ([^;]+);/.exec(types) ?? [];
    const names = union.split('|').map((name) => name.trim());
    const kinds = names.flatMap((name) => kindsOf(name, types));

    expect(names.length).toBeGreaterThanOrEqual(40);
    expect(kinds.length).toBeGreaterThanOrEqual(names.length);
    for (const kind of kinds) expect(reasonOf(kind), JSON.stringify(kind)).not.toMatch(/unknown/);
  });

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

/** The `type` and `subtype` of every message that the declaration `name` stands for, read from the text of the types. */
function kindsOf(name: string, types: string): readonly Record<string, unknown>[] {
  const [, body = ''] =
    new RegExp(`export declare type ${name} = ([^]*?)\\n(?=\\n|export |declare |/\\*\\*)`).exec(`${types}\n\n`) ?? [];
  if (!body.startsWith('{')) return (body.match(/\bSDK\w+/g) ?? []).flatMap((part) => kindsOf(part, types));
  const [, type] = /^ {4}type: '([^']+)'/m.exec(body) ?? [];
  const subtypes = [...(/^ {4}subtype: ([^;]+)/m.exec(body)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
    ([, value]) => value,
  );
  return subtypes.length === 0 ? [{ type }] : subtypes.map((subtype) => ({ type, subtype }));
}
