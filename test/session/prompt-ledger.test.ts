import { describe, expect, it } from 'vitest';
import { INTERRUPTED, openLedger } from './ledger-harness.ts';

describe('accepting and delivering', () => {
  it('writes one prompt at a time, in order, and a steering one at once (P2)', () => {
    const { ledger, accept, deliverAll, play } = openLedger({ hasLifecycle: true });
    for (const id of ['1', '2', '3']) accept(id, 'enqueue');
    expect(deliverAll()).toEqual(['1']);
    accept('now', 'steer');
    expect(deliverAll()).toEqual(['now']);
    expect(ledger.queued.map(({ id }) => id)).toEqual(['2', '3']);

    play(['1', 'started'], 'init', { result: { promptUuids: ['1', 'now'] } });
    expect(deliverAll()).toEqual(['2']);
  });

  it('refuses a prompt over the limit and keeps nothing of it (P9)', () => {
    const { ledger, accept } = openLedger({ maxQueued: 2 });
    accept('1');
    accept('2');
    expect(() => accept('3')).toThrow(
      expect.objectContaining({
        code: 'PROMPT_QUEUE_FULL',
        details: { field: 'limits.maxPromptQueue', limit: 2 },
      }),
    );
    expect(ledger.find('3')).toBeUndefined();
    expect(ledger.queued.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('takes a prompt back as long as it was not written, and only once', () => {
    const { ledger, accept, deliverAll, ends } = openLedger();
    accept('1', 'enqueue');
    accept('2', 'enqueue');
    deliverAll();
    expect(['1', '2', '2', '9'].map((id) => ledger.cancelQueued(id))).toEqual([false, true, false, false]);
    expect(ends()).toEqual(['2 cancelled']);
    expect(ledger.queued).toEqual([]);
  });

  it('finds ended prompts again, up to a limit, and every one that has not ended (P9)', () => {
    const { ledger, accept, deliverAll, play } = openLedger({ hasLifecycle: true });
    accept('waiting', 'enqueue');
    deliverAll();
    for (let number = 0; number < 3_000; number += 1) {
      play({ send: `${number}` }, [`${number}`, 'started'], { result: { promptUuids: [`${number}`] } });
    }
    const kept = Array.from({ length: 3_000 }, (_, number) => `${number}`).filter(
      (id) => ledger.find(id) !== undefined,
    );
    expect(kept.length).toBeLessThanOrEqual(1_001);
    expect(kept.at(-1)).toBe('2999');
    expect(ledger.find('waiting')?.state).toBe('delivered');
  });
});

describe("results that are nobody's", () => {
  it('leave the prompt alone: a task notification answers first (R73)', () => {
    const { play, ends, covered } = openLedger({ hasLifecycle: true });
    play({ send: 'P' }, ['P', 'queued']);
    play({ result: { origin: 'task-notification', text: 'agent is done' } });
    play(['P', 'started'], 'init', { result: { promptUuids: ['P'], text: 'yours' } }, ['P', 'completed']);
    expect(covered).toEqual([[], ['P']]);
    expect(ends()).toEqual(['P completed yours']);
  });

  it('leave the prompt alone also where no lifecycle and no origin tells: it was not echoed (R73, WIRE §11)', () => {
    const { play, ends, covered } = openLedger();
    play({ send: '1' }, 'init', ['1', 'echo'], { result: { text: 'one' } });
    play({ send: 'P' }, { result: { text: 'leftover' } }, { result: { origin: 'task-notification' } });
    play('init', ['P', 'echo'], { result: { text: 'yours', origin: 'human' } });
    expect(covered).toEqual([['1'], [], [], ['P']]);
    expect(ends()).toEqual(['1 completed one', 'P completed yours']);
  });

  it('leave the prompt alone by their origin, before any echo was ever seen (R73)', () => {
    const { play, covered } = openLedger();
    play({ send: 'P' }, { result: { origin: 'task-notification' } }, 'init', { result: { origin: 'human' } });
    expect(covered).toEqual([[], ['P']]);
  });

  it('do not begin the prompt either: only its lifecycle does, where there is one (P3)', () => {
    const { play, started } = openLedger({ hasLifecycle: true });
    play({ send: 'P' }, 'init', { result: { origin: 'task-notification' } });
    expect(started).toEqual([]);
    play(['P', 'started']);
    expect(started).toEqual(['P']);
  });

  it('change nothing when they come twice (P3)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    const twice = { result: { promptUuids: ['1'], text: 'one' } };
    play({ send: ['1', '2'] }, ['1', 'started'], 'init', twice, twice, ['1', 'completed'], ['1', 'completed'], twice);
    expect(ends()).toEqual(['1 completed one']);
  });

  it('change nothing when they come twice and only echoes tell (P3)', () => {
    const { play, ends } = openLedger();
    play({ send: ['1', '2'] }, 'init', ['1', 'echo'], { result: { text: 'one' } }, { result: { text: 'one' } });
    expect(ends()).toEqual(['1 completed one']);
  });

  it('and facts of prompts nobody sent change nothing (P6)', () => {
    const { play, ends, started, covered } = openLedger({ hasLifecycle: true });
    play(['9', 'started'], ['9', 'echo'], 'init', { result: { promptUuids: ['9'] } }, ['9', 'completed']);
    expect([ends(), started, covered]).toEqual([[], [], [[]]]);
  });
});

describe('how a prompt ends', () => {
  it('is an interruption and no error, whatever the diagnostic says (R43, P3)', () => {
    const { play, ended } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started'], 'init', { interrupt: true });
    play({ result: { ...INTERRUPTED, promptUuids: ['1'] } }, ['1', 'cancelled']);
    expect(ended).toMatchObject([{ id: '1', result: { outcome: 'interrupted', error: undefined, text: undefined } }]);
  });

  it.each([
    ['2.1.197', { subtype: 'error_during_execution', isError: true }],
    ['2.1.19', { subtype: 'error_during_execution', isError: false }],
  ])('is an interruption in %s too, which names no reason (R43, WIRE §23)', (_version, result) => {
    const { play, ends } = openLedger();
    play({ send: '1' }, 'init', { interrupt: true }, { result });
    expect(ends()).toEqual(['1 interrupted']);
  });

  it('is a failure when is_error says so, with the words of the CLI (WIRE §0.5, P3)', () => {
    const { play, ended } = openLedger({ hasLifecycle: true });
    const result = { isError: true, text: 'API Error: 529', promptUuids: ['1'], apiErrorStatus: 529 };
    play({ send: '1' }, ['1', 'started'], 'init', { result });
    expect(ended).toMatchObject([
      {
        result: {
          outcome: 'failed',
          text: undefined,
          error: { code: 'TURN_FAILED', details: { apiErrorStatus: 529 } },
        },
      },
    ]);
  });

  it('is told by the lifecycle alone for a prompt the CLI knew already after a resume (P2, WIRE §11)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'completed']);
    expect(ends()).toEqual(['1 completed']);
  });

  it('is a cancellation when the CLI drops it from its queue, an interruption when it had begun (WIRE §8)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2'] }, ['1', 'started'], 'init', ['2', 'queued'], ['2', 'cancelled'], ['1', 'cancelled']);
    expect(ends()).toEqual(['2 cancelled', '1 interrupted']);
  });

  it('is the failure of the turn it was folded into, although the CLI completed it before (P3, WIRE §11)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started'], 'init', { send: '2' }, ['2', 'started'], ['2', 'completed']);
    play({ result: { isError: true, text: 'API Error', promptUuids: ['1', '2'] } }, ['1', 'completed']);
    expect(ends()).toEqual(['1 failed', '2 failed']);
  });

  it.each([
    ['names only the other', { promptUuids: ['1'] }],
    ['names nobody, as in a turn nobody prompted', { origin: 'task-notification' }],
  ])('is that of the turn it was folded into, although its result %s (P3, WIRE §0.9)', (_title, facts) => {
    const { play, ended } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started'], 'init', { send: '2' }, ['2', 'started'], ['2', 'completed']);
    play({ result: { ...facts, text: 'both' } });
    expect(ended.find(({ id }) => id === '2')).toMatchObject({ result: { outcome: 'completed', text: 'both' } });
  });

  it('is told by the lifecycle alone when no turn opened for it: nobody waits for a result that cannot come (P5)', () => {
    const { play, ends } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started'], ['1', 'completed']);
    expect(ends()).toEqual(['1 completed']);
  });

  it('comes once even when the turn it was folded into never has a result (P5)', () => {
    const { play, ends, lose } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started'], 'init', { send: '2' }, ['2', 'started'], ['2', 'completed']);
    lose({ isRestarting: true });
    expect(ends()).toEqual(['2 completed']);

    play({ send: '3' }, ['3', 'started'], 'init', { send: '4' }, ['4', 'started'], ['4', 'completed'], 'init');
    expect(ends()).toEqual(['2 completed', '4 completed']);
  });
});

describe('an interrupt', () => {
  it('is meant for what has started, or for everything written when nothing has', () => {
    const { ledger, play } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2'] });
    expect(ledger.markInterrupted().map(({ id }) => id)).toEqual(['1', '2']);

    const other = openLedger({ hasLifecycle: true });
    other.play({ send: ['1', '2'] }, ['1', 'started']);
    expect(other.ledger.markInterrupted().map(({ id }) => id)).toEqual(['1']);
    expect(openLedger().ledger.markInterrupted()).toEqual([]);
  });
});
