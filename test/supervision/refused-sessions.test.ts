import { describe, expect, it, vi } from 'vitest';
import type { FleetEvent, GroupOptions, SupervisorOptions } from '../../src/index.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type SteeredStore, steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('a session that the store takes no more of', () => {
  it('is ended, the fleet is told of which and why, and others are not concerned (P5, P6, P10)', async () => {
    const { store, supervisor, fleet, told } = house();
    const other = await supervisor.start({ id: 'b' });
    const session = await supervisor.start({ id: 'a' });
    const turn = session.prompt('work');
    await until(() => fleet.prompts.length === 1);
    store.steer('STORE_CONFLICT');
    fleet.prompts[0]?.complete();
    expect(await turn.result).toMatchObject({ outcome: 'lost', error: { code: 'STORE_CONFLICT' } });
    store.steer(undefined);
    expect(await session.ended).toMatchObject({ error: { code: 'STORE_CONFLICT' } });
    expect(fleet.running()).toHaveLength(1);
    expect(told).toEqual([
      {
        type: 'store.refused',
        at: expect.any(Number),
        sessionId: 'a',
        code: 'STORE_CONFLICT',
        message: expect.any(String),
      },
    ]);
    await other.close();
    await supervisor.shutdown();
  });

  it('leaves its id to the next one, behind what the store has of it (P7)', async () => {
    const { store, supervisor, fleet } = house();
    const session = await supervisor.start({ id: 'a' });
    const turn = session.prompt('work');
    await until(() => fleet.prompts.length === 1);
    store.steer('STORE_CONFLICT');
    fleet.prompts[0]?.complete();
    await turn.result;
    store.steer(undefined);
    await session.ended;
    const second = await supervisor.start({ id: 'a' });
    await second.close();
    await supervisor.shutdown();
    const all = await storedSeqs(store);
    expect(all).toEqual(all.map((_, index) => index + 1));
  });

  it('while the store fails leaves the others to go on when it is back (P10)', async () => {
    const { store, supervisor, clock, told } = house();
    await supervisor.start({ id: 'a' });
    const other = await supervisor.start({ id: 'b' });
    store.steer('STORE_FULL');
    expect(() => supervisor.session('a')?.prompt('work')).not.toThrow();
    await until(() => told.length === 1);
    store.steer('STORE_CONFLICT');
    clock.increment(100);
    await until(() => supervisor.list().length === 1);
    store.steer(undefined);
    clock.increment(60_000);
    await settled();
    expect(told.map(({ type }) => type)).toEqual(['store.failing', 'store.refused', 'store.recovered']);
    expect(supervisor.refusal).toBeUndefined();
    await other.close();
    await supervisor.shutdown();
  });
});

describe('a member of a group that is started anew', () => {
  it('waits until the last log of its id is kept, and begins behind it (P7)', async () => {
    const { store, supervisor, fleet, clock, told } = house();
    const group = await supervisor.group(team());
    store.steer('STORE_FULL');
    await group.session('a')?.close();
    clock.increment(1_000);
    await settled();
    expect(fleet.started).toHaveLength(1);
    expect(group.children()).toMatchObject([{ id: 'a', status: 'restarting' }]);
    store.steer(undefined);
    clock.increment(60_000);
    await until(() => group.children()[0]?.status === 'up');
    expect(told.map(({ type }) => type)).toEqual(['store.failing', 'store.recovered']);
    await group.close();
    await supervisor.shutdown();
    const all = await storedSeqs(store);
    expect(all).toEqual(all.map((_, index) => index + 1));
  });

  it('is not started after all where its group ends meanwhile, and keeps nobody waiting (P1, P5)', async () => {
    const { store, supervisor, fleet, clock } = house();
    const group = await supervisor.group(team());
    store.steer('STORE_FULL');
    await group.session('a')?.close();
    clock.increment(1_000);
    await settled();
    await group.close();
    store.steer(undefined);
    clock.increment(60_000);
    await settled();
    expect(fleet.started).toHaveLength(1);
    await supervisor.shutdown();
  });

  it('leaves what its last session used to that session, and counts its own after a loss (P2, P7)', async () => {
    const hosts = recoveryHouse();
    const first = hosts.host();
    const group = await first.supervisor.group(team());
    await group.session('a')?.prompt('theirs', { id: 'theirs' }).result;
    await group.session('a')?.close();
    await until(() => group.session('a')?.state === 'ready');
    await group.session('a')?.prompt('own', { id: 'own' }).result;
    const { turns } = group.session('a')?.usage() ?? {};
    first.lose();
    const { supervisor } = hosts.host();
    await supervisor.recovered;
    const again = supervisor.session('a');
    expect(again?.usage()).toMatchObject({ turns });
    expect([again?.turn('theirs'), again?.turn('own')?.id]).toEqual([undefined, 'own']);
    await supervisor.shutdown();
  });
});

function team(): GroupOptions {
  const restart = { type: 'permanent' } as const;
  return { id: 'team', backoff: { minMs: 0, jitter: 0 }, children: [{ id: 'a', restart }] };
}

function house(options: SupervisorOptions = {}) {
  const store = steeredStore();
  const fleet = memoryFleet(() => {});
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const supervisor = createSupervisor({
    store,
    clock,
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    ...options,
  });
  const told: FleetEvent[] = [];
  supervisor.on('event', (event) => {
    if (event.type.startsWith('store.')) told.push(event);
  });
  return { store, fleet, clock, supervisor, told };
}

async function storedSeqs(store: SteeredStore): Promise<number[]> {
  const seqs: number[] = [];
  for await (const event of store.read({ sessionId: 'a', after: 0 })) if ('seq' in event) seqs.push(event.seq);
  return seqs;
}

/** What is not there after so many rounds will not come. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** By the real clock, which hosts here have where they got no other. */
async function until(isTrue: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 10_000, interval: 1 });
}
