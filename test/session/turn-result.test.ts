import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { endedByResult, endedWithoutResult, outcomeOf } from '../../src/session/turn-result.ts';
import { INTERRUPTED, resultOf } from './ledger-harness.ts';

describe('the outcome of a turn', () => {
  it.each([
    ['a success', {}, false, 'completed'],
    ['an API failure, which calls itself a success (WIRE §0.5)', { isError: true }, false, 'failed'],
    ['an interrupted turn of 2.1.332 (R43)', INTERRUPTED, true, 'interrupted'],
    ['the same when nobody here asked: the CLI says aborted (R43)', INTERRUPTED, false, 'interrupted'],
    ['a refused tool that ended the turn', { ...INTERRUPTED, terminalReason: 'aborted_tools' }, false, 'interrupted'],
    ['a turn that another prompt aborted (WIRE §11)', { terminalReason: 'aborted_streaming' }, false, 'interrupted'],
    [
      'an interrupted turn of 2.1.19, by its shape alone (WIRE §23)',
      { subtype: 'error_during_execution' },
      false,
      'interrupted',
    ],
    [
      'an interrupted turn of a version that names no reason, because we asked',
      { subtype: 'error_during_execution', isError: true },
      true,
      'interrupted',
    ],
    [
      'a crash of the turn that nobody asked for',
      { subtype: 'error_during_execution', isError: true },
      false,
      'failed',
    ],
    [
      'an API failure after we asked to interrupt: it was faster',
      { isError: true, terminalReason: 'api_error' },
      true,
      'failed',
    ],
    ['a success after we asked to interrupt: it was faster', {}, true, 'completed'],
    ['a limit that was reached (WIRE §13)', { subtype: 'error_max_turns', isError: true }, false, 'failed'],
    ['a limit as 2.1.19 tells it', { subtype: 'error_max_turns', isError: false }, false, 'failed'],
    ['a spent budget', { subtype: 'error_max_budget_usd', isError: true }, false, 'failed'],
    ['a hook that stopped it', { terminalReason: 'hook_stopped' }, false, 'completed'],
  ])('for %s', (_title, facts, wasInterruptAsked, outcome) => {
    expect(outcomeOf(resultOf(facts), wasInterruptAsked)).toBe(outcome);
  });
});

describe('an end with a result', () => {
  const facts = { cost: { costUsd: 0.1, models: undefined }, promptIds: ['1', '2'] };

  it('has the text only when the turn completed', () => {
    const result = resultOf({ text: 'hello', structuredOutput: { a: 1 } });
    expect(endedByResult(result, { ...facts, outcome: 'completed' })).toMatchObject({
      outcome: 'completed',
      text: 'hello',
      error: undefined,
      costUsd: 0.1,
      promptIds: ['1', '2'],
      structuredOutput: { a: 1 },
    });
    expect(endedByResult(result, { ...facts, outcome: 'interrupted' })).toMatchObject({
      text: undefined,
      error: undefined,
    });
  });

  it.each([
    ['its errors', { errors: ['first', 'second'], text: 'text' }, 'first; second'],
    ['its text', { text: 'API Error: 400 bad' }, 'API Error: 400 bad'],
    ['its reason', { terminalReason: 'max_turns' }, 'max_turns'],
    ['its subtype', { subtype: 'error_max_turns' }, 'error_max_turns'],
  ])('fails with %s, whichever says most', (_title, more, said) => {
    const { error } = endedByResult(resultOf({ isError: true, ...more }), { ...facts, outcome: 'failed' });
    expect(error).toMatchObject({ code: 'TURN_FAILED', message: expect.stringContaining(said) });
  });

  it('names the fault of the CLI that makes two tool calls of one id, and no other failure so (DIALECTS §1)', () => {
    const words = 'API Error: 400 {"message":"messages.1.content.1: `tool_use` ids must be unique"}';
    const faultOf = (text: string) => {
      const ended = endedByResult(resultOf({ isError: true, text }), { ...facts, outcome: 'failed' });
      return ended.error?.details['cliFault'];
    };

    expect([faultOf(words), faultOf('API Error: 400')]).toEqual(['duplicate-tool-use-ids', undefined]);
  });

  it('fails with the facts for programs: status, reason, subtype', () => {
    const result = resultOf({ isError: true, terminalReason: 'api_error', apiErrorStatus: 529 });
    const { error } = endedByResult(result, { ...facts, outcome: 'failed' });
    expect(error?.details).toEqual({ subtype: 'success', terminalReason: 'api_error', apiErrorStatus: 529 });
  });
});

describe('an end without a result', () => {
  it('leaves unknown what is unknown, never 0', () => {
    const error = new TroupeError('CLI_EXITED');
    expect(endedWithoutResult('lost', '1', error)).toEqual({
      outcome: 'lost',
      text: undefined,
      error,
      usage: undefined,
      costUsd: undefined,
      durationMs: undefined,
      promptIds: ['1'],
      permissionDenials: 0,
      structuredOutput: undefined,
      conversationId: undefined,
    });
  });
});
