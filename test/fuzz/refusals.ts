import { type ErrorCode, TroupeError } from '../../src/errors.ts';

/** What came of it: a value, or that it was refused with one of these codes. Whatever else is thrown goes on. */
export type Attempt<T> = { readonly value: T } | { readonly refused: TroupeError };

export function attempt<T>(work: () => T, ...codes: readonly ErrorCode[]): Attempt<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { refused: expected(error, codes) };
  }
}

export async function attemptAsync<T>(work: () => Promise<T>, ...codes: readonly ErrorCode[]): Promise<Attempt<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { refused: expected(error, codes) };
  }
}

/** A text of an error is read by people: it must be there, and short. */
function expected(error: unknown, codes: readonly ErrorCode[]): TroupeError {
  if (!TroupeError.is(error) || (codes.length > 0 && !codes.includes(error.code))) throw error;
  if (JSON.stringify(error).length > 2 ** 20) throw new Error(`${error.code} says more than a megabyte.`);
  return error;
}
