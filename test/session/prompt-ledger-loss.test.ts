import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import type { LossPolicy } from '../../src/session/loss-policy.ts';
import { runs } from '../fixed-chance.ts';
import { INTERRUPTED, openLedger, type Step } from './ledger-harness.ts';

const CRASH = new TroupeError('CLI_EXITED', { reason: 'exit code 1' });

describe('losing the process', () => {
  it('sends everything written again, before everything that waits, in the old order (P2, WIRE §11)', () => {
    const { ledger, play, accept, deliverAll, lose, ends } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2', '3'] }, ['1', 'started'], 'init');
    accept('4', 'enqueue');
    lose({ isRestarting: true });
    expect(ends()).toEqual([]);
    expect(ledger.queued.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(ledger.outstanding).toEqual([]);

    expect(deliverAll()).toEqual(['1', '2', '3']);
    play(['1', 'completed'], ['2', 'started'], 'init', { result: { promptUuids: ['2', '3'] } });
    expect(deliverAll()).toEqual(['4']);
    // The CLI calls the first one done without a turn: whether it was, or was cut off, nobody here can know.
    expect(ends()).toEqual(['1 lost', '2 completed', '3 completed']);
  });

  it('says lost where a CLI would lose or repeat a prompt sent twice, and keeps what was not written (P2)', () => {
    const { ledger, play, accept, lose, ended } = openLedger();
    play({ send: ['1', '2'] }, 'init');
    accept('3', 'enqueue');
    lose({ isRestarting: true, error: CRASH });
    expect(ended).toMatchObject([
      { id: '1', result: { outcome: 'lost', error: CRASH } },
      { id: '2', result: { outcome: 'lost', error: CRASH } },
    ]);
    expect(ledger.queued.map(({ id }) => id)).toEqual(['3']);
  });

  it('fails what ran and gives back what waited when no process follows (P2)', () => {
    const { ledger, play, accept, lose, ended } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2'] }, ['1', 'started']);
    accept('3', 'enqueue');
    lose({ error: CRASH });
    expect(ended).toMatchObject([
      { id: '1', result: { outcome: 'failed', error: CRASH, promptIds: ['1'] } },
      { id: '2', result: { outcome: 'failed', error: CRASH } },
      { id: '3', result: { outcome: 'cancelled', error: CRASH } },
    ]);
    expect([ledger.queued, ledger.outstanding]).toEqual([[], []]);
  });

  it('is an interruption when the owner asked for the end (P3)', () => {
    const { play, accept, lose, ended } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started']);
    accept('2', 'enqueue');
    lose({ wasAsked: true });
    expect(ended).toMatchObject([
      { id: '1', result: { outcome: 'interrupted', error: undefined } },
      { id: '2', result: { outcome: 'cancelled' } },
    ]);
  });

  it('ends the turn that was being interrupted as such: it must not run again (R43)', () => {
    const { play, lose, ends, ledger } = openLedger({ hasLifecycle: true });
    play({ send: ['1', '2'] }, ['1', 'started'], 'init', { interrupt: true });
    lose({ isRestarting: true });
    expect(ends()).toEqual(['1 interrupted']);
    expect(ledger.queued.map(({ id }) => id)).toEqual(['2']);
  });

  it('forgets the turn of the old process: its result says nothing about the new one (P3)', () => {
    const { play, deliverAll, lose, ended } = openLedger({ hasLifecycle: true });
    play({ send: ['0', '1'] }, ['0', 'started'], 'init', {
      result: { promptUuids: ['0'], isError: true, text: 'old' },
    });
    play(['1', 'started']);
    lose({ isRestarting: true });
    deliverAll();
    play(['1', 'started'], ['1', 'completed']);
    expect(ended.at(-1)).toMatchObject({ id: '1', result: { outcome: 'lost', error: { code: 'PROMPT_LOST' } } });
  });

  it('does not take an echo of the old process for one of the new (WIRE §11)', () => {
    const { play, lose, deliverAll, covered } = openLedger();
    play({ send: ['1', '2'] }, 'init', ['2', 'echo']);
    lose({ isRestarting: true, canSendAgain: true });
    deliverAll();
    play('init', ['1', 'echo'], { result: {} });
    expect(covered).toEqual([['1']]);
  });
});

describe('every accepted prompt', () => {
  it('ends exactly once, whatever the CLI tells in whatever order, when the last process is gone (P2)', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(happening(), { maxLength: 60 }), (hasLifecycle, happenings) => {
        const { ledger, accept, deliverAll, play, lose, ended } = openLedger({ hasLifecycle, maxQueued: 5 });
        const accepted: string[] = [];
        for (const happening of happenings) {
          if ('lose' in happening) lose(happening.lose);
          else if ('step' in happening) play(happening.step);
          else if ('takeBack' in happening) ledger.cancelQueued(happening.takeBack);
          else if (accepted.includes(happening.accept) || ledger.queued.length >= 5) continue;
          else accepted.push(accept(happening.accept, happening.onBusy).id);
          deliverAll();
          expect(ended.length + ledger.queued.length + ledger.outstanding.length).toBe(accepted.length);
        }

        lose({ isRestarting: false });

        expect(ended.map(({ id }) => id).sort()).toEqual([...accepted].sort());
        expect([ledger.queued, ledger.outstanding]).toEqual([[], []]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is never repeated once it ended: the next process gets what has not ended, each once (P2)', () => {
    fc.assert(
      fc.property(fc.array(happening(), { maxLength: 60 }), (happenings) => {
        const { ledger, accept, deliverAll, play, lose, ended } = openLedger({ hasLifecycle: true });
        for (const happening of happenings) {
          if ('lose' in happening) lose({ isRestarting: true, canSendAgain: true });
          else if ('step' in happening) play(happening.step);
          else if ('takeBack' in happening) ledger.cancelQueued(happening.takeBack);
          else if (ledger.find(happening.accept) === undefined) accept(happening.accept, happening.onBusy);
          const delivered = deliverAll();
          expect(new Set(delivered).size).toBe(delivered.length);
          expect(delivered.filter((id) => ended.some((end) => end.id === id))).toEqual([]);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

type Happening =
  | { readonly accept: string; readonly onBusy: 'enqueue' | 'steer' }
  | { readonly takeBack: string }
  | { readonly step: Step }
  | { readonly lose: Partial<LossPolicy> };

function happening(): fc.Arbitrary<Happening> {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const state = fc.constantFrom('queued', 'started', 'completed', 'cancelled', 'echo');
  const promptUuids = fc.uniqueArray(id, { maxLength: 3 });
  const kind = fc.constantFrom({}, { isError: true }, INTERRUPTED, { origin: 'task-notification' }, { turns: 0 });
  return fc.oneof(
    fc.record({ accept: id, onBusy: fc.constantFrom('enqueue' as const, 'steer' as const) }),
    fc.record({ takeBack: id }),
    fc.record({ step: fc.tuple(id, state) }),
    fc.record({
      step: fc.record({
        result: fc.tuple(promptUuids, kind).map(([uuids, facts]) => ({ ...facts, promptUuids: uuids })),
      }),
    }),
    fc.record({ step: fc.constantFrom<Step>('init', { interrupt: true }) }),
    fc.record({
      lose: fc.record({ isRestarting: fc.constant(true), canSendAgain: fc.boolean(), wasAsked: fc.boolean() }),
    }),
  );
}
