import { describe, expect, it } from 'vitest';
import { UNITS } from '../../machines/budget/amounts.ts';
import { IDLE_ACCOUNTS_KEPT, type OnLimit, type ScopeKind } from '../../machines/budget/ledger.ts';
import { DAY_MS, openBudget } from './budget-harness.ts';

const SCOPES: readonly (readonly [ScopeKind, string])[] = [
  ['session', 'one'],
  ['key', 'shop'],
  ['group', 'team'],
  ['day', '1970-01-01'],
  ['total', ''],
];
const ENDS: readonly OnLimit[] = ['park', 'interrupt', 'kill'];
const TABLE = SCOPES.flatMap(([kind, name]) =>
  UNITS.flatMap((unit) => ENDS.map((onLimit) => ({ kind, name, unit, onLimit }))),
);

describe('a limit', () => {
  it.each(TABLE)('of $unit for a $kind is warned of, reached once, and followed by $onLimit', (row) => {
    const { kind, name, unit, onLimit } = row;
    const { join, settle, notices, block } = openBudget({ limits: { [kind]: { [unit]: 10 } }, onLimit });
    join('one', { key: 'shop', groups: ['team'] });
    join('two', { key: 'shop', groups: ['team'] });
    join('three');

    settle('one', { [unit]: 7 });
    expect(notices).toEqual([]);
    settle('one', { [unit]: 1 });
    settle('one', { [unit]: 1 });
    const scope = { kind, name };
    expect(notices).toEqual([{ type: 'budget.warned', by: 'one', scope, unit, spent: 8, limit: 10 }]);
    expect(block('one')).toBeUndefined();

    settle('one', { [unit]: 1 });
    settle('one', { [unit]: 1 });
    const sessions = SESSIONS_OF[kind];
    expect(notices.slice(1)).toEqual([
      { type: 'budget.reached', by: 'one', scope, unit, spent: 10, limit: 10, onLimit, sessions },
    ]);
    expect(['one', 'two', 'three'].filter((id) => block(id) !== undefined)).toEqual(sessions);
    expect(block('one')).toEqual({ scope, unit, spent: 11, limit: 10, onLimit, isTaken: false });
  });

  it.each(TABLE.filter(({ onLimit }) => onLimit === 'park'))(
    'of $unit for a $kind gives way when it is raised, and holds again later',
    ({ kind, name, unit }) => {
      const { join, settle, raise, notices, block } = openBudget({ limits: { [kind]: { [unit]: 10 } } });
      join('one', { key: 'shop', groups: ['team'] });
      settle('one', { [unit]: 12 });
      notices.length = 0;

      raise(kind, name, { [unit]: 2 });
      expect(notices).toEqual([]);
      expect(block('one')).toBeDefined();

      raise(kind, name, { [unit]: 8 });
      expect(notices).toEqual([{ type: 'budget.reopened', sessions: ['one'] }]);
      expect(block('one')).toBeUndefined();

      settle('one', { [unit]: 8 });
      expect(notices.map(({ type }) => type)).toEqual(['budget.reopened', 'budget.reached']);
    },
  );

  it('of dollars is reached by ten times ten cents', () => {
    const { join, settle, block } = openBudget({ limits: { total: { usd: 1 } } });
    join('one');
    for (let turn = 0; turn < 10; turn += 1) settle('one', { usd: 0.1 });

    expect(block('one')).toMatchObject({ spent: 1 });
  });

  it('is reached in the middle of a turn, by what that has used so far', () => {
    const { join, open, settle, notices, spent } = openBudget({
      limits: { total: { tokens: 100 } },
      onLimit: 'interrupt',
    });
    join('one');
    open('one', { tokens: 60 });
    open('one', { tokens: 120 });

    expect(notices).toMatchObject([{ type: 'budget.reached', spent: 120 }]);
    settle('one', { tokens: 130, turns: 1 });
    expect(spent('session', 'one')).toEqual({ usd: 0, tokens: 130, turns: 1 });
    expect(spent('total', '')).toEqual({ usd: 0, tokens: 130, turns: 1 });
  });

  it('of turns lets the last one run, and nobody begin another beside it', () => {
    const { join, open, settle, notices, block } = openBudget({ limits: { total: { turns: 2 } }, onLimit: 'kill' });
    join('one');
    join('two');
    settle('one', { turns: 1 });
    open('one');

    expect(notices).toMatchObject([]);
    expect(block('one')).toBeUndefined();
    expect(block('two')).toMatchObject({ unit: 'turns', spent: 1, limit: 2, isTaken: true });
    settle('one', { turns: 1 });
    expect(notices.at(-1)).toMatchObject({ type: 'budget.reached', unit: 'turns', sessions: ['one', 'two'] });
  });

  it('of turns is free again when the turn never was one', () => {
    const { join, open, settle, notices, block } = openBudget({ limits: { total: { turns: 1 } } });
    join('one');
    join('two');
    open('one');
    settle('one', {});

    expect(notices).toEqual([{ type: 'budget.reopened', sessions: ['two'] }]);
    expect(block('two')).toBeUndefined();
  });
});

describe('the ledger', () => {
  it('keeps what a session spent with its key, its groups, the day and the total when the session is gone', () => {
    const { budget, join, open, settle, spent } = openBudget();
    join('one', { key: 'shop', groups: ['outer', 'inner'] });
    settle('one', { usd: 0.5, tokens: 30, turns: 1 });
    open('one', { tokens: 5 });
    budget.send({ type: 'payer.left', id: 'one' });

    const left = { usd: 0.5, tokens: 35, turns: 1 };
    expect(spent('session', 'one')).toBeUndefined();
    for (const [kind, name] of [
      ['key', 'shop'],
      ['group', 'outer'],
      ['group', 'inner'],
      ['day', '1970-01-01'],
      ['total', ''],
    ] as const)
      expect(spent(kind, name), kind).toEqual(left);
    join('one', { key: 'shop' });
    expect(spent('session', 'one')).toEqual({ usd: 0, tokens: 0, turns: 0 });
    expect(spent('key', 'shop')).toEqual(left);
  });

  it('is bounded: of keys that nobody works for, the oldest are forgotten (P9)', () => {
    const { budget, join, settle, ledger, spent } = openBudget();
    join('stays', { key: 'in use' });
    for (let number = 0; number < IDLE_ACCOUNTS_KEPT + 10; number += 1) {
      join('guest', { key: `key ${number}` });
      settle('guest', { tokens: 1 });
      budget.send({ type: 'payer.left', id: 'guest' });
    }

    // A session that joins again under its id leaves what it paid into before.
    join('stays', { key: 'in use' });
    expect(ledger().idle).toBeLessThanOrEqual(IDLE_ACCOUNTS_KEPT * 1.1);
    expect(ledger().accounts.size).toBeLessThanOrEqual(IDLE_ACCOUNTS_KEPT * 1.1 + 5);
    expect(spent('key', 'in use')).toBeDefined();
    expect(spent('total', '')).toMatchObject({ tokens: IDLE_ACCOUNTS_KEPT + 10 });
  });
});

describe('a day that is used up', () => {
  it('is waited for by itself, and lets everybody go on when the next has come', () => {
    const { join, settle, state, clock, notices, block, tellDay } = openBudget({ limits: { day: { usd: 1 } } });
    join('one');
    clock.increment(DAY_MS - 60_000);
    settle('one', { usd: 1 });
    expect(state()).toBe('day-spent');
    notices.length = 0;

    clock.increment(59_999);
    expect(notices).toEqual([]);
    clock.increment(1);
    expect(notices).toEqual([{ type: 'day.wanted' }]);
    tellDay();

    expect(notices.slice(1)).toEqual([{ type: 'budget.reopened', sessions: ['one'] }]);
    expect(block('one')).toBeUndefined();
    expect(state()).toBe('counting');
  });

  it('is looked at from time to time, because a machine that slept does not notice the hour', () => {
    const { join, settle, clock, notices, tellDay, state } = openBudget({ limits: { day: { turns: 1 } } });
    join('one');
    settle('one', { turns: 1 });
    for (let check = 1; check <= 3; check += 1) {
      clock.increment(600_000);
      expect(notices.filter(({ type }) => type === 'day.wanted')).toHaveLength(check);
      tellDay();
    }

    expect(state()).toBe('day-spent');
  });

  it('is over at once for who raises it', () => {
    const { join, settle, raise, state } = openBudget({ limits: { day: { turns: 1 } } });
    join('one');
    settle('one', { turns: 1 });
    raise('day', '1970-01-01', { turns: 1 });

    expect(state()).toBe('counting');
  });

  it('pays only for what a turn over midnight used on it', () => {
    const { join, open, settle, clock, tellDay, spent } = openBudget();
    join('one');
    open('one', { tokens: 40 });
    clock.increment(DAY_MS);
    tellDay();
    settle('one', { tokens: 100, turns: 1 });

    expect(spent('day', '1970-01-01')).toMatchObject({ tokens: 40 });
    expect(spent('day', '1970-01-02')).toMatchObject({ tokens: 60, turns: 1 });
    expect(spent('total', '')).toMatchObject({ tokens: 100 });
  });
});

/** Of three sessions, of which the third has neither key nor group. */
const SESSIONS_OF: Readonly<Record<ScopeKind, readonly string[]>> = {
  session: ['one'],
  key: ['one', 'two'],
  group: ['one', 'two'],
  day: ['one', 'two', 'three'],
  total: ['one', 'two', 'three'],
};
