import type { z } from 'zod';
import { TroupeError } from '../errors.ts';
import { parseRecord } from '../wire/fields.ts';

/** INVALID_ANSWER, naming the field. */
export function malformedAnswer(field: string, fault: string): TroupeError {
  return new TroupeError('INVALID_ANSWER', { reason: `"${field}": ${fault}.`, details: { field } });
}

/** The first fault of an answer as INVALID_ANSWER; `fallback` is the field when the answer is nothing at all. */
export function answerFault(error: z.ZodError, fallback: string): TroupeError {
  const issue = error.issues[0];
  return malformedAnswer(issue?.path.join('.') || fallback, issue?.message ?? 'is malformed');
}

/** The value as it arrives at the other end; undefined when JSON cannot hold it or makes something else of it. */
export function jsonObjectOf(value: unknown): Record<string, unknown> | undefined {
  try {
    return parseRecord(JSON.stringify(value));
  } catch {
    return undefined;
  }
}
