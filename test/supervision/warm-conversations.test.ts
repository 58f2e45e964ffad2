import { describe, expect, it } from 'vitest';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { Change } from '../../src/store/store.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { cliWorld } from './deduplicating-cli.ts';
import { cutOff } from './recovery-house.ts';

const LAUNCH = { model: 'opus' };

describe('a session of a store that takes a warm process (P2)', () => {
  it('goes on in its conversation when the host is lost with the prompt under way: it runs once', async () => {
    const house = houseOf();
    const first = house.host({ lostAfter: 'prompt.delivered' });
    const pool = await first.supervisor.prewarm(LAUNCH);
    const session = await first.supervisor.start({ ...LAUNCH, id: 'taker' });
    expect(session.pid).toBe(house.pids[0]);
    session.prompt('only once', { id: 'p' });
    await until(() => first.isLost() && house.world.executed.size > 0);
    await settled();
    house.world.sweep();
    await first.supervisor.shutdown();
    expect(pool.state).toBe('closed');

    const next = house.host();
    await next.supervisor.recovered;
    const again = next.supervisor.session('taker');
    expect(await again?.prompt('only once', { id: 'p' }).result).toMatchObject({ outcome: expect.any(String) });
    expect(house.world.executed).toEqual(new Map([['only once', 1]]));
    // The conversation is that of the warm process, which was begun before there was a session.
    expect(conversationsIn(house.args.at(-1))).toEqual(conversationsIn(house.args[0]));
    await next.supervisor.shutdown();
  });

  it('has a conversation of its own where the pool has none like it, and each warm process another one', async () => {
    const house = houseOf();
    const { supervisor } = house.host();
    await supervisor.prewarm(LAUNCH, { count: 2 });
    const other = await supervisor.start({ model: 'haiku', id: 'other' });
    const recorded = async (id: string) => {
      const session = (await house.store.snapshot(id))?.records.find(({ kind }) => kind === 'session');
      return session?.kind === 'session' ? Object(session.options).sessionId : undefined;
    };
    const ids = house.args.flatMap(conversationsIn);
    expect([other.state, new Set(ids).size, ids.length]).toEqual(['ready', 3, 3]);
    await expect.poll(() => recorded('other')).toBe(ids.at(-1));
    await supervisor.shutdown();
  });

  it('keeps the one it began: a later process of it is not a warm one', async () => {
    const house = houseOf();
    const { supervisor } = house.host();
    const session = await supervisor.start({ ...LAUNCH, id: 'sleeper' });
    await session.hibernate();
    await supervisor.prewarm(LAUNCH);
    await session.restart();
    await until(() => house.args.length === 3 && session.state === 'ready');
    expect(conversationsIn(house.args[2])).toEqual(conversationsIn(house.args[0]));
    await supervisor.shutdown();
  });

  it('is not one that was chosen by the caller, and without a store nothing is named', async () => {
    const house = houseOf();
    const { supervisor } = house.host();
    await supervisor.prewarm(LAUNCH);
    const sessionId = crypto.randomUUID();
    const named = await supervisor.start({ ...LAUNCH, sessionId });
    expect([named.pid === house.pids[0], conversationsIn(house.args[1])]).toEqual([false, [sessionId]]);
    await supervisor.shutdown();
    const plain = houseOf();
    const without = createSupervisor({ spawn: plain.open, pathToClaudeCodeExecutable: process.execPath });
    await without.prewarm(LAUNCH);
    expect(plain.args.map(conversationsIn)).toEqual([[]]);
    await without.shutdown();
  });
});

/** Hosts on one store, and the CLIs they start. */
function houseOf() {
  const world = cliWorld();
  const store = new MemoryStore();
  const args: (readonly string[])[] = [];
  const pids: number[] = [];
  const open: SupervisorOptions['spawn'] = async (plan, listeners) => {
    args.push(plan.args);
    const transport = await world.open(plan, listeners);
    pids.push(transport.pid);
    return transport;
  };
  const host = ({ lostAfter }: { readonly lostAfter?: string } = {}) => {
    let isLost = false;
    const seen = cutOff(store, () => isLost);
    const append = async (change: Change) => {
      const wasLost = isLost;
      await seen.append(change);
      // What comes with it is kept, nothing behind it is.
      if (!wasLost) isLost = change.events?.some(({ type }) => type === lostAfter) === true;
    };
    const supervisor = createSupervisor({
      spawn: open,
      pathToClaudeCodeExecutable: process.execPath,
      store: { ...seen, append },
    });
    return { supervisor, isLost: () => isLost };
  };
  return { world, store, args, pids, open, host };
}

function conversationsIn(args: readonly string[] = []): string[] {
  return args.flatMap((arg) => /^--(?:resume|session-id)=(.*)/.exec(arg)?.[1] ?? []);
}

async function settled(): Promise<void> {
  for (let round = 0; round < 60; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
