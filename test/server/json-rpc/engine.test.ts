import { describe, expect, it } from 'vitest';
import { EXTENSIONS } from '../../../src/server/json-rpc/handshake.ts';
import { type MemoryCli, sendPrompt, until } from '../../session/memory-cli.ts';
import { engineStage, type Json } from './front-end.ts';

describe('a front end of the JSON-RPC dialect', () => {
  it('agrees on a version and on what it is told, before anything else (DIALECTS §3)', async () => {
    const { connect } = await engineStage();
    const frontEnd = connect();
    expect(await frontEnd.call('user_message', { content: 'hello' })).toMatchObject({
      error: { code: -32_602, data: { code: 'REQUEST_INVALID' } },
    });

    const hello = { protocol_version: '1.0', capabilities: { streaming: true, permissions: true, progress: true } };
    frontEnd.say({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
    await until(() => frontEnd.received.length === 2);
    expect(frontEnd.received[1]).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocol_version: '1.0',
        capabilities: { tools: [], mcp_servers: 0, ...hello.capabilities, messages: false, ...EXTENSIONS },
        role: 'controller',
        scopes: ['read', 'answer', 'control'],
      },
    });
    expect(await frontEnd.call('initialize', hello)).toMatchObject({ error: { data: { code: 'REQUEST_INVALID' } } });
  });

  it('is met at its version: an older one hears only the ends of its turns, a newer one what is known here', async () => {
    const { connect, cli } = await engineStage();
    const older = connect('older', undefined, 'review');
    expect(await older.call('initialize', { protocol_version: '0.9' })).toMatchObject({
      result: { protocol_version: '0.9', capabilities: { streaming: false, permissions: false, progress: false } },
    });
    expect(await connect('newer').call('initialize', { protocol_version: '2.3' })).toMatchObject({
      result: { protocol_version: '1.0', capabilities: { streaming: true, permissions: true, progress: true } },
    });
    expect(await connect().call('initialize', { protocol_version: 'latest' })).toMatchObject({
      error: { data: { code: 'REQUEST_INVALID', details: { field: 'params.protocol_version' } } },
    });

    const done = older.call('user_message', { content: 'work' });
    await workedOn(cli());
    expect(await done).toMatchObject({ result: { status: 'completed' } });
    expect(older.received.filter((frame) => 'method' in frame)).toEqual([]);
  });

  it('learns which tools there are, of a session that has worked before (DIALECTS §3)', async () => {
    const { join, cli, session } = await engineStage();
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    cli().say({
      type: 'system',
      subtype: 'init',
      tools: ['Read', 'Bash'],
      mcp_servers: [{ name: 'calc', status: 'x' }],
    });
    cli().endTurn();
    await turn.result;
    expect((await join()).received[0]).toMatchObject({
      result: { session_id: 'review', capabilities: { tools: ['Read', 'Bash'], mcp_servers: 1 } },
    });
  });

  it('sends a message, hears every token, tool and end in order, and has its result last (DIALECTS §3)', async () => {
    const { join, cli } = await engineStage();
    const frontEnd = await join();
    const done = frontEnd.call('user_message', { content: "What's in README.md?", session_id: 'review' });
    await until(() => cli().prompts().length === 1);

    cli().openTurn();
    cli().say(
      stream({ type: 'message_start', message: { id: 'msg-1' } }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me ' } }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'look.' } }),
      assistant('msg-1', { type: 'text', text: 'Let me look.' }),
      assistant('msg-1', { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'README.md' } }),
      stream({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'A file' }] },
      },
      // A release that streams nothing: the block itself is the token.
      assistant('msg-2', { type: 'text', text: 'It holds a file.' }),
    );
    cli().endTurn({ usage: { input_tokens: 2400, output_tokens: 180 }, stop_reason: 'end_turn' });

    const usage = { input_tokens: 2400, output_tokens: 180 };
    expect(await done).toMatchObject({ result: { status: 'completed', usage, text: 'done', session_id: 'review' } });
    const told = frontEnd.received.filter(({ method }) => TURN.includes(String(method)));
    expect(told.map(({ method, params }) => [method, withoutPlace(params as Json)])).toEqual([
      ['assistant_token', { token: 'Let me ', message_id: 'msg-1' }],
      ['assistant_token', { token: 'look.', message_id: 'msg-1' }],
      ['tool_use_start', { name: 'Read', input: { file_path: 'README.md' }, tool_use_id: 't1', message_id: 'msg-1' }],
      ['tool_result', { tool_use_id: 't1', text: 'A file', content: 'A file', is_error: false }],
      ['assistant_token', { token: 'It holds a file.', message_id: 'msg-2' }],
      ['turn_complete', { stop_reason: 'end_turn', is_error: false }],
    ]);
    expect(frontEnd.received.at(-1)).toHaveProperty('result.status', 'completed');
    expect(frontEnd.notices('prompt_state').map(({ state }) => state)).toEqual(['accepted', 'started', 'ended']);
  });

  it('gets the lines of the CLI byte by byte when it asks for them (P7)', async () => {
    const { join, cli, session } = await engineStage();
    const frontEnd = await join('ada', { capabilities: { messages: true } });
    const turn = await sendPrompt(session, cli());
    const line =
      '{"type":"assistant","uuid":"u","session_id":"s",  "message":{"id":"m","content":[]},"n":1.50,"t":"\\u00e4 \\/"}';
    cli().openTurn();
    cli().peer.output(`${line}\n`);
    cli().endTurn();
    await turn.result;
    await until(() => frontEnd.notices('cli_message').some(({ line: one }) => (one as Json)['type'] === 'result'));

    expect(frontEnd.texts.find((text) => text.includes('"type":"assistant"'))).toContain(`"line":${line}}`);
    expect(frontEnd.notices('assistant_token')).toEqual([]);
  });

  it('starts a session with its first message where it names a new one; two that name the same share it', async () => {
    const { connect, supervisor, clis } = await engineStage();
    const [one, other] = [connect('one'), connect('other')];
    for (const frontEnd of [one, other]) await frontEnd.call('initialize', { protocol_version: '1.0' });
    const done = [
      one.call('user_message', { content: 'first', session_id: 'abc-123' }),
      other.call('user_message', { content: 'second', session_id: 'abc-123' }),
    ];
    await until(() => clis.length === 2);
    for (const count of [1, 2]) await workedOn(clis[1], count);
    for (const answer of await Promise.all(done)) {
      expect(answer).toMatchObject({ result: { status: 'completed', session_id: 'abc-123' } });
    }
    expect(supervisor.list().map(({ id }) => id)).toEqual(['review', 'abc-123']);

    expect(await connect('third').call('initialize', { protocol_version: '1.0' })).not.toHaveProperty(
      'result.session_id',
    );
    expect(await one.call('session_start', {})).toMatchObject({
      result: { session_id: expect.stringMatching(/^session-/), state: 'ready' },
    });
    expect(await one.call('session_list')).toMatchObject({ result: { sessions: { length: 3 } } });
  });

  it('starts none where the server lets nobody', async () => {
    const { connect } = await engineStage({}, { startSession: undefined });
    const frontEnd = connect();
    await frontEnd.call('initialize', { protocol_version: '1.0' });
    for (const [method, params] of [
      ['user_message', { content: 'hello' }],
      ['session_start', { session_id: 'other' }],
      ['interrupt', {}],
    ] as const) {
      expect(await frontEnd.call(method, params)).toMatchObject({ error: { data: { code: 'SESSION_NOT_FOUND' } } });
    }
  });

  it('takes a message back, and interrupts a turn, which is an end and no error (P3)', async () => {
    const { join, cli, session } = await engineStage({ behave: endsOnInterrupt });
    const frontEnd = await join();
    const done = frontEnd.call('user_message', { content: 'long work' });
    await until(() => cli().prompts().length === 1);
    cli().openTurn();
    const waiting = frontEnd.call('user_message', { content: 'later' });
    await until(() => session.snapshot().queued.length === 1);

    const [queued] = session.snapshot().queued;
    expect(await frontEnd.call('cancel', { prompt_id: queued })).toMatchObject({ result: { cancelled: true } });
    expect(await waiting).toMatchObject({ result: { status: 'cancelled' } });
    const { result } = await frontEnd.call('interrupt', { session_id: 'review' });
    expect(result).toMatchObject({ effect: 'interrupted', still_queued: [] });
    expect(await done).toMatchObject({ result: { status: 'interrupted' } });
  });

  it('may send a message again under its id after it lost its connection, and gets the same turn (P2)', async () => {
    const { join, cli, engine } = await engineStage();
    const first = await join();
    const message = { content: 'work', prompt_id: 'a6b0f8d2-7a55-4c0e-9d3b-0f6f0d9a1c11' };
    first.say({ jsonrpc: '2.0', id: 1, method: 'user_message', params: message });
    await until(() => cli().prompts().length === 1);
    first.hangUp();
    expect(engine.connections).toBe(0);

    const second = await join();
    const done = second.call('user_message', message);
    await workedOn(cli());
    expect(await done).toMatchObject({ result: { status: 'completed', prompt_id: message.prompt_id } });
    expect(await second.call('user_message', message)).toMatchObject({ result: { status: 'completed' } });
    expect(cli().prompts()).toEqual([message.prompt_id]);
    expect(await second.call('user_message', { ...message, content: 'other work' })).toMatchObject({
      error: { code: -32_000, data: { code: 'PROMPT_ID_USED' } },
    });
  });

  it('is told what it missed, from a cursor on (P7)', async () => {
    const { connect, session, cli } = await engineStage();
    const { seq } = session.snapshot();
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    cli().say(assistant('m', { type: 'text', text: 'said before' }));
    cli().endTurn();
    await turn.result;

    const late = connect();
    await late.call('initialize', { protocol_version: '1.0' });
    expect(await late.call('session_attach', { session_id: 'review', from: seq })).toMatchObject({
      result: { session_id: 'review', status: 'idle' },
    });
    await until(() => late.notices('replay_completed').length === 1);
    expect(late.notices('assistant_token')).toMatchObject([{ token: 'said before' }]);
    expect(await late.call('session_detach', { session_id: 'review' })).toMatchObject({ result: { detached: true } });
    expect(await late.call('session_attach', { session_id: 'nobody' })).toMatchObject({
      error: { data: { code: 'SESSION_NOT_FOUND' } },
    });
  });

  it('is told that the session is over, and that the engine ends', async () => {
    const { join, session, engine } = await engineStage();
    const frontEnd = await join();
    await session.close();
    await until(() => frontEnd.notices('session_ended').length === 1);
    expect(frontEnd.notices('session_ended')).toMatchObject([{ session_id: 'review', code: 'closed' }]);

    engine.close();
    expect(frontEnd.received.at(-1)).toEqual({ jsonrpc: '2.0', method: 'server_closing', params: {} });
    expect(frontEnd.cuts).toEqual(['server-closing']);
    expect(engine.connections).toBe(0);
  });
});

const TURN = ['assistant_token', 'tool_use_start', 'tool_result', 'turn_complete'];

/** Waits for so many prompts, and ends the turn of the newest well. */
async function workedOn(cli: MemoryCli | undefined, count = 1): Promise<void> {
  await until(() => cli?.prompts().length === count);
  cli?.openTurn();
  cli?.endTurn();
}

function endsOnInterrupt(cli: MemoryCli, line: Json): undefined {
  const aborted = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' };
  if (JSON.stringify(line).includes('"subtype":"interrupt"')) cli.endTurn(aborted);
}

/** Without where it stands in the log. */
function withoutPlace({ seq: _seq, epoch: _epoch, session_id: _id, prompt_ids: _ids, ...params }: Json): Json {
  return params;
}

function stream(event: Json): Record<string, unknown> {
  return { type: 'stream_event', event, parent_tool_use_id: null };
}

function assistant(id: string, ...content: Json[]): Record<string, unknown> {
  return { type: 'assistant', message: { id, role: 'assistant', content }, parent_tool_use_id: null };
}
