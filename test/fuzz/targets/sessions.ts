import { z } from 'zod';
import { createSdkMcpServer, tool } from '../../../src/mcp/tool.ts';
import type { Session } from '../../../src/session/session.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { memoryStage, until } from '../../session/memory-cli.ts';
import { jsonSeeds } from '../json-input.ts';
import { recordedStreams } from '../recorded-lines.ts';
import { type FuzzTarget, holds } from '../target.ts';

const request = (subtype: string, more: object) => ({
  type: 'control_request',
  request_id: `r-${subtype}`,
  request: { subtype, ...more },
});
const rpc = (method: string, params: object) => ({
  server_name: 'calc',
  message: { jsonrpc: '2.0', id: 1, method, params },
});

const ASKED: readonly object[] = [
  request('can_use_tool', {
    tool_name: 'Bash',
    input: { command: 'ls' },
    tool_use_id: 't1',
    permission_suggestions: [],
  }),
  request('can_use_tool', { tool_name: 'AskUserQuestion', input: { questions: [{ question: 'a', options: [] }] } }),
  request('hook_callback', { callback_id: 'hook_0', input: { hook_event_name: 'PreToolUse' }, tool_use_id: 't1' }),
  request('mcp_message', rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} })),
  request('mcp_message', rpc('tools/call', { name: 'add', arguments: { a: 1 } })),
  request('elicitation', {
    mcp_server_name: 'calc',
    message: 'm',
    requested_schema: { type: 'object', properties: {} },
  }),
  request('request_user_dialog', { dialog_kind: 'a', payload: {} }),
  request('oauth_token_refresh', {}),
  { type: 'control_cancel_request', request_id: 'r-can_use_tool' },
  { type: 'control_response', response: { subtype: 'success', request_id: 'unknown', response: {} } },
  { type: 'result', subtype: 'success', is_error: false, result: 'done', user_message_uuids: [], total_cost_usd: 0.1 },
  { type: 'system', subtype: 'session_state_changed', state: 'idle' },
  { type: 'command_lifecycle', command_uuid: 'x', state: 'completed' },
];

export const target: FuzzTarget = {
  name: 'sessions',
  promise:
    'P2, P4, P5, P7 Whatever a CLI says in a turn: each request is answered at most once, the log is dense, and all ends.',
  format: 'ndjson',
  seeds: () => [
    ...ASKED.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)),
    Buffer.from(`${jsonSeeds(...ASKED).join('\n')}\n`),
    ...recordedStreams(8),
  ],
  open: () => ({ run: lives }),
};

type Stage = Awaited<ReturnType<typeof memoryStage>>;

async function lives(input: Buffer): Promise<void> {
  const stage = await memoryStage({ limits: { maxLineBytes: 2 ** 20 } });
  const { supervisor, clock } = stage;
  let session: Session | undefined;
  const starting = supervisor.start({
    id: 'fuzzed',
    mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [adder] }) },
    hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
  });
  void starting.then((one) => (session = one));
  // The CLI connects no server: that is waited for until its time is over.
  for (let round = 0; round < 500 && session === undefined; round += 1) {
    await loop();
    clock.increment(1_000);
  }
  if (session === undefined) throw new Error('It never started.');
  await talks(stage, session, input);
}

async function talks({ supervisor, clock, events, ...stage }: Stage, session: Session, input: Buffer): Promise<void> {
  const turn = session.prompt('work', { id: 'p1' });
  await until(() => stage.clis.some((one) => one.prompts().length > 0) || session.state !== 'ready');
  const cli = stage.cli();
  cli.openTurn();
  cli.peer.output(input);
  for (let round = 0; round < 8; round += 1) await loop();

  const answered = new Map<unknown, number>();
  for (const line of cli.heard) {
    const response = line['type'] === 'control_response' && isRecord(line['response']) ? line['response'] : undefined;
    if (response !== undefined) answered.set(response['request_id'], (answered.get(response['request_id']) ?? 0) + 1);
  }
  const asked = input.toString().split('request_id').length;
  for (const [id, count] of answered) holds(count <= asked, `${String(id)} was answered ${count} times.`);
  for (const view of [
    session.snapshot(),
    session.explain(),
    session.usage(),
    session.turns(),
    session.permissions.pending(),
  ]) {
    holds(typeof JSON.stringify(view) === 'string', 'A view is no JSON.');
  }

  let isOver = false;
  void supervisor.shutdown({ timeoutMs: 2_000 }).then(() => (isOver = true));
  for (let round = 0; round < 500 && !isOver; round += 1) {
    await loop();
    clock.increment(500);
  }
  holds(isOver, 'It does not shut down any more (P5).');
  const { outcome } = await turn.result;
  holds(['completed', 'failed', 'interrupted', 'cancelled', 'lost'].includes(outcome), `It ended as ${outcome}.`);
  const own = events.filter((event) => 'sessionId' in event && event.sessionId === 'fuzzed');
  const ends = own.filter((event) => event.type === 'prompt.ended' && event.promptId === 'p1').length;
  holds(ends === 1, `The prompt ended ${ends} times.`);
}

const adder = tool('add', 'Adds one', { a: z.number() }, async ({ a }) => ({
  content: [{ type: 'text', text: String(a + 1) }],
}));

function loop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
