import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, TroupeError } from '../../../src/errors.ts';
import { streamJson } from '../../../src/wire/stream-json/codec.ts';

const LONE = '\ud83c';

describe('encoding a line', () => {
  it('writes a prompt with its uuid, no session id and no parent (WIRE §11)', () => {
    expect(streamJson.encodePrompt({ uuid: 'u1', content: 'hi' })).toBe(
      '{"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":"","uuid":"u1"}\n',
    );
  });

  it('writes content blocks and a priority as given (WIRE §11)', () => {
    const content = [{ type: 'text', text: 'hi' }];
    const line = JSON.parse(streamJson.encodePrompt({ uuid: 'u1', content, priority: 'now' }));
    expect([line.message.content, line.priority]).toEqual([content, 'now']);
  });

  it('puts the id at the top level of a request and inside an answer (WIRE §1)', () => {
    expect(streamJson.encodeRequest('r1', { subtype: 'set_model', model: 'm' })).toBe(
      '{"type":"control_request","request_id":"r1","request":{"subtype":"set_model","model":"m"}}\n',
    );
    expect(streamJson.encodeSuccess('r1', { a: 1 })).toBe(
      '{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"a":1}}}\n',
    );
    expect(streamJson.encodeError('r1', 'no')).toBe(
      '{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"no"}}\n',
    );
    expect(streamJson.encodeCancel('r1')).toBe('{"type":"control_cancel_request","request_id":"r1"}\n');
  });

  it('leaves the payload out of an answer that has none (WIRE §1)', () => {
    expect(JSON.parse(streamJson.encodeSuccess('r1', undefined)).response).toEqual({
      subtype: 'success',
      request_id: 'r1',
    });
  });

  it('is one line for every reader, also for one that splits on more than the line feed (R10)', () => {
    const content = '\u2028\u2029\u0085\v\f\r\n{"a":"\u2028"}';
    const line = streamJson.encodePrompt({ uuid: 'u1', content });
    expect(line.slice(0, -1)).not.toMatch(/[\u2028\u2029\u0085\v\f\r\n]/);
    expect(JSON.parse(line).message.content).toBe(content);
  });

  it('makes lone surrogates well-formed, nested ones and keys too (R09)', () => {
    const line = streamJson.encodeSuccess(`r${LONE}`, { text: `a${LONE}b`, list: [{ [`k${LONE}`]: LONE }] });
    expect(JSON.parse(line).response).toEqual({
      subtype: 'success',
      request_id: 'r\ufffd',
      response: { text: 'a\ufffdb', list: [{ 'k\ufffd': '\ufffd' }] },
    });
  });

  it.each(['\\ud83c', '\\\\ud83c', '\\\\\\ud83c', '🎭', 'x\u0000\\u0000'])(
    'leaves the well-formed text %j alone (R09)',
    (content) => {
      expect(JSON.parse(streamJson.encodePrompt({ uuid: 'u1', content })).message.content).toBe(content);
      const mixed = JSON.parse(streamJson.encodePrompt({ uuid: 'u1', content: content + LONE })).message.content;
      expect(mixed).toBe(`${content}\ufffd`);
    },
  );

  it('is valid UTF-8 and says the same, for any JSON (R09, R10)', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\\', '"', LONE, '\udfad', '\u2028', '\n', 'ud83c', '漢') });
    const value = fc.oneof(text, fc.jsonValue({ stringUnit: 'binary' }), fc.dictionary(text, text));
    fc.assert(
      fc.property(value, (response) => {
        const line = streamJson.encodeSuccess('r1', { response });
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(Buffer.from(line).toString()).toBe(line);
        expect(JSON.parse(line).response.response).toEqual(wellFormed(JSON.parse(JSON.stringify({ response }))));
      }),
    );
  });

  it('refuses what is no JSON with a code instead of a TypeError', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(codeOf(() => streamJson.encodePrompt({ uuid: 'u1', content: cycle }))).toBe('INVALID_PROMPT');
    expect(codeOf(() => streamJson.encodeSuccess('r1', { count: 1n }))).toBe('INVALID_ANSWER');
    expect(codeOf(() => streamJson.encodeRequest('r1', { subtype: 'x', cycle }))).toBe('INVALID_OPTIONS');
  });
});

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Cs}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)]));
}

function codeOf(action: () => unknown): ErrorCode | undefined {
  try {
    action();
  } catch (error) {
    if (TroupeError.is(error)) return error.code;
    throw error;
  }
  return undefined;
}
