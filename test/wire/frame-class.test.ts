import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';
import type { Decoded } from '../../src/wire/codec.ts';
import { FRAME_RULES, frameOf, requestClass } from '../../src/wire/frame-class.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

const delta = (fields: object) => ({ type: 'stream_event', event: { type: 'content_block_delta', delta: fields } });
const call = (id: string, parent: string | null = null) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name: 'Bash', input: { text: '"type":"tool_use","id":"no"' } }] },
  parent_tool_use_id: parent,
});

describe('the class of a frame', () => {
  it.each([
    ['progress', delta({ type: 'text_delta', text: 'a' })],
    ['liveness', delta({ type: 'text_delta', text: '' })],
    ['liveness', { type: 'stream_event', event: { type: 'ping' } }],
    ['progress', delta({ type: 'text_delta', text: '{"type":"ping"}' })],
    ['progress', { type: 'assistant', message: { content: [{ type: 'text', text: 'a' }] } }],
    ['progress', { type: 'user', message: { content: 'a' } }],
    ['liveness', { type: 'user', isReplay: true, message: { content: 'a' } }],
    ['progress', { type: 'command_lifecycle', state: 'started' }],
    ['liveness', { type: 'command_lifecycle', state: 'queued' }],
    ['liveness', { type: 'system', subtype: 'api_retry' }],
    ['liveness', { type: 'tool_progress', tool_use_id: 'a' }],
    ['progress', { type: 'system', subtype: 'thinking_tokens' }],
    ['noise', { type: 'system', subtype: 'of_tomorrow' }],
    ['noise', { type: 'of_tomorrow' }],
    ['noise', { type: 'keep_alive' }],
  ])('is %s for %j (P5)', (frameClass, line) => {
    expect(frameOf(messageOf(line)).frameClass).toBe(frameClass);
  });

  it('does not parse what is recognised by its first bytes, and finds the call and its agent all the same', () => {
    for (const line of [call('toolu_1'), call('toolu_2', 'toolu_1'), delta({ type: 'text_delta', text: 'a' })]) {
      const message = unparsed(line);
      const frame = frameOf(message);
      const id = line.type === 'assistant' ? JSON.stringify(line).match(/"id":"(toolu_\d)"/)?.[1] : undefined;
      expect(frame.opens).toEqual(id === undefined ? [] : [{ kind: 'tool', id }]);
      expect(frame.parent).toBe(id === 'toolu_2' ? 'toolu_1' : undefined);
    }
  });

  it('finds calls that stand behind other blocks, and the results of calls', () => {
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'toolu_1' },
      { type: 'tool_use', id: 'toolu_2' },
    ];
    expect(frameOf(messageOf({ type: 'assistant', message: { content: blocks } })).opens.map(({ id }) => id)).toEqual([
      'toolu_1',
      'toolu_2',
    ]);
    const results = [{ type: 'tool_result', tool_use_id: 'toolu_1' }];
    expect(frameOf(messageOf({ type: 'user', message: { content: results } })).closes).toEqual([
      { kind: 'tool', id: 'toolu_1' },
    ]);
  });

  it('knows the calls of this program from the handshakes of its servers', () => {
    const request = (method: string) => ({ server_name: 'calc', message: { jsonrpc: '2.0', method } });
    expect(requestClass('mcp_message', request('tools/call'))).toBe('progress');
    expect(requestClass('mcp_message', request('tools/list'))).toBe('liveness');
    expect(requestClass('can_use_tool', {})).toBe('progress');
    expect(requestClass('of_tomorrow', {})).toBe('noise');
  });

  it('has a reason for every row', () => {
    expect(Object.values(FRAME_RULES).filter(({ because }) => because.length === 0)).toEqual([]);
  });
});

function messageOf(line: object): CliMessage {
  const text = JSON.stringify(line);
  const value = JSON.parse(text) as Record<string, unknown>;
  const { type, subtype } = value;
  return new CliMessage(Buffer.from(text), String(type), typeof subtype === 'string' ? subtype : undefined, value);
}

/** As the reader delivers it; asking for its value would fail the test. */
function unparsed(line: object): CliMessage {
  const decoded: Decoded[] = [];
  streamJson.decode(Buffer.from(JSON.stringify(line)), (one) => decoded.push(one));
  const [first] = decoded;
  if (first?.kind !== 'message') throw new Error('It is no message.');
  Object.defineProperty(first.message, 'value', {
    get: () => {
      throw new Error('It was parsed.');
    },
  });
  return first.message;
}
