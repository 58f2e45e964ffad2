import { isRecord } from '../../../src/wire/fields.ts';
import { engineStage } from '../../server/json-rpc/front-end.ts';
import { jsonSeeds } from '../json-input.ts';
import { type FuzzTarget, holds } from '../target.ts';

const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocol_version: '1.0', session_id: 'review' },
};
const CALLS: readonly (readonly [string, unknown])[] = [
  ['session_list', {}],
  ['session_attach', { session_id: 'review', from_seq: 1 }],
  ['session_detach', { session_id: 'review' }],
  ['session_start', { options: { model: 'opus' } }],
  ['user_message', { content: 'Hello', id: 'p1' }],
  ['interrupt', {}],
  ['permission_reply', { request_id: 'q', behavior: 'allow' }],
  ['set_model', { model: 'haiku' }],
  ['control', { subtype: 'set_permission_mode', mode: 'plan' }],
  ['session_close', { session_id: 'review' }],
  ['shutdown', {}],
];

export const target: FuzzTarget = {
  name: 'front-ends',
  promise:
    'P6, P9 Whatever a front end writes in JSON-RPC is answered once, or it is cut; others are answered as before.',
  format: 'ndjson',
  seeds: () => {
    const calls = CALLS.map(([method, params], at) => ({ jsonrpc: '2.0', id: at, method, params }));
    return [
      Buffer.from(jsonSeeds(HELLO, ...calls).join('\n')),
      ...calls.map((call) => Buffer.from(jsonSeeds(HELLO, call).join('\n'))),
      Buffer.from(jsonSeeds(HELLO, calls.slice(0, 3)).join('\n')),
    ];
  },
  open: () => ({ run: speaks }),
};

async function speaks(input: Buffer): Promise<void> {
  const { connect, supervisor, engine, clock } = await engineStage();
  const frontEnd = connect();
  const asked = new Map<string, number>();
  for (const line of input.toString().split('\n', 100)) {
    for (const id of idsIn(line)) asked.set(id, (asked.get(id) ?? 0) + 1);
    frontEnd.sayText(line);
    await turn();
  }
  for (const frame of frontEnd.received.flatMap((one) => (Array.isArray(one) ? one : [one]))) {
    holds(isRecord(frame) && frame['jsonrpc'] === '2.0', 'A frame is none of JSON-RPC.');
    if ('method' in frame || frame['id'] === null) continue;
    const id = JSON.stringify(frame['id']);
    const left = asked.get(id) ?? 0;
    holds(left > 0, `Call ${id} was answered more often than it was made.`);
    asked.set(id, left - 1);
  }
  const other = connect('rita');
  const answer = await Promise.race([
    other.call('initialize', { protocol_version: '1.0' }),
    (async () => {
      for (let round = 0; round < 500; round += 1) await turn();
      return undefined;
    })(),
  ]);
  holds(isRecord(answer) && 'result' in answer, 'Another front end was not welcomed.');
  engine.close();
  const ended = supervisor.shutdown({ timeoutMs: 1_000 });
  let isOver = false;
  void ended.then(() => (isOver = true));
  for (let round = 0; round < 300 && !isOver; round += 1) {
    await turn();
    clock.increment(1_000);
  }
  holds(isOver, 'It does not shut down any more (P5).');
}

/** Of the calls in a line that expect an answer. */
function idsIn(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    const calls: unknown[] = Array.isArray(value) ? value : [value];
    return calls.flatMap((call) => (isRecord(call) && 'id' in call ? [JSON.stringify(call['id'])] : []));
  } catch {
    return [];
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
