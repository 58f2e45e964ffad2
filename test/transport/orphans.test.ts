import { describe, expect, it } from 'vitest';
import type { HostFate } from '../../src/transport/host-mark.ts';
import { createOrphanFinder } from '../../src/transport/orphans.ts';
import type { ProcessEntry, ProcessTable } from '../../src/transport/process-table.ts';
import { BASE, entry, tableOf } from './process-entries.ts';

const OWN = 0;
const LOST = { mark: 'lost:1:x', host: 'gone' };

describe('who is an orphan (P1, R49)', () => {
  it('is who carries a mark and names a host that is gone', () => {
    expect(orphansIn([entry(1, LOST), entry(2), entry(3, { mark: 'lost:1:x' })])).toEqual([1]);
  });

  it.each(['alive', 'unknown'])('is nobody whose host is %s', (host) => {
    expect(orphansIn([entry(1, { ...LOST, host }), entry(2, { parent: BASE + 1 })])).toEqual([]);
  });

  it('is who descends from one, also without mark, in a group and session of its own', () => {
    const table = [entry(1, LOST), entry(2, { parent: BASE + 1 }), entry(3, { parent: BASE + 2 })];
    expect(orphansIn(table)).toEqual([1, 2, 3]);
  });

  it('is who was seen as a descendant before its parent was gone', () => {
    const find = finder();
    expect(find([entry(1, LOST), entry(2, { parent: BASE + 1 })])).toEqual([1, 2]);
    expect(find([entry(2)])).toEqual([2]);
    expect(find([entry(2)])).toEqual([2]);
  });

  it('is remembered over a table with holes, in which it was not seen', () => {
    const find = finder();
    find([entry(1, LOST), entry(2, { parent: BASE + 1 })]);
    expect(find([], { unreadable: 1 })).toEqual([]);
    expect(find([entry(2)])).toEqual([2]);
  });

  it('is not a stranger who was given the pid of a descendant', () => {
    const find = finder();
    find([entry(1, LOST), entry(2, { parent: BASE + 1 })]);
    expect(find([entry(2, { startTime: 'later' })])).toEqual([]);
  });

  it('is who is in the group or the session that an orphan leads', () => {
    const table = [entry(1, LOST), entry(2, { group: BASE + 1 }), entry(3, { session: BASE + 1 })];
    expect(orphansIn(table)).toEqual([1, 2, 3]);
  });

  it('is who shares the group or the session of an orphan whose leader is gone', () => {
    const lost = entry(1, { ...LOST, group: BASE + 9, session: BASE + 9 });
    const table = [lost, entry(2, { group: BASE + 9 }), entry(3, { session: BASE + 9 })];
    expect(orphansIn(table)).toEqual([1, 2, 3]);
  });

  it('is not who shares a group with an orphan under a leader that lives and is none', () => {
    const table = [entry(9), entry(1, { ...LOST, group: BASE + 9, session: BASE + 9 }), entry(2, { group: BASE + 9 })];
    expect(orphansIn(table)).toEqual([1]);
  });

  it('is not who shares a group whose leader may only be hidden by a hole in the table', () => {
    const table = [entry(1, { ...LOST, group: BASE + 9 }), entry(2, { group: BASE + 9 })];
    expect(finder()(table, { unreadable: 1 })).toEqual([1]);
  });

  it('is nobody of a living host, though it descends from an orphan, nor what that one started', () => {
    const other = entry(2, { parent: BASE + 1, mark: 'other:1:y', host: 'alive' });
    expect(orphansIn([entry(1, LOST), other, entry(3, { parent: BASE + 2 })])).toEqual([1]);
  });

  it('keeps the mark of its own session, and has that of its family where it dropped it', () => {
    const inner = entry(2, { parent: BASE + 1, mark: 'inner:1:y', host: 'gone' });
    const table = tableOf([entry(1, LOST), inner, entry(3, { parent: BASE + 1 })]);
    const marks = createOrphanFinder(fateOf, BASE).find(table);
    expect(Object.fromEntries(marks.map((one) => [one.entry.pid - BASE, one.mark]))).toEqual({
      1: 'lost:1:x',
      2: 'inner:1:y',
      3: 'lost:1:x',
    });
  });

  it('is never the first process, whatever it carries', () => {
    expect(orphansIn([{ ...entry(0), pid: 1, parentPid: 0, ...LOST }])).toEqual([]);
  });
});

describe('a host that runs inside the tree of an orphan', () => {
  it.each([
    ['as its descendant', [entry(1, LOST), entry(OWN, { parent: BASE + 1 }), entry(2, { parent: BASE + 1 })]],
    ['in its session', [entry(1, LOST), entry(OWN, { session: BASE + 1 })]],
    ['with its mark', [entry(1, LOST), entry(OWN, LOST)]],
    ['below a tool of it', [entry(1, LOST), entry(2, { parent: BASE + 1 }), entry(OWN, { parent: BASE + 2 })]],
  ])('%s leaves that tree alone, and only that one', (_case, table) => {
    expect(orphansIn([...table, entry(7, { mark: 'second:1:z', host: 'gone' })])).toEqual([7]);
  });
});

function fateOf(host: string): HostFate {
  return host as HostFate;
}

function orphansIn(entries: readonly ProcessEntry[]): number[] {
  return finder()(entries);
}

/** Finds in one table after another; answers with sorted offsets. */
function finder() {
  const { find } = createOrphanFinder(fateOf, BASE + OWN);
  return (entries: readonly ProcessEntry[], gaps: Partial<ProcessTable> = {}): number[] =>
    find(tableOf(entries, gaps))
      .map(({ entry: { pid } }) => pid - BASE)
      .toSorted((one, other) => one - other);
}
