import { MemoryStore } from '../../../src/store/memory-store.ts';
import type { StoreRecord } from '../../../src/store/store-record.ts';
import { createSupervisor } from '../../../src/supervision/supervisor.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { memoryFleet } from '../../supervision/memory-cli.ts';
import { cutOff } from '../../supervision/recovery-house.ts';
import { jsonOf } from '../json-input.ts';
import { type FuzzRunner, type FuzzTarget, holds, IN_MEMORY } from '../target.ts';

/** What a host that was lost has left of two sessions: their records as JSON, by session. */
type Left = Readonly<Record<string, readonly StoreRecord[]>>;

export const target: FuzzTarget = {
  name: 'records',
  promise: 'P7, P10 Records of any shape cost at most their own session: it is set aside, and the others are taken up.',
  format: 'json',
  seeds: () => [],
  open,
};

async function open(): Promise<FuzzRunner> {
  const left = await leftByHost();
  const broken = left['broken'] ?? [];
  return {
    // An input of the seeds would have to be known before there was a host.
    run: (input) =>
      recovers(
        left,
        Array.isArray(jsonOf(input)) ? (jsonOf(input) as unknown[]) : broken.map((record) => hurt(record, input)),
      ),
  };
}

/** A record in which the bytes of the input stand for fields, and what is in them instead. */
function hurt(record: StoreRecord, input: Buffer): unknown {
  const copy: Record<string, unknown> = { ...record };
  const names = Object.keys(copy).filter((name) => name !== 'kind' && name !== 'id');
  for (let at = 0; at + 1 < input.length && at < 40; at += 2) {
    const name = names[(input[at] ?? 0) % names.length] ?? 'state';
    const value = VALUES[(input[at + 1] ?? 0) % VALUES.length];
    const old = copy[name];
    const inner = isRecord(old) ? Object.keys(old)[(input[at + 1] ?? 0) % 7] : undefined;
    copy[name] = inner !== undefined && isRecord(old) ? { ...old, [inner]: value } : value;
  }
  return copy;
}

const VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  '',
  '\ud800',
  [],
  {},
  [null],
  { state: 'running' },
  'running',
  'quarantined',
  true,
  [[]],
  { __proto__: null, constructor: 1 },
  'x'.repeat(1_000),
];

async function recovers(left: Left, broken: readonly unknown[]): Promise<void> {
  const store = new MemoryStore();
  for (const [sessionId, records] of Object.entries(left)) {
    const own = sessionId === 'broken' ? broken : records;
    // Whatever it is: a store keeps what it is given.
    const kept = own.filter(isRecord).filter(({ kind }) => typeof kind === 'string') as unknown as StoreRecord[];
    const event = { seq: 1, epoch: 1, at: 0, type: 'stderr', data: Buffer.from('{"line":"x"}') };
    await store.append({ sessionId, epoch: 1, events: [event], records: kept });
  }
  const fleet = memoryFleet(() => {});
  const supervisor = createSupervisor({ spawn: fleet.open, store: cutOff(store, () => false), ...IN_MEMORY });
  const { sessions } = await supervisor.recovered;
  const sound = sessions.find(({ id }) => id === 'sound');
  holds(sound !== undefined && sound.decision !== 'quarantined', `The other one: ${sound?.decision}, ${sound?.reason}`);
  for (const { session } of [{ session: supervisor.session('broken') }, { session: supervisor.session('sound') }]) {
    if (session === undefined) continue;
    holds(
      typeof JSON.stringify([session.snapshot(), session.explain(), session.turns()]) === 'string',
      'A view is no JSON.',
    );
  }
  await supervisor.shutdown({ timeoutMs: 500 });
}

async function leftByHost(): Promise<Left> {
  const store = new MemoryStore();
  let isLost = false;
  const fleet = memoryFleet((prompt) => {
    if (prompt.text !== 'hang') prompt.complete();
  });
  const supervisor = createSupervisor({ spawn: fleet.open, store: cutOff(store, () => isLost), ...IN_MEMORY });
  for (const id of ['broken', 'sound']) {
    const session = await supervisor.start({ id, model: 'opus', env: { A: 'b' } });
    await session.prompt('Hello', { id: `${id}-1` }).result;
    await session.prompt('hang', { id: `${id}-2` }).accepted;
  }
  isLost = true;
  const left: Record<string, readonly StoreRecord[]> = {};
  for (const id of ['broken', 'sound']) left[id] = (await store.snapshot(id))?.records ?? [];
  await supervisor.shutdown({ timeoutMs: 500 });
  return left;
}
