import { describe, expect, it } from 'vitest';
import { INTERRUPTED, openLedger, type Step } from './ledger-harness.ts';

describe('three prompts at once (WIRE §11, recording 11b)', () => {
  it('are two turns in 2.1.332: the second answers two, each told by name (P3)', () => {
    const { play, ends, ended, started, covered } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2', '3'] }, ['1', 'queued'], ['1', 'started'], ['2', 'queued'], ['3', 'queued'], 'init');
    play(['1', 'echo'], { result: { promptUuids: ['1'], text: 'alpha' } }, ['1', 'completed'], ['2', 'echo']);
    play(['2', 'started'], ['3', 'started'], 'init', ['3', 'echo']);
    play({ result: { promptUuids: ['2', '3'], text: 'both' } }, ['2', 'completed'], ['3', 'completed']);

    expect(started).toEqual(['1', '2', '3']);
    expect(covered).toEqual([['1'], ['2', '3']]);
    expect(ends()).toEqual(['1 completed alpha', '2 completed both', '3 completed both']);
    expect(ended.map(({ result }) => result.promptIds)).toEqual([['1'], ['2', '3'], ['2', '3']]);
    expect(ended.map(({ result }) => result.costUsd)).toEqual([0.5, 0.5, 0.5]);
  });

  it('are two turns in 2.1.332 without replay too', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2', '3'] }, ['1', 'queued'], ['1', 'started'], ['2', 'queued'], ['3', 'queued'], 'init');
    play({ result: { promptUuids: ['1'], text: 'alpha' } }, ['1', 'completed'], ['2', 'started'], ['3', 'started']);
    play('init', { result: { promptUuids: ['2', '3'], text: 'both' } }, ['2', 'completed'], ['3', 'completed']);
    expect(ends()).toEqual(['1 completed alpha', '2 completed both', '3 completed both']);
  });

  it('are two turns in 2.1.197, where only echoes tell', () => {
    const { play, ends, started, covered } = openLedger();
    play({ send: ['1', '2', '3'] }, 'init', ['1', 'echo'], { result: { text: 'alpha' } });
    play(['2', 'echo'], 'init', ['3', 'echo'], { result: { text: 'both' } });
    expect(started).toEqual(['1', '2', '3']);
    expect(covered).toEqual([['1'], ['2', '3']]);
    expect(ends()).toEqual(['1 completed alpha', '2 completed both', '3 completed both']);
  });

  it('are three turns in 1.0.128, where only echoes tell', () => {
    const { play, ends, covered } = openLedger();
    play({ send: ['1', '2', '3'] });
    for (const id of ['1', '2', '3']) play('init', [id, 'echo'], { result: { text: `answer ${id}` } });
    expect(covered).toEqual([['1'], ['2'], ['3']]);
    expect(ends()).toEqual(['1 completed answer 1', '2 completed answer 2', '3 completed answer 3']);
  });

  it('are one turn each in 1.0.128 without replay: the oldest goes first', () => {
    const { play, ends, started } = openLedger();
    play({ send: ['1', '2'] }, 'init', { result: { text: 'one' } }, 'init', { result: { text: 'two' } });
    expect(started).toEqual(['1', '2']);
    expect(ends()).toEqual(['1 completed one', '2 completed two']);
  });
});

describe('a prompt while a turn streams (recording 11a)', () => {
  it.each([true, false])('waits for its own turn and its own result (lifecycle: %s)', (hasLifecycle) => {
    const { play, ends } = openLedger({ hasLifecycle });
    const only = (...steps: readonly Step[]) => (hasLifecycle ? steps : []);
    play({ send: '1' }, ...only(['1', 'queued'], ['1', 'started']), 'init', { send: '2' }, ...only(['2', 'queued']));
    play(['1', 'echo'], { result: { promptUuids: hasLifecycle ? ['1'] : [], text: 'one' } });
    play(...only(['1', 'completed'], ['2', 'started']), 'init', ['2', 'echo']);
    play({ result: { promptUuids: hasLifecycle ? ['2'] : [], text: 'two' } }, ...only(['2', 'completed']));
    expect(ends()).toEqual(['1 completed one', '2 completed two']);
  });
});

describe('a prompt while a tool runs (recording 11c)', () => {
  it('is folded into the turn in 2.1.332 and shares its result, although it is completed before (P3)', () => {
    const { play, ends, ended } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'queued'], ['1', 'started'], 'init', ['1', 'echo'], { send: '2' }, ['2', 'queued']);
    play(['2', 'echo'], ['2', 'started'], ['2', 'completed']);
    play({ result: { promptUuids: ['1', '2'], text: 'both' } }, ['1', 'completed']);
    expect(ends()).toEqual(['1 completed both', '2 completed both']);
    expect(ended.map(({ result }) => result.promptIds)).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  it('is folded into the turn in 2.1.197 and 1.0.128, where only echoes tell', () => {
    const { play, ends, covered } = openLedger();
    play({ send: '1' }, 'init', ['1', 'echo'], { send: '2' }, ['2', 'echo'], { result: { text: 'both' } });
    expect(covered).toEqual([['1', '2']]);
    expect(ends()).toEqual(['1 completed both', '2 completed both']);
  });
});

describe('an interrupt with a waiting prompt (recording 08f)', () => {
  it('ends the running one, runs the waiting one, and cancels it when that was asked for (WIRE §8)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'queued'], ['1', 'started'], 'init', { send: '2' }, ['2', 'queued'], { interrupt: true });
    play(['1', 'echo'], { result: { ...INTERRUPTED, promptUuids: ['1'] } }, ['1', 'cancelled'], ['2', 'started']);
    play('init', ['2', 'echo'], { result: { promptUuids: ['2'], text: 'two' } }, ['2', 'completed']);
    play({ send: '3' }, ['3', 'queued'], ['3', 'started'], 'init', { send: '4' }, ['4', 'queued'], { interrupt: true });
    play(['4', 'cancelled'], ['3', 'echo'], { result: { ...INTERRUPTED, promptUuids: ['3'] } }, ['3', 'cancelled']);
    expect(ends()).toEqual(['1 interrupted', '2 completed two', '4 cancelled', '3 interrupted']);
  });
});

describe('a prompt that must go first (recording 11e)', () => {
  it('aborts the running turn, whose result is a success of its own kind (WIRE §11)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play(
      { send: '1' },
      ['1', 'queued'],
      ['1', 'started'],
      'init',
      { send: ['2', '3'] },
      ['2', 'queued'],
      ['3', 'queued'],
    );
    play(['1', 'echo'], { result: { promptUuids: ['1'], terminalReason: 'aborted_streaming', text: 'w0 w1' } });
    play(['1', 'cancelled'], ['3', 'started'], 'init', { result: { promptUuids: ['3'], text: 'now' } });
    play(['3', 'completed'], ['2', 'started'], 'init', { result: { promptUuids: ['2'], text: 'later' } });
    expect(ends()).toEqual(['1 interrupted', '3 completed now', '2 completed later']);
  });
});

describe('200 prompts at once (WIRE §0.9)', () => {
  it('all end once: the result names 64, the lifecycle speaks for the rest (P2, P3)', () => {
    const ids = Array.from({ length: 200 }, (_, number) => `p${number}`);
    const merged = ids.slice(1, 192);
    const rest = ids.slice(192);
    const { play, ended, covered } = openLedger({ hasLifecycle: true });
    play({ send: ids }, ...of(ids, 'queued'), ['p0', 'started'], 'init', { result: { promptUuids: ['p0'] } });
    play(['p0', 'completed'], ...of(merged, 'started'), 'init');
    play({ result: { promptUuids: merged.slice(0, 64), text: 'merged' } }, ...of(merged, 'completed'));
    play(...of(rest, 'started'), 'init', { result: { promptUuids: rest, text: 'rest' } }, ...of(rest, 'completed'));

    expect(covered.map(({ length }) => length)).toEqual([1, 64, 8]);
    expect(ended.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(ended.every(({ result }) => result.outcome === 'completed')).toBe(true);
    expect(ended.filter(({ result }) => result.text === 'merged').map(({ id }) => id)).toEqual(merged);
  });

  it('all fail with the turn that failed, named or not (P3)', () => {
    const ids = Array.from({ length: 100 }, (_, number) => `p${number}`);
    const { play, ended } = openLedger({ hasLifecycle: true });
    play({ send: ids }, ...of(ids, 'started'), 'init');
    play({ result: { promptUuids: ids.slice(0, 64), isError: true, text: 'API Error' } }, ...of(ids, 'completed'));
    expect(ended).toHaveLength(100);
    expect(ended.every(({ result }) => result.outcome === 'failed')).toBe(true);
  });
});

function of(ids: readonly string[], state: 'queued' | 'started' | 'completed'): Step[] {
  return ids.map((id) => [id, state] as const);
}
