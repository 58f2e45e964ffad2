import { describe, expect, it } from 'vitest';
import { ALL_MARKS, type ProcessEntry, type ProcessTable } from '../../src/transport/process-table.ts';
import { createProcessTree, leadsLast } from '../../src/transport/process-tree.ts';
import { entry, BASE as ROOT, tableOf } from './process-entries.ts';

describe('who belongs to a process tree', () => {
  it('is a descendant at any depth, also in a session of its own (WIRE §15)', async () => {
    const tools = [entry(1, { parent: ROOT }), entry(2, { parent: ROOT + 1 }), entry(3, { parent: ROOT + 2 })];
    expect(await members([root(), ...tools, entry(9)])).toEqual([ROOT, ROOT + 1, ROOT + 2, ROOT + 3]);
  });

  it('is who carries the mark, also without parent and group (P1)', async () => {
    expect(await members([entry(4, { mark: 'mine' }), entry(5, { mark: 'other' })], { isAlive: false })).toEqual([
      ROOT + 4,
    ]);
  });

  it('has nobody who is older than its root: only marks of later processes are asked for, and all where the begin is not known (P1)', async () => {
    expect(await marksAskedBy('4711')).toBe(4711);
    expect(await marksAskedBy(undefined)).toBe(ALL_MARKS);
    expect(await marksAskedBy('Sun Nov 29 08:00:00 2026')).toBe(ALL_MARKS);
  });

  it('is the child of who carries the mark', async () => {
    const table = [entry(4, { mark: 'mine' }), entry(6, { parent: ROOT + 4 })];
    expect(await members(table, { isAlive: false })).toEqual([ROOT + 4, ROOT + 6]);
  });

  it('is killed before those who lead to it: a host that is killed meanwhile leaves somebody with a mark (P1)', () => {
    const [lead, child] = [entry(4, { mark: 'mine' }), entry(6, { parent: ROOT + 4 })];
    expect(leadsLast([lead, child], 'mine')).toEqual([child, lead]);
  });

  it('is who is in the group or the session of the root, also after its exit', async () => {
    const table = [entry(1, { group: ROOT }), entry(2, { session: ROOT })];
    expect(await members(table, { isAlive: false })).toEqual([ROOT + 1, ROOT + 2]);
  });

  it('is who was seen as a descendant before its parent was gone', async () => {
    const tree = createProcessTree(
      rootIs(true),
      tables([root(), entry(1, { parent: ROOT })], [entry(1, { parent: 1 })]),
    );
    await tree.kill(0);
    expect((await tree.kill(0)).survivors).toEqual([ROOT + 1]);
  });

  it('is not a stranger who was given the pid of one who was (P1)', async () => {
    const seen = [root(), entry(1, { parent: ROOT })];
    const tree = createProcessTree(rootIs(true), tables(seen, [entry(1, { parent: 1, startTime: 'later' })]));
    await tree.kill(0);
    expect((await tree.kill(0)).survivors).toEqual([]);
  });

  it('is not a stranger who was given the pid of the root, nor the group of that stranger', async () => {
    const stranger = { ...root(), startTime: 'later' };
    const table = [stranger, entry(1, { parent: ROOT, group: ROOT })];
    expect(await members(table, { isAlive: false })).toEqual([]);
  });

  it('is not a group that took the number after ours was seen gone', async () => {
    let isAlive = true;
    const scans = tables([], [entry(1, { group: ROOT })]);
    const tree = createProcessTree({ ...rootIs(true), isAlive: () => isAlive }, scans);
    isAlive = false;
    await tree.kill(0);
    expect((await tree.kill(0)).survivors).toEqual([]);
  });

  it('is never this process itself nor the first one, whatever the table says', async () => {
    const self = { ...entry(0), pid: process.pid, mark: 'mine', parentPid: ROOT };
    const first = { ...entry(0), pid: 1, mark: 'mine', parentPid: ROOT };
    expect(await members([root(), self, first])).toEqual([ROOT]);
  });
});

describe('ending a process tree', () => {
  it('needs one scan when nobody is left', async () => {
    const scans = tables([entry(9)]);
    await createProcessTree(rootIs(false), scans).kill(1_000);
    expect(scans.count()).toBe(1);
  });

  it('looks again when processes came and went during the scan', async () => {
    const scans = tables({ vanished: 1 }, [entry(1, { mark: 'mine' })]);
    const report = await createProcessTree(rootIs(false), scans).kill(0);
    expect(report.survivors).toEqual([ROOT + 1]);
  });

  it('does not look for ever on a machine where processes always come and go', async () => {
    const scans = tables({ vanished: 1 });
    expect((await createProcessTree(rootIs(false), scans).kill(60_000)).survivors).toEqual([]);
    expect(scans.count()).toBe(2);
  });

  it('does not take a table with holes for an empty one', async () => {
    const scans = tables({ unreadable: 1 }, { unreadable: 1 }, [entry(1, { mark: 'mine' })], []);
    await createProcessTree(rootIs(false), scans).kill(60_000);
    expect(scans.count()).toBe(4);
  });

  it('reports who survived the deadline', async () => {
    const report = await createProcessTree(rootIs(false), tables([entry(1, { mark: 'mine' })])).kill(30);
    expect(report).toEqual({ killed: [], survivors: [ROOT + 1] });
  });
});

function root(): ProcessEntry {
  return entry(0, { parent: process.pid, mark: 'mine' });
}

function rootIs(isAlive: boolean) {
  return { pid: ROOT, startTime: root().startTime, mark: 'mine', isAlive: () => isAlive };
}

async function members(entries: readonly ProcessEntry[], { isAlive = true } = {}): Promise<number[]> {
  const { survivors } = await createProcessTree(rootIs(isAlive), tables([...entries])).kill(0);
  return [...survivors].sort((a, b) => a - b);
}

/** Answers each scan with the next table; the last one stays. */
function tables(...answers: (ProcessEntry[] | Partial<ProcessTable>)[]) {
  let scans = 0;
  const scan = async (): Promise<ProcessTable> => {
    const answer = answers[Math.min(scans, answers.length - 1)] ?? [];
    scans += 1;
    const entries = Array.isArray(answer) ? new Map(answer.map((one) => [one.pid, one])) : new Map();
    return { entries, vanished: 0, unreadable: 0, ...(Array.isArray(answer) ? {} : answer) };
  };
  return Object.assign(scan, { count: () => scans });
}

async function marksAskedBy(startTime: string | undefined): Promise<number | undefined> {
  let asked: number | undefined;
  const tree = createProcessTree({ ...rootIs(false), startTime }, async (marksSince) => {
    asked = marksSince;
    return tableOf([]);
  });
  await tree.kill(0);
  return asked;
}
