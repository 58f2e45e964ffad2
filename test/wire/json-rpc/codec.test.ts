import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../../src/wire/codec.ts';
import { factOf } from '../../../src/wire/facts.ts';
import { JsonRpcCodec } from '../../../src/wire/json-rpc/codec.ts';

type Json = Readonly<Record<string, unknown>>;

/** The answer of an engine that knows the write-up and nothing more. */
const PLAIN = { protocol_version: '1.0', capabilities: { tools: ['Read', 'Bash'], mcp_servers: 3 } };
const ABLE = {
  protocol_version: '1.0',
  capabilities: {
    ...PLAIN.capabilities,
    hooks: true,
    in_process_tools: true,
    session_options: true,
    updated_input: true,
  },
};

describe('the JSON-RPC dialect of a front end (seed 002)', () => {
  it('greets first, with id 0, a version and capabilities, and reads what the engine has', () => {
    const peer = newPeer();
    expect(peer.greet(PLAIN)).toEqual({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocol_version: '1.0', capabilities: { streaming: true, permissions: true, progress: true } },
    });
    expect(peer.told).toMatchObject([
      { kind: 'control-response', requestId: 'r0', outcome: { ok: true, response: { protocol_version: '1.0' } } },
    ]);
  });

  it('makes one turn of the trace of the write-up, in which no object names its version', () => {
    const peer = newPeer();
    peer.greet(PLAIN, { includePartialMessages: true });
    const { id, method, params } = peer.prompt("What's in README.md?");
    expect([method, params]).toEqual(['user_message', { content: "What's in README.md?", prompt_id: 'uuid-1' }]);

    peer.says(
      { method: 'assistant_token', params: { token: 'Let ' } },
      { method: 'assistant_token', params: { token: 'me.' } },
      { method: 'tool_use_start', params: { name: 'Read', input: { file_path: 'README.md' } } },
      { method: 'tool_result', params: { content: 'A file' } },
      { method: 'assistant_token', params: { token: 'It holds a file.', message_id: 'm2' } },
      { method: 'turn_complete', params: { stop_reason: 'end_turn' } },
      { id, result: { status: 'completed', usage: { input_tokens: 2400, output_tokens: 180 } } },
    );

    expect(peer.shown()).toEqual([
      'init Read,Bash',
      "echo uuid-1 What's in README.md?",
      'event message_start',
      'event content_block_start',
      'piece Let ',
      'piece me.',
      'event content_block_stop',
      'event message_stop',
      'text Let me.',
      'tool Read json-rpc-tool-2',
      'output json-rpc-tool-2 A file',
      'event message_start',
      'event content_block_start',
      'piece It holds a file.',
      'event content_block_stop',
      'event message_stop',
      'text It holds a file.',
      'result success It holds a file.',
    ]);
    expect(peer.facts().at(-1)).toMatchObject({
      type: 'turn.result',
      isError: false,
      promptUuids: ['uuid-1'],
      usage: { inputTokens: 2400, outputTokens: 180 },
    });
  });

  it('keeps the bytes of each line beside what it means (P6)', () => {
    const peer = newPeer();
    peer.greet(PLAIN);
    peer.prompt('hello');
    const line = '{"jsonrpc":"2.0",  "method":"tool_use_start","params":{"name":"Read","input":{"n":1.50}}}';
    peer.codec.decode(Buffer.from(`${line} `), (decoded) => peer.told.push(decoded));
    const messages = peer.messages();
    expect(messages.map(({ type }) => type)).toEqual(['system', 'user', 'assistant']);
    for (const message of messages) expect(message.raw.toString().trim()).toBe(line);
  });

  it.each([
    [
      'failed',
      { status: 'failed', error: { message: 'API Error: 400' } },
      { isError: true, errors: ['API Error: 400'] },
    ],
    ['interrupted', { status: 'interrupted' }, { isError: false, terminalReason: 'aborted_streaming' }],
    ['a word of a newer engine', { status: 'done', text: 'ok' }, { isError: false, text: 'ok' }],
  ])('reads the end of a turn: %s', (_, result, facts) => {
    const peer = newPeer();
    peer.greet(PLAIN);
    const { id } = peer.prompt('hello');
    peer.says({ jsonrpc: '2.0', id, result });
    expect(peer.facts().at(-1)).toMatchObject({ type: 'turn.result', promptUuids: ['uuid-1'], ...facts });
  });

  it('a message that is refused is a failed turn with the reason', () => {
    const peer = newPeer();
    peer.greet(PLAIN);
    const { id } = peer.prompt('hello');
    peer.says({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'No room.' } });
    expect(peer.facts().at(-1)).toMatchObject({ isError: true, errors: ['No room.'] });
  });

  it('asks about a tool under the id of the engine, a number or a text, and answers with decision and scope', () => {
    const peer = newPeer();
    peer.greet(PLAIN);
    peer.prompt('hello');
    const params = { tool: 'Bash', command: 'npm install express', risk_level: 'medium' };
    for (const id of [42, '42']) peer.says({ jsonrpc: '2.0', id, method: 'permission_request', params });
    const asked = peer.told.flatMap((decoded) => (decoded.kind === 'control-request' ? [decoded] : []));
    expect(asked.map(({ request }) => [request['tool_name'], request['input']])).toEqual(
      Array(2).fill(['Bash', { command: 'npm install express' }]),
    );
    const rule = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };
    const allowed = { behavior: 'allow', updatedInput: { command: 'npm install express' }, updatedPermissions: [rule] };
    expect(JSON.parse(peer.codec.encodeSuccess(asked[0]?.requestId ?? '', allowed))).toEqual({
      jsonrpc: '2.0',
      id: 42,
      result: { decision: 'allow', scope: 'session' },
    });
    const denied = { behavior: 'deny', message: 'No.' };
    expect(JSON.parse(peer.codec.encodeSuccess(asked[1]?.requestId ?? '', denied))).toMatchObject({
      id: '42',
      result: { decision: 'deny', scope: 'once', message: 'No.' },
    });
    expect(peer.codec.encodeSuccess(asked[0]?.requestId ?? '', allowed)).toBe('');
  });

  it('never lets a tool run with another input than was allowed (P4)', () => {
    const changed = { behavior: 'allow', updatedInput: { command: 'ls' } };
    const answerOf = (engine: Json) => {
      const peer = newPeer();
      peer.greet(engine);
      peer.says({ jsonrpc: '2.0', id: 1, method: 'permission_request', params: { tool: 'Bash', command: 'rm' } });
      return JSON.parse(peer.codec.encodeSuccess('number-1', changed)).result;
    };
    expect(answerOf(ABLE)).toEqual({ decision: 'allow', scope: 'once', updated_input: { command: 'ls' } });
    expect(answerOf(PLAIN)).toMatchObject({ decision: 'deny' });
  });

  it('tells which options an engine has nothing for; nothing is left out silently', () => {
    const registered = {
      hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'], timeout: 5 }] },
      sdkMcpServers: ['calculator'],
      sessionOptions: { model: 'opus' },
    };
    const plain = newPeer();
    expect(plain.greet(PLAIN, registered)['params']).toMatchObject({
      hooks: { PreToolUse: [{ matcher: 'Bash', hook_ids: ['hook_0'], timeout: 5 }] },
      in_process_servers: ['calculator'],
      options: { model: 'opus' },
    });
    expect(plain.told).toMatchObject([
      { outcome: { ok: true, response: { unsupported_options: ['hooks', 'mcpServers', 'model'] } } },
    ]);
    const able = newPeer();
    able.greet(ABLE, registered);
    expect(able.told).not.toMatchObject([{ outcome: { response: { unsupported_options: [] } } }]);
  });

  it('carries hooks and messages of in-process servers both ways', () => {
    const peer = newPeer();
    peer.greet(ABLE);
    peer.says(
      { jsonrpc: '2.0', id: 1, method: 'hook', params: { hook_id: 'hook_0', input: { a: 1 }, tool_use_id: 't1' } },
      { jsonrpc: '2.0', id: 2, method: 'mcp_message', params: { server_name: 'calculator', message: { id: 0 } } },
    );
    expect(peer.told.slice(-2)).toMatchObject([
      { subtype: 'hook_callback', request: { callback_id: 'hook_0', input: { a: 1 }, tool_use_id: 't1' } },
      { subtype: 'mcp_message', request: { server_name: 'calculator', message: { id: 0 } } },
    ]);
    expect(JSON.parse(peer.codec.encodeSuccess('number-2', { mcp_response: { id: 0 } }))).toMatchObject({
      id: 2,
      result: { mcp_response: { id: 0 } },
    });
    const news = { subtype: 'mcp_message', server_name: 'calculator', message: { method: 'notifications/x' } };
    expect(JSON.parse(peer.codec.encodeRequest('n', news))).toEqual({
      jsonrpc: '2.0',
      method: 'mcp_message',
      params: { server_name: 'calculator', message: { method: 'notifications/x' } },
    });
  });

  it('an interrupt is a call; an engine that has none says so, and what the dialect has no word for is refused here', () => {
    const peer = newPeer();
    peer.greet(PLAIN);
    const { id } = JSON.parse(peer.codec.encodeRequest('i', { subtype: 'interrupt' }));
    peer.says({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
    expect(peer.told.at(-1)).toMatchObject({ outcome: { ok: false, errorCode: 'unsupported_request' } });
    expect(() => peer.codec.encodeRequest('m', { subtype: 'set_model', model: 'x' })).toThrow(
      expect.objectContaining({ code: 'CONTROL_UNSUPPORTED' }),
    );
  });

  it('takes a question back when somebody else has decided', () => {
    const peer = newPeer();
    peer.greet(PLAIN);
    const params = { tool: 'Bash', command: 'ls', request_id: 'q1' };
    peer.says(
      { jsonrpc: '2.0', id: 7, method: 'permission_request', params },
      { jsonrpc: '2.0', method: 'permission_resolved', params: { request_id: 'q1', outcome: 'denied', by: 'bob' } },
    );
    expect(peer.told.at(-1)).toEqual({ kind: 'control-cancel', requestId: 'number-7' });
  });

  it('passes on what is newer, reads batches and what a banner is glued to (P6, R11)', () => {
    const peer = newPeer();
    peer.greet(PLAIN);
    peer.says({ jsonrpc: '2.0', method: 'weather_changed', params: { to: 'rain' } });
    expect(peer.messages().at(-1)).toMatchObject({ type: 'json_rpc', subtype: 'weather_changed' });
    peer.sayText('[{"jsonrpc":"2.0","method":"a","params":{}},7,{"method":"b"}]');
    peer.sayText('(node:1) Warning: old{"jsonrpc":"2.0","method":"c"}');
    expect(peer.messages().map(({ subtype }) => subtype)).toEqual(['weather_changed', 'a', 'b', 'c']);
    expect(peer.told.filter(({ kind }) => kind === 'diagnostic')).toHaveLength(2);
  });

  it('knows a peer that speaks stream-json by its first lines', () => {
    const peer = newPeer();
    peer.codec.encodeRequest('r0', { subtype: 'initialize' });
    peer.sayText('{"type":"system","subtype":"init"}');
    expect(peer.told).toMatchObject([{ kind: 'dialect-mismatch', seen: 'stream-json' }]);
  });

  it('never throws, whatever comes', () => {
    const peer = newPeer();
    peer.greet(ABLE);
    const { id } = peer.prompt('hello');
    const method = fc.constantFrom(
      ...['assistant_token', 'tool_use_start', 'tool_result', 'turn_complete', 'permission_request', 'hook'],
      ...['mcp_message', 'permission_resolved', 'prompt_state', '__proto__', 'x'],
    );
    const params = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom('token', 'message_id', 'name', 'input', 'tool', 'content', 'request_id'),
        fc.jsonValue(),
      ),
    );
    const line = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.record({ jsonrpc: fc.constant('2.0'), method, params }).map((value) => JSON.stringify(value)),
      fc.record({ id: fc.jsonValue(), method, params }).map((value) => JSON.stringify(value)),
      fc.record({ id: fc.constantFrom(0, id, 'x'), result: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      fc.record({ id: fc.constantFrom(0, id, 'x'), error: fc.jsonValue() }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(line, (text) => {
        peer.sayText(text);
        for (const message of peer.messages()) JSON.parse(message.text);
        peer.told.length = 0;
      }),
    );
  });
});

function newPeer() {
  const codec = new JsonRpcCodec();
  const told: Decoded[] = [];
  let prompts = 0;
  const sayText = (text: string) => codec.decode(Buffer.from(text), (decoded) => told.push(decoded));
  const says = (...frames: readonly Json[]) => {
    for (const frame of frames) sayText(JSON.stringify(frame));
  };
  const messages = () => told.flatMap((decoded) => (decoded.kind === 'message' ? [decoded.message] : []));
  return {
    codec,
    told,
    says,
    sayText,
    messages,
    greet: (answer: Json, more: Json = {}): Json => {
      const greeting = JSON.parse(codec.encodeRequest('r0', { subtype: 'initialize', ...more }));
      says({ jsonrpc: '2.0', id: 0, result: answer });
      return greeting;
    },
    prompt: (content: string): { id: number; method: string; params: Json } => {
      prompts += 1;
      return JSON.parse(codec.encodePrompt({ uuid: `uuid-${prompts}`, content }));
    },
    facts: () => messages().flatMap((message) => factOf(message) ?? []),
    shown: () => messages().map((message) => shownMessage(message.value ?? {})),
  };
}

function shownMessage(value: Json): string {
  const message = value['message'] as { content: unknown } | undefined;
  const [block] = Array.isArray(message?.content) ? (message.content as Json[]) : [];
  const event = value['event'] as Json | undefined;
  const delta = event?.['delta'] as Json | undefined;
  if (value['type'] === 'system') return `init ${value['tools']}`;
  if (delta !== undefined) return `piece ${delta['text']}`;
  if (event !== undefined) return `event ${event['type']}`;
  if (value['type'] === 'result') return `result ${value['subtype']} ${value['result']}`;
  if (block?.['type'] === 'text') return `text ${block['text']}`;
  if (block?.['type'] === 'tool_use') return `tool ${block['name']} ${block['id']}`;
  if (block?.['type'] === 'tool_result') return `output ${block['tool_use_id']} ${block['content']}`;
  return `echo ${value['uuid']} ${message?.content}`;
}
