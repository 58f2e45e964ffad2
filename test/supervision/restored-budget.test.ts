import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { LedgerRecord } from '../../src/store/store-record.ts';
import { BudgetDesk } from '../../src/supervision/budget-desk.ts';
import type { StoredSpender } from '../../src/supervision/restored-budget.ts';

const NOON = Date.UTC(2026, 4, 5, 12);
const YESTERDAY = NOON - 24 * 3_600_000;

describe('what was spent under another host', () => {
  it('is spent: by each session, its key, its groups, on its day and in all, also by sessions that are over', () => {
    const desk = open({ maxUsd: 10, perDayUsd: 5 });
    desk.restore([
      spender('living', { key: 'team', groups: ['crew'], turns: [turn(1, YESTERDAY, 2), turn(2, NOON, 1)] }),
      spender('over', { key: 'team', isOver: true, turns: [turn(1, NOON, 0.5)] }),
    ]);
    desk.seat('living', { key: 'team', groups: ['crew'], budget: undefined }, () => undefined);
    expect(spentIn(desk)).toEqual({ session: 3, key: 3.5, group: 3, day: 1.5, total: 3.5 });
  });

  it('stands in the way of prompts where it was all there was', () => {
    const desk = open({ perDayUsd: 1 });
    desk.restore([spender('one', { turns: [turn(1, NOON, 1)] })]);
    const seat = desk.seat('one', { key: undefined, groups: [], budget: undefined }, () => undefined);
    expect(seat.barrier()).toMatchObject({ reason: 'budget', until: Date.UTC(2026, 4, 6) });
  });

  it('of yesterday stands in nobody’s way today', () => {
    const desk = open({ perDayUsd: 1 });
    desk.restore([spender('one', { turns: [turn(1, YESTERDAY, 1)] })]);
    const seat = desk.seat('one', { key: undefined, groups: [], budget: undefined }, () => undefined);
    expect(seat.barrier()).toBeUndefined();
  });

  it.each([1e308, -1e308, 8.64e15, 'yesterday', null])(
    'counts for today where it ended at %j, and costs no other session (P7, P9)',
    (at) => {
      const desk = open({ maxUsd: 10, perDayUsd: 5 });
      // As a damaged store gives it.
      const damaged: LedgerRecord = JSON.parse(JSON.stringify({ ...turn(1, NOON, 2), at }));
      desk.restore([
        spender('broken', { turns: [damaged, damaged] }),
        spender('sound', { turns: [turn(1, YESTERDAY, 1)] }),
      ]);
      expect(spentIn(desk)).toMatchObject({ day: 4, total: 5 });
    },
  );
});

function open(budget: ConstructorParameters<typeof BudgetDesk>[0]['budget']) {
  return new BudgetDesk({ budget, clock: { ...systemClock, now: () => NOON }, inspect: undefined });
}

function spender(id: string, own: Partial<StoredSpender>): StoredSpender {
  return { id, key: undefined, groups: [], budget: undefined, isOver: false, turns: [], ...own };
}

function turn(number: number, at: number, usd: number): LedgerRecord {
  const counted = { usd, tokens: 10, turns: 1, isUnpriced: false };
  return { kind: 'ledger', id: `turn-${number}`, at, details: { counted } };
}

function spentIn(desk: BudgetDesk) {
  const { sessions, keys, groups, day, total } = desk.ledger();
  const first = { session: sessions[0], key: keys[0], group: groups[0], day, total };
  return Object.fromEntries(Object.entries(first).map(([name, entry]) => [name, entry?.spent.usd]));
}
