import { TroupeError } from '../errors.ts';

/**
 * What the official SDK calls the error of an aborted query. Nothing is made of this class: `error instanceof AbortError`
 * is true for a TroupeError with the code ABORTED, of any copy of this package.
 */
export abstract class AbortError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return TroupeError.is(value) && value.code === 'ABORTED';
  }
}
