import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CliMessage } from '../../../src/wire/cli-message.ts';
import type { Decoded } from '../../../src/wire/codec.ts';
import { streamJson } from '../../../src/wire/stream-json/codec.ts';
import { runs } from '../../fixed-chance.ts';

describe('decoding a conversation line', () => {
  it.each(['stream_event', 'assistant', 'tool_progress'])('delivers a %s without parsing it', (type) => {
    // Only a line that is never parsed passes although it is no JSON.
    const line = `{"type":"${type}",not parsed}`;
    const message = messageOf(line);
    expect([message.type, message.text, message.value]).toEqual([type, line, undefined]);
  });

  it.each(['assistant_new', 'stream_event2'])('does not take %s for the shorter type it begins with', (type) => {
    expect(messageOf(`{"type":"${type}"}`).type).toBe(type);
  });

  it('finds the type wherever it stands, for key order is not stable (WIRE §10)', () => {
    const message = messageOf('{"is_error":false,"subtype":"success","type":"result"}');
    expect([message.type, message.subtype]).toEqual(['result', 'success']);
    expect(messageOf('{ "type" : "assistant" }').type).toBe('assistant');
  });

  it('reports a frequent type that was cut as corrupt (R13)', () => {
    expect(decode('{"type":"assistant","mess')).toEqual([
      { kind: 'diagnostic', reason: 'corrupt', sample: '{"type":"assistant","mess', bytes: 25 },
    ]);
  });

  it('passes on types it does not know (R15, P6)', () => {
    expect(messageOf('{"type":"zzz_new","x":1}').value).toEqual({ type: 'zzz_new', x: 1 });
  });

  it('tells a keep_alive apart', () => {
    expect(decode('{"type":"keep_alive"}')).toEqual([{ kind: 'keep-alive' }]);
  });
});

describe('decoding a line that is no message', () => {
  it.each(['', ' ', '\t \r', '\ufeff', '\ufeff \ufeff'])('ignores the blank line %j (R11)', (line) => {
    expect(decode(line)).toEqual([]);
  });

  it('reads the first frame behind a byte order mark and white space, and keeps only the frame (R11)', () => {
    expect(messageOf('\ufeff  {"type":"result"} \r').text).toBe('{"type":"result"}');
  });

  it.each(['[SandboxDebug] x', 'null', '42', '[]', '[{"type":"result"}]', '"{\\"type\\":1}"', 'true'])(
    'calls %s foreign (R11)',
    (line) => expect(reasonsOf(line)).toEqual(['foreign']),
  );

  it.each(['{', '{not json', '{"type":"result"', '{"type":"result"}}', '{"type":"result"}{"type":"result"}'])(
    'calls %s corrupt (R11)',
    (line) => expect(reasonsOf(line)).toEqual(['corrupt']),
  );

  it.each(['{}', '{"type":1}', '{"type":null}', '{"kind":"x"}'])('calls %s untyped (R11)', (line) => {
    expect(reasonsOf(line)).toEqual(['untyped']);
  });

  it('finds the frame that is glued to a banner (R11)', () => {
    const frame = '{"type":"result","text":"{\\"type\\":1}"}';
    const [banner, message] = decode(`SandboxDEB {"a":{"b":1}} ${frame}`);
    expect(banner).toEqual({ kind: 'diagnostic', reason: 'foreign', sample: 'SandboxDEB {"a":{"b":1}} ', bytes: 25 });
    expect(message?.kind === 'message' && message.message.text).toBe(frame);
  });

  it('finds a control frame that is glued to a banner (R11)', () => {
    const decoded = decode('warning: x{"type":"control_cancel_request","request_id":"a"}');
    expect(decoded.map((item) => item.kind)).toEqual(['diagnostic', 'control-cancel']);
  });

  it('gives up on a banner with too many places where a frame could begin (P9)', () => {
    expect(reasonsOf(`${'{"'.repeat(40).slice(1)}{"type":"result"}`)).toEqual(['foreign']);
  });

  it('shows at most 512 characters of it, none of them halved (P9)', () => {
    const [decoded] = decode(`x${'🎭'.repeat(1_000)}`);
    if (decoded?.kind !== 'diagnostic') return expect.fail('no diagnostic');
    expect(decoded.sample).toBe(`x${'🎭'.repeat(255)}\ufffd`);
    expect(decoded.bytes).toBe(4_001);
  });

  it('never throws, whatever the bytes (P6)', () => {
    const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    const almost = fc
      .tuple(fc.constantFrom('{"type":"', '{"', '\ufeff', 'x{"type":"a"', '{"type":"control_request",'), noise)
      .map(([start, rest]) => Buffer.concat([Buffer.from(start), rest, Buffer.from('}')]));
    fc.assert(
      fc.property(fc.oneof(noise, almost), (line) => {
        for (const item of decode(line)) if (item.kind === 'message') expect(item.message.view).toBeDefined();
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('decoding a control line', () => {
  it('reads a request: its id at the top level, the rest inside (WIRE §1)', () => {
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { a: [1] }, later: true };
    const line = JSON.stringify({ type: 'control_request', request_id: 'r1', request });
    expect(decode(line)).toEqual([{ kind: 'control-request', requestId: 'r1', subtype: 'can_use_tool', request }]);
  });

  it('delivers a request without a subtype, for it wants an answer like an unknown one (WIRE §9)', () => {
    expect(decode('{"type":"control_request","request_id":"r1","request":{}}')).toEqual([
      { kind: 'control-request', requestId: 'r1', subtype: '', request: {} },
    ]);
  });

  it('reads an answer with and without payload, and what stands beside it (WIRE §1)', () => {
    const beside = { pending_permission_requests: [{ request_id: 'p' }], pending_user_dialog_requests: [] };
    expect(answer({ subtype: 'success', request_id: 'r1', response: { pid: 1 }, ...beside })).toEqual([
      { kind: 'control-response', requestId: 'r1', outcome: { ok: true, response: { pid: 1 }, beside } },
    ]);
    expect(answer({ subtype: 'success', request_id: 'r1' })).toEqual([
      { kind: 'control-response', requestId: 'r1', outcome: { ok: true, response: {}, beside: {} } },
    ]);
  });

  it('keeps a payload that is no object beside the answer (P6)', () => {
    const [decoded] = answer({ subtype: 'success', request_id: 'r1', response: [7] });
    expect(decoded).toMatchObject({ outcome: { ok: true, response: {}, beside: { response: [7] } } });
  });

  it('reads an error with and without a code, also when its text is none', () => {
    const outcomes = [{ error: 'no', error_code: 'invalid_mode' }, { error: 'no' }, { error: { a: 1 } }, {}].map(
      (fields) => {
        const [decoded] = answer({ subtype: 'error', request_id: 'r1', ...fields });
        return decoded?.kind === 'control-response' ? decoded.outcome : decoded;
      },
    );
    expect(outcomes).toEqual([
      { ok: false, error: 'no', errorCode: 'invalid_mode' },
      { ok: false, error: 'no', errorCode: undefined },
      { ok: false, error: '{"a":1}', errorCode: undefined },
      { ok: false, error: 'null', errorCode: undefined },
    ]);
  });

  it('reads our own answer when it is echoed (WIRE §25.27)', () => {
    const [decoded] = decode(Buffer.from(streamJson.encodeSuccess('p1', { behavior: 'allow', updatedInput: {} })));
    expect(decoded).toMatchObject({ kind: 'control-response', requestId: 'p1' });
  });

  it.each([
    '{"type":"control_request","request":{"subtype":"interrupt"}}',
    '{"type":"control_request","request_id":7,"request":{"subtype":"interrupt"}}',
    '{"type":"control_request","request_id":"r1"}',
    '{"type":"control_request","request_id":"r1","request":[]}',
    '{"type":"control_response","request_id":"r1","response":{"subtype":"success"}}',
    '{"type":"control_response","request_id":"r1","response":{"behavior":"allow"}}',
    '{"type":"control_response","response":{"subtype":"maybe","request_id":"r1"}}',
    '{"type":"control_response"}',
    '{"type":"control_cancel_request"}',
  ])('calls %s malformed (WIRE §1)', (line) => {
    expect(reasonsOf(line)).toEqual(['malformed-control']);
  });

  it('passes on a control type that was invented later as a message (P6)', () => {
    expect(messageOf('{"type":"control_zzz"}').type).toBe('control_zzz');
  });
});

function decode(line: string | Buffer): Decoded[] {
  const decoded: Decoded[] = [];
  streamJson.decode(Buffer.from(line), (item) => decoded.push(item));
  return decoded;
}

function messageOf(line: string): CliMessage {
  const [decoded, ...others] = decode(line);
  if (decoded?.kind !== 'message' || others.length > 0) return expect.fail(JSON.stringify([decoded, ...others]));
  return decoded.message;
}

function reasonsOf(line: string): string[] {
  return decode(line).map((item) => (item.kind === 'diagnostic' ? item.reason : item.kind));
}

function answer(response: Record<string, unknown>): Decoded[] {
  return decode(JSON.stringify({ type: 'control_response', response }));
}
