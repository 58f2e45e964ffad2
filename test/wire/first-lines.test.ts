import { describe, expect, it } from 'vitest';
import type { Codec, Decoded } from '../../src/wire/codec.ts';
import { createCodec } from '../../src/wire/create-codec.ts';

const ANSWER = { type: 'control_response', response: { subtype: 'success', request_id: '1', response: {} } };

describe('the first lines of a process', () => {
  it.each([
    ['json-rpc', { jsonrpc: '2.0', method: 'assistant_token', params: { token: 'a' } }],
    ['print', { type: 'system', subtype: 'permission_request', tool: 'Write', params: {} }],
    ['print', { type: 'system', subtype: 'hook_execution', hook: 'Stop' }],
    ['print', { type: 'result', subtype: 'max_turns_reached', session_id: 's' }],
  ])('show %s, which is not what it was started as: told with the option to set', (seen, line) => {
    expect(decodedBy(createCodec(), line)).toEqual([{ kind: 'dialect-mismatch', seen, sample: JSON.stringify(line) }]);
  });

  it('are looked at only until the peer has shown that it speaks the protocol', () => {
    const codec = createCodec();
    const stray = { jsonrpc: '2.0', method: 'a line of a tool that fell into stdout' };
    decodedBy(codec, ANSWER);

    expect(decodedBy(codec, stray)).toMatchObject([{ kind: 'diagnostic', reason: 'untyped' }]);
  });
});

function decodedBy(codec: Codec, line: object): Decoded[] {
  const decoded: Decoded[] = [];
  codec.decode(Buffer.from(JSON.stringify(line)), (one) => decoded.push(one));
  return decoded;
}
