import { describe, expect, it } from 'vitest';
import { attention, belongs, type FleetChoice, rowsOf } from '../../src/dashboard/fleet/fleet-rows.ts';
import { visibleRange } from '../../src/dashboard/fleet/visible-range.ts';
import type { SessionSummary } from '../../src/view/fleet-view.ts';

describe('the rows of the fleet', () => {
  it('begin with who waits for a human, then trouble, work, rest, and what is over', () => {
    const rows = rowsOf(
      [
        session('over', { state: 'stopped' }),
        session('rests', {}),
        session('works', { status: 'running', position: 'ready.running' }),
        session('broken', { state: 'quarantined' }),
        session('asks', { openPermissions: 1 }),
      ],
      CHOICE,
    );

    expect(rows.map(({ id }) => id)).toEqual(['asks', 'broken', 'works', 'rests', 'over']);
  });

  it('stay in the order of their ids where they are equal, whichever way they are sorted', () => {
    const sessions = ['c', 'a', 'b'].map((id) => session(id, {}));

    expect(ids(rowsOf(sessions, { ...CHOICE, sort: 'queue' }))).toEqual(['a', 'b', 'c']);
    expect(ids(rowsOf(sessions, { ...CHOICE, sort: 'queue', isDescending: true }))).toEqual(['a', 'b', 'c']);
    expect(ids(rowsOf(sessions, { ...CHOICE, sort: 'id', isDescending: true }))).toEqual(['c', 'b', 'a']);
  });

  it('count a cost that nobody told as less than none', () => {
    const sessions = [session('told', { costUsd: 0 }), session('untold', {}), session('dear', { costUsd: 2 })];

    expect(ids(rowsOf(sessions, { ...CHOICE, sort: 'cost', isDescending: true }))).toEqual(['dear', 'told', 'untold']);
  });

  it('are found by every word of a search, in any field that is shown', () => {
    const sessions = [
      session('review-1', { key: 'api' }),
      session('review-2', { groups: ['team'] }),
      session('fix', {}),
    ];

    expect(ids(rowsOf(sessions, { ...CHOICE, search: ' REVIEW team ' }))).toEqual(['review-2']);
    expect(ids(rowsOf(sessions, { ...CHOICE, search: 'nobody' }))).toEqual([]);
  });

  it('leave the sessions that are filtered out, and change nothing of the fleet', () => {
    const sessions = Object.freeze([
      session('asks', { openPermissions: 1 }),
      session('doubts', { promptsInDoubt: 1 }),
      session('rests', {}),
    ]);

    expect(ids(rowsOf(sessions, { ...CHOICE, shown: 'asking' }))).toEqual(['asks', 'doubts']);
    expect(belongs(session('silent', { silentSince: 1 }), 'trouble')).toBe(true);
    expect(attention(session('asks', { openPermissions: 1, state: 'stopped' }))).toBe(4);
  });
});

describe('the rows that are drawn', () => {
  it('are those that can be seen, and a few more on both sides', () => {
    expect(visibleRange({ count: 500, rowHeight: 40, top: 4_000, height: 400 })).toEqual({ first: 94, end: 116 });
  });

  it('are never more than there are, wherever one has scrolled to', () => {
    expect(visibleRange({ count: 3, rowHeight: 40, top: 9_000, height: 400 })).toEqual({ first: 3, end: 3 });
    expect(visibleRange({ count: 0, rowHeight: 40, top: 0, height: 400 })).toEqual({ first: 0, end: 0 });
  });
});

const CHOICE: FleetChoice = { search: '', shown: 'all', sort: 'attention', isDescending: false };

function ids(sessions: readonly SessionSummary[]): string[] {
  return sessions.map(({ id }) => id);
}

function session(id: string, more: Partial<SessionSummary>): SessionSummary {
  return {
    id,
    groups: [],
    seq: 1,
    epoch: 1,
    state: 'ready',
    position: 'ready.idle',
    status: 'idle',
    since: 0,
    createdAt: 0,
    updatedAt: 0,
    openPrompts: 0,
    queuedPrompts: 0,
    promptsInDoubt: 0,
    openPermissions: 0,
    restarts: 0,
    turns: 0,
    ...more,
  };
}
