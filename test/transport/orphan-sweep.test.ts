import { describe, expect, it } from 'vitest';
import { type SweepPorts, sweep } from '../../src/transport/orphan-sweep.ts';
import type { ProcessEntry, ProcessTable } from '../../src/transport/process-table.ts';
import { BASE, entry, tableOf } from './process-entries.ts';

const LOST = { mark: 'lost:1:x', host: 'gone' };
const TIMES = { terminateGraceMs: 5_000, killGraceMs: 3_000 };

describe('sweeping orphans (P1, R49)', () => {
  it('looks once and signals nobody where there is none', async () => {
    const world = worldOf([entry(9)]);
    expect(await world.sweep()).toEqual({ reaped: [], survivors: [], isComplete: true });
    expect(world).toMatchObject({ sent: [], scans: 1, time: 0 });
  });

  it('asks each once by SIGTERM, and reports who went', async () => {
    const world = worldOf([entry(1, LOST), entry(2, { parent: BASE + 1 })]);
    world.on('SIGTERM', () => world.leave(1, 2));
    expect(await world.sweep()).toEqual({
      reaped: [
        { pid: BASE + 1, mark: 'lost:1:x', command: `/bin/${BASE + 1}`, signal: 'SIGTERM' },
        { pid: BASE + 2, mark: 'lost:1:x', command: `/bin/${BASE + 2}`, signal: 'SIGTERM' },
      ],
      survivors: [],
      isComplete: true,
    });
    expect(world.sent).toEqual(['SIGTERM 1 at 0', 'SIGTERM 2 at 0']);
  });

  it('kills after the grace who did not go', async () => {
    const world = worldOf([entry(1, LOST)]);
    world.on('SIGKILL', () => world.leave(1));
    expect((await world.sweep()).reaped).toMatchObject([{ pid: BASE + 1, signal: 'SIGKILL' }]);
    expect(world.sent).toEqual(['SIGTERM 1 at 0', 'SIGKILL 1 at 5000']);
  });

  it('asks who was born while it went on, too', async () => {
    const world = worldOf([entry(1, LOST)]);
    world.on('SIGTERM', (pid) => {
      world.leave(pid);
      if (pid === 1) world.join(entry(2, LOST));
    });
    expect((await world.sweep()).reaped.map(({ pid }) => pid - BASE)).toEqual([1, 2]);
  });

  it('gives up after the grace of the kill and names who is left (P5)', async () => {
    const world = worldOf([entry(1, LOST)]);
    expect(await world.sweep()).toMatchObject({ reaped: [], survivors: [{ pid: BASE + 1, signal: 'SIGKILL' }] });
    expect(world.time).toBe(8_000);
  });

  it('names as survivor who may not be signalled', async () => {
    const world = worldOf([entry(1, LOST)], { send: () => false });
    expect(await world.sweep()).toMatchObject({ reaped: [], survivors: [{ pid: BASE + 1, command: '' }] });
  });

  it('does not call reaped who went without a signal of ours', async () => {
    const world = worldOf([entry(1, LOST)], { send: () => false });
    world.later(() => world.leave(1));
    expect(await world.sweep()).toEqual({ reaped: [], survivors: [], isComplete: true });
  });

  it('looks again where processes came and went, and says so when it could not see all', async () => {
    const restless = worldOf([], {}, { vanished: 1 });
    expect(await restless.sweep()).toMatchObject({ isComplete: true });
    expect(restless.scans).toBe(2);
    const holey = worldOf([], {}, { unreadable: 1 });
    expect(await holey.sweep()).toMatchObject({ isComplete: false });
    expect(holey.scans).toBe(5);
  });
});

/** A process table, a clock and a mailman for signals. */
function worldOf(first: readonly ProcessEntry[], ports: Partial<SweepPorts> = {}, gaps: Partial<ProcessTable> = {}) {
  const entries = new Map(first.map((one) => [one.pid, one]));
  const waiting: (() => void)[] = [];
  const reactions = new Map<string, (pid: number) => void>();
  const world = {
    sent: [] as string[],
    scans: 0,
    time: 0,
    leave: (...offsets: number[]) => {
      for (const offset of offsets) entries.delete(BASE + offset);
    },
    join: (one: ProcessEntry) => void entries.set(one.pid, one),
    on: (signal: string, react: (pid: number) => void) => void reactions.set(signal, react),
    later: (work: () => void) => void waiting.push(work),
    sweep: () =>
      sweep(TIMES, {
        scan: async () => {
          world.scans += 1;
          return tableOf([...entries.values()], gaps);
        },
        fateOf: (host) => (host === 'gone' ? 'gone' : 'unknown'),
        send: ({ entry: { pid } }, signal) => {
          world.sent.push(`${signal} ${pid - BASE} at ${world.time}`);
          reactions.get(signal)?.(pid - BASE);
          return true;
        },
        commandOf: (pid) => `/bin/${pid}`,
        ownPid: BASE,
        now: () => world.time,
        wait: async (ms) => {
          world.time += ms;
          waiting.shift()?.();
        },
        ...ports,
      }),
  };
  return world;
}
