import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import type { OnPromptLost } from '../../src/launch/session-options.ts';
import { fateAfterLoss, fateWhenRefused } from '../../src/session/loss-policy.ts';
import { runs } from '../fixed-chance.ts';
import { openLedger } from './ledger-harness.ts';

const POLICIES = ['once', 'retry', 'fail', 'ask'] as const;
const CRASH = new TroupeError('CLI_EXITED', { reason: 'exit code 1' });

describe('what becomes of a prompt that was cut off, when another process follows (P2)', () => {
  it.each<[OnPromptLost, boolean, 'delivered' | 'started', string]>([
    ['once', true, 'delivered', 'again'],
    ['once', true, 'started', 'again'],
    ['once', false, 'delivered', 'lost'],
    ['once', false, 'started', 'lost'],
    ['retry', true, 'delivered', 'again'],
    ['retry', true, 'started', 'again'],
    ['retry', false, 'delivered', 'anew'],
    ['retry', false, 'started', 'anew'],
    ['fail', true, 'delivered', 'lost'],
    ['fail', true, 'started', 'lost'],
    ['fail', false, 'started', 'lost'],
    ['ask', true, 'delivered', 'again'],
    ['ask', true, 'started', 'in-doubt'],
    ['ask', false, 'delivered', 'in-doubt'],
    ['ask', false, 'started', 'in-doubt'],
  ])('%s, the CLI knows prompts by their id: %s, %s: %s', (onLost, canSendAgain, state, fate) => {
    expect(fateAfterLoss(state, onLost, canSendAgain)).toBe(fate);
  });

  it('is decided again when the CLI will not take up the turn that was cut off (WIRE §15)', () => {
    expect(POLICIES.map(fateWhenRefused)).toEqual(['lost', 'anew', 'lost', 'in-doubt']);
  });
});

describe('onPromptLost: "retry"', () => {
  it('begins a turn anew that the CLI will not take up, under an id of its own (WIRE §11)', () => {
    const { ledger, play, lose, deliverAll, ends } = openLedger({ hasLifecycle: true, onLost: 'retry' });
    play({ send: '1' }, ['1', 'started'], 'init');
    lose({ isRestarting: true });
    deliverAll();
    play(['1', 'completed']);
    expect(ends()).toEqual([]);
    const { wireId } = ledger.queued[0] ?? {};
    expect(wireId).not.toBe('1');
    deliverAll();

    // What is still said of the old id is nobody's any more.
    play(['1', 'completed'], [wireId ?? '', 'started'], 'init', { result: { promptUuids: [wireId ?? ''] } });
    expect(ends()).toEqual(['1 completed']);
  });

  it('begins it anew at once where a repeated id would be dropped without a word', () => {
    const { ledger, play, lose, deliverAll, ends } = openLedger({ onLost: 'retry' });
    play({ send: '1' }, 'init');
    lose({ isRestarting: true });
    expect(ledger.queued.map(({ id, wireId }) => [id, wireId === '1'])).toEqual([['1', false]]);
    deliverAll();
    play('init', { result: {} });
    expect(ends()).toEqual(['1 completed']);
  });

  it('takes a local command that was begun anew for done, and does not begin it for ever', () => {
    const { ledger, play, lose, deliverAll, ends } = openLedger({ hasLifecycle: true, onLost: 'retry' });
    play({ send: '1' }, ['1', 'started']);
    lose({ isRestarting: true });
    deliverAll();
    play(['1', 'completed']);
    deliverAll();
    play([ledger.outstanding[0]?.wireId ?? '', 'completed']);
    expect(ends()).toEqual(['1 completed']);
  });
});

describe('onPromptLost: "fail"', () => {
  it('ends what was written as lost, with why, and keeps what was not', () => {
    const { ledger, play, accept, lose, ended } = openLedger({ hasLifecycle: true, onLost: 'fail' });
    play({ send: '1' }, ['1', 'started']);
    accept('2', 'enqueue');
    lose({ isRestarting: true, error: CRASH });
    expect(ended).toMatchObject([
      {
        id: '1',
        result: { outcome: 'lost', error: { code: 'PROMPT_LOST', details: { id: '1', because: 'CLI_EXITED' } } },
      },
    ]);
    expect(ended[0]?.result.error?.message).toContain('exit code 1');
    expect(ledger.queued.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('onPromptLost: "ask"', () => {
  it('holds what could run twice, and everything behind it, until somebody decides', () => {
    const { ledger, play, accept, lose, deliverAll, doubted, ends } = askedLedger();
    play({ send: '1' }, ['1', 'started']);
    accept('2', 'enqueue');
    lose({ isRestarting: true });
    accept('3', 'steer');
    expect(doubted).toEqual(['1 CLI_EXITED']);
    expect(ledger.inDoubt.map(({ id }) => id)).toEqual(['1']);
    expect(deliverAll()).toEqual([]);

    expect(ledger.resolveDoubt('1', 'retry')).toBe(true);
    expect(ledger.resolveDoubt('1', 'fail')).toBe(false);
    expect(deliverAll()).toEqual(['1', '3']);
    expect(ends()).toEqual([]);
  });

  it('lets the others go on when the answer is to fail', () => {
    const { ledger, play, accept, lose, deliverAll, ended } = askedLedger();
    play({ send: '1' }, ['1', 'started']);
    accept('2', 'enqueue');
    lose({ isRestarting: true });
    expect(ledger.resolveDoubt('2', 'fail')).toBe(false);
    expect(ledger.resolveDoubt('1', 'fail')).toBe(true);
    expect(ended).toMatchObject([{ id: '1', result: { outcome: 'lost', error: { code: 'PROMPT_LOST' } } }]);
    expect(deliverAll()).toEqual(['2']);
  });

  it('asks about nothing that cannot run twice, unless the CLI then says that it had begun', () => {
    const { ledger, play, lose, deliverAll, doubted } = askedLedger();
    play({ send: '1' });
    lose({ isRestarting: true });
    expect([doubted, deliverAll()]).toEqual([[], ['1']]);
    play(['1', 'started'], ['1', 'completed']);
    expect(doubted).toEqual(['1 PROMPT_LOST']);
    expect(ledger.inDoubt).toHaveLength(1);
  });

  it('gives the prompt back with its session, and to who takes it back, as interrupted: it had begun (P2)', () => {
    for (const give of ['cancel', 'close'] as const) {
      const { ledger, play, lose, ends } = askedLedger();
      play({ send: '1' }, ['1', 'started']);
      lose({ isRestarting: true });
      if (give === 'cancel') ledger.cancelQueued('1');
      else lose({ isRestarting: false, wasAsked: true, error: new TroupeError('SESSION_CLOSED') });
      expect(ends()).toEqual(['1 interrupted']);
      expect(ledger.inDoubt).toEqual([]);
    }
  });

  it('still holds it when the next process is lost as well', () => {
    const { ledger, play, lose, deliverAll, doubted } = askedLedger();
    play({ send: '1' }, ['1', 'started']);
    lose({ isRestarting: true });
    lose({ isRestarting: true });
    expect(deliverAll()).toEqual([]);
    expect(doubted).toHaveLength(1);
    expect(ledger.inDoubt).toHaveLength(1);
  });

  function askedLedger() {
    return openLedger({ hasLifecycle: true, onLost: 'ask' });
  }
});

describe('under every policy', () => {
  it('a prompt ends exactly once, and is never in two places, whatever is lost when (P2)', () => {
    const step = fc.oneof(
      fc.record({ send: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ lose: fc.boolean() }),
      fc.record({ resolve: fc.constantFrom('retry' as const, 'fail' as const) }),
      fc.record({ tell: fc.constantFrom('started' as const, 'completed' as const, 'cancelled' as const) }),
      fc.constant({ result: true }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...POLICIES),
        fc.boolean(),
        fc.array(step, { maxLength: 40 }),
        (onLost, knows, steps) => {
          const { ledger, accept, deliverAll, play, lose, ended } = openLedger({ hasLifecycle: knows, onLost });
          const accepted: string[] = [];
          const sent: string[] = [];
          for (const one of steps) {
            if ('send' in one && !accepted.includes(one.send)) accepted.push(accept(one.send, 'enqueue').id);
            if ('lose' in one) lose({ isRestarting: one.lose });
            if ('resolve' in one) ledger.resolveDoubt(ledger.inDoubt[0]?.id ?? '', one.resolve);
            const { wireId } = ledger.outstanding[0] ?? {};
            if ('tell' in one && knows && wireId !== undefined) play([wireId, one.tell]);
            if ('result' in one && wireId !== undefined) play('init', { result: { promptUuids: [wireId] } });
            deliverAll();
            sent.push(...ledger.outstanding.map((record) => record.wireId).filter((id) => id !== wireId));
            expect(ended.length + ledger.queued.length + ledger.outstanding.length).toBe(accepted.length);
            // Without a CLI that knows them by their id, none is written twice under one id.
            if (!knows) expect(new Set(sent).size).toBe(sent.length);
          }
          lose({ isRestarting: false });
          expect(ended.map(({ id }) => id).sort()).toEqual([...accepted].sort());
        },
      ),
      { numRuns: runs(400) },
    );
  });
});
