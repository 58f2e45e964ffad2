import { describe, expect, it } from 'vitest';
import type { Codec, Decoded } from '../../../src/wire/codec.ts';
import { createCodec } from '../../../src/wire/create-codec.ts';
import type { DialectOption } from '../../../src/wire/dialect.ts';

/* The lines are those of seed 001, word for word. */
const PERMISSION = {
  type: 'sdk_control_request',
  request: {
    subtype: 'permission',
    request_id: 'perm_1',
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf /tmp/test' },
  },
};
const HANDSHAKE = {
  type: 'sdk_control_request',
  request: {
    subtype: 'mcp_message',
    request_id: 'mcp_0',
    server_name: 'calculator',
    message: { jsonrpc: '2.0', id: 'init_1', method: 'initialize', params: {} },
  },
};
const CONFIRMED = { type: 'control_response', response: { subtype: 'success', request_id: 'req_1' } };

describe.each<DialectOption>(['stream-json-sdk-control', 'auto'])(
  'ids inside `request`, with dialect %s (DIALECTS §2)',
  (dialect) => {
    it('a permission is asked and answered as the write-up says', () => {
      const codec = createCodec(dialect);
      said(codec, CONFIRMED);

      expect(said(codec, PERMISSION)).toMatchObject([
        {
          kind: 'control-request',
          requestId: 'perm_1',
          subtype: 'can_use_tool',
          request: { tool_name: 'Bash', input: { command: 'rm -rf /tmp/test' } },
        },
      ]);
      const allow = codec.encodeSuccess('perm_1', { behavior: 'allow', updatedInput: { command: 'rm -rf /tmp/test' } });
      expect(JSON.parse(allow)).toEqual({
        type: 'control_response',
        response: { subtype: 'success', request_id: 'perm_1', response: { behavior: 'allow' } },
      });
    });

    it('an allow with another input says so, and a deny gives its reason', () => {
      const codec = createCodec(dialect);
      said(codec, PERMISSION);
      const changed = { behavior: 'allow', updatedInput: { command: 'ls' } };
      expect(answerOf(codec.encodeSuccess('perm_1', changed))).toEqual(changed);

      said(codec, PERMISSION);
      const denied = { behavior: 'deny', message: 'Destructive commands are not permitted' };
      expect(answerOf(codec.encodeSuccess('perm_1', denied))).toEqual(denied);
    });

    it('the handshake of a server comes without a word of the client, and its list is told to stay', () => {
      const codec = createCodec(dialect);
      expect(said(codec, HANDSHAKE)).toMatchObject([
        {
          subtype: 'mcp_message',
          request: { message: { id: 'init_1', params: { protocolVersion: '2025-11-25', capabilities: {} } } },
        },
      ]);
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: {} };
      const answer = codec.encodeSuccess('mcp_0', { mcp_response: { jsonrpc: '2.0', id: 'init_1', result } });
      expect(answerOf(answer)).toMatchObject({
        mcp_response: { id: 'init_1', result: { capabilities: { tools: { listChanged: false } } } },
      });
    });

    it.each([
      ['beside the request', { type: 'sdk_control_request', request_id: 'a', request: { subtype: 'x' } }],
      ['in a control_request', { type: 'control_request', request: { subtype: 'x', request_id: 'a' } }],
      ['in an envelope `control`', { type: 'control', subtype: 'x', request_id: 'a' }],
      ['in the request of an envelope', { type: 'control', request: { subtype: 'x', request_id: 'a' } }],
    ])('an id %s is found', (_where, line) => {
      expect(said(createCodec(dialect), line)).toMatchObject([
        { kind: 'control-request', requestId: 'a', subtype: 'x' },
      ]);
    });

    it.each([
      [{ type: 'control', subtype: 'success', request_id: 'a', response: { b: 1 } }],
      [{ type: 'control', response: { subtype: 'success', request_id: 'a', response: { b: 1 } } }],
    ])('an answer in an envelope `control` is one: %j', (line) => {
      expect(said(createCodec(dialect), line)).toMatchObject([
        { kind: 'control-response', requestId: 'a', outcome: { ok: true, response: { b: 1 } } },
      ]);
    });

    it('a result that counts flat and says nothing of its end is a good one, with what was said last', () => {
      const codec = createCodec(dialect);
      said(codec, CONFIRMED);
      said(codec, { type: 'assistant', message: { content: [{ type: 'text', text: 'Paris is...' }] } });
      const line = {
        type: 'result',
        total_cost_usd: 0.001,
        total_input_tokens: 3,
        total_output_tokens: 4,
        session_id: 'abc123',
      };
      const [decoded] = said(codec, line);

      expect(decoded?.kind === 'message' && decoded.message.value).toMatchObject({
        subtype: 'success',
        is_error: false,
        result: 'Paris is...',
        usage: { input_tokens: 3, output_tokens: 4 },
      });
      expect(decoded?.kind === 'message' && JSON.parse(decoded.message.raw.toString())).toEqual(line);
    });

    it('pieces of an answer are pieces of one, which the whole ends', () => {
      const codec = createCodec(dialect);
      const lines = [
        { type: 'stream', event: 'delta', text: 'Pa' },
        { type: 'stream', event: 'delta', text: 'ris' },
        { type: 'stream', event: 'tool_use_start', name: 'Bash', id: 't' },
        { type: 'assistant', message: { content: [{ type: 'text', text: 'Paris' }] } },
      ];
      const values = lines
        .flatMap((line) => said(codec, line))
        .map((one) => one.kind === 'message' && one.message.value);

      expect(
        values.map((value) => value && ((value['event'] as { type: string } | undefined)?.type ?? value['type'])),
      ).toEqual([
        ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
        ...['content_block_start', 'assistant', 'content_block_stop', 'message_stop'],
      ]);
      expect(values[0]).toMatchObject({ event: { message: { id: 'stream-1' } } });
      expect(values[6]).toMatchObject({ message: { id: 'stream-1' } });
    });
  },
);

describe('what the host writes', () => {
  const hooks = { PreToolUse: [{ matcher: '*', hookCallbackIds: ['hook_0'] }] };
  const initialize = { subtype: 'initialize', hooks, sdk_mcp_servers: ['calculator'] };

  it('is spelled as the write-up spells it, once', () => {
    const line = createCodec('stream-json-sdk-control').encodeRequest('req_1', initialize);

    expect(JSON.parse(line)).toEqual({
      type: 'control_request',
      request: {
        subtype: 'initialize',
        request_id: 'req_1',
        hooks: { PreToolUse: [{ matcher: '*', hook_callback_ids: ['hook_0'] }] },
        sdk_mcp_servers: ['calculator'],
      },
    });
  });

  it('is written once, as the real CLI reads it; to a peer that does not answer in both spellings, until it has shown one', () => {
    const codec = createCodec('auto');
    const both = { matcher: '*', hookCallbackIds: ['hook_0'], hook_callback_ids: ['hook_0'] };
    const { sdk_mcp_servers: _names, ...plain } = initialize;
    expect(JSON.parse(codec.encodeRequest('req_1', initialize))).toEqual({
      type: 'control_request',
      request_id: 'req_1',
      request: plain,
    });
    expect(JSON.parse(codec.spellAgain?.() ?? '')).toMatchObject({
      request_id: 'req_1',
      request: { request_id: 'req_1', hooks: { PreToolUse: [both] }, sdk_mcp_servers: ['calculator'] },
    });
    const again = createCodec('auto');
    said(again, {
      type: 'control_response',
      response: { subtype: 'success', request_id: 'r', response: { models: [] } },
    });
    said(codec, PERMISSION);

    expect([again.spellAgain?.(), createCodec('auto').spellAgain?.()]).toEqual([undefined, undefined]);
    expect(JSON.parse(again.encodeRequest('x', { subtype: 'interrupt' }))).toEqual({
      type: 'control_request',
      request_id: 'x',
      request: { subtype: 'interrupt' },
    });
    expect(JSON.parse(codec.encodeRequest('x', { subtype: 'interrupt' }))).toEqual({
      type: 'control_request',
      request: { subtype: 'interrupt', request_id: 'x' },
    });
  });

  it('is not read by a peer that was said to speak stream-json: that is told', () => {
    expect(said(createCodec('stream-json'), PERMISSION)).toMatchObject([
      { kind: 'dialect-mismatch', seen: 'stream-json-sdk-control' },
    ]);
  });
});

function said(codec: Codec, line: object): Decoded[] {
  const decoded: Decoded[] = [];
  codec.decode(Buffer.from(JSON.stringify(line)), (one) => decoded.push(one));
  return decoded;
}

function answerOf(line: string): unknown {
  return JSON.parse(line).response.response;
}
