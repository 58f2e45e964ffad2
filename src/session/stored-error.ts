import { ERROR_CODES, type ErrorCode, TroupeError } from '../errors.ts';
import type { Json } from '../store/store-record.ts';
import { asJson, textIn } from './stored-json.ts';

/** An error as a store keeps it. Of what caused it only the sentence is kept. */
export function storedErrorOf(error: TroupeError): Json {
  const { code, reason, details, cause } = error;
  return asJson({ code, reason, details, cause: cause instanceof Error ? cause.message : undefined });
}

/** The error again; one of a code that this release does not know keeps it in its details. Undefined for what is none. */
export function errorOfStored(stored: unknown): TroupeError | undefined {
  const code = textIn(stored, 'code');
  if (code === undefined) return undefined;
  const details = detailsIn(stored);
  const cause = textIn(stored, 'cause');
  return new TroupeError(isKnown(code) ? code : 'TURN_FAILED', {
    reason: textIn(stored, 'reason'),
    details: isKnown(code) ? details : { ...details, storedCode: code },
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  });
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

function detailsIn(stored: unknown): Readonly<Record<string, unknown>> {
  const value = typeof stored === 'object' && stored !== null && 'details' in stored ? stored.details : undefined;
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
