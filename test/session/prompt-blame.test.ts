import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { INTERRUPTED, openLedger } from './ledger-harness.ts';

const STALLED = new TroupeError('STALLED');
const LATER = { result: { ...INTERRUPTED, promptUuids: ['1'] } };

describe('a turn that is interrupted for a reason of ours', () => {
  it('names it also for the prompt that the CLI began before it read the interrupt (P3, P5)', () => {
    const { ledger, play, ended } = openLedger({ hasLifecycle: true });
    play({ send: '1' });
    ledger.blame(STALLED);
    play(['1', 'started'], 'init', LATER);
    expect(ended).toMatchObject([{ id: '1', result: { outcome: 'interrupted', error: { code: 'STALLED' } } }]);
  });

  it('is an interruption for releases that name no reason (R43, WIRE §23)', () => {
    const { ledger, play, ended } = openLedger();
    play({ send: '1' });
    ledger.blame(STALLED);
    play('init', { result: { subtype: 'error_during_execution', isError: true } });
    expect(ended).toMatchObject([{ result: { outcome: 'interrupted', error: { code: 'STALLED' } } }]);
  });

  it('is no reason for what runs after it: that is interrupted by whoever wishes it, without an error (P3)', () => {
    const { ledger, play, ended } = openLedger({ hasLifecycle: true });
    play({ send: ['0', '1'] });
    ledger.blame(STALLED);
    play(['0', 'started'], 'init', { result: { ...INTERRUPTED, promptUuids: ['0'] } });
    play(['1', 'started'], 'init', { interrupt: true }, LATER);
    expect(ended.map(({ id, result }) => [id, result.outcome, result.error?.code])).toEqual([
      ['0', 'interrupted', 'STALLED'],
      ['1', 'interrupted', undefined],
    ]);
  });

  it.each(['another turn ended', 'another process has the prompt'])('is forgotten when %s (P2, P3)', (how) => {
    const { ledger, play, lose, deliverAll, ended } = openLedger({ hasLifecycle: true });
    play({ send: '1' });
    ledger.blame(STALLED);
    if (how === 'another turn ended') play({ result: { origin: 'task-notification', promptUuids: [] } });
    else {
      lose({ isRestarting: true, error: STALLED });
      expect(deliverAll()).toEqual(['1']);
    }
    play(['1', 'started'], 'init', { interrupt: true }, LATER);
    expect(ended).toMatchObject([{ result: { outcome: 'interrupted', error: undefined } }]);
  });
});
