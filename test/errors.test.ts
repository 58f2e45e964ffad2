import { describe, expect, it } from 'vitest';
import { ERROR_CODES, TroupeError } from '../src/errors.ts';

describe('the error of this package (PEER test_errors)', () => {
  it('is one class with a code, known across copies of the package', () => {
    for (const code of Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[]) {
      const error = new TroupeError(code);
      expect(error).toBeInstanceOf(Error);
      expect([error.code, error.name, error.message]).toEqual([code, 'TroupeError', ERROR_CODES[code]]);
      expect(TroupeError.is(error)).toBe(true);
    }
    const ofAnotherCopy = { [Symbol.for('troupe.error')]: true, code: 'CLI_EXITED' };
    expect(TroupeError.is(ofAnotherCopy)).toBe(true);
    for (const other of [new Error('x'), { code: 'CLI_EXITED' }, null, undefined, 'CLI_EXITED']) {
      expect(TroupeError.is(other)).toBe(false);
    }
  });

  it('says what happened this time after the sentence of its code, and keeps cause and facts', () => {
    const cause = new Error('spawn ENOENT');
    const error = new TroupeError('CLI_NOT_FOUND', { reason: 'It is not there.', cause, details: { path: '/x' } });

    expect(error.message).toBe(`${ERROR_CODES.CLI_NOT_FOUND} It is not there.`);
    expect([error.reason, error.cause, error.details]).toEqual(['It is not there.', cause, { path: '/x' }]);
    expect(Object.hasOwn(new TroupeError('ABORTED'), 'cause')).toBe(false);
    expect(new TroupeError('ABORTED').details).toEqual({});
  });

  it('survives being sent as JSON, and being thrown through a promise', async () => {
    const error = new TroupeError('TURN_FAILED', {
      reason: 'So.',
      details: { apiErrorStatus: 529, terminalReason: undefined },
    });

    expect(JSON.parse(JSON.stringify({ error }))).toEqual({
      error: { name: 'TroupeError', code: 'TURN_FAILED', message: error.message, details: { apiErrorStatus: 529 } },
    });
    await expect(Promise.reject(error)).rejects.toBe(error);
  });
});
