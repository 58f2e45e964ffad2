import { z } from 'zod';
import { type Agrees, Duration } from './field-schemas.ts';

/**
 * How much a store keeps; `Infinity` for no bound. What goes of a log is told to who reads it later (`log.truncated`); what is so
 * now of a session that has not ended always stays: its options, queue, questions, ledger. The defaults hold for a store that
 * the supervisor opens; of a store of your own only what you set here is looked after.
 */
export interface RetentionOptions {
  /** Events of one session; the oldest go. Default 250 000. */
  readonly maxEventsPerSession?: number;
  /** Bytes of all logs together, each event with 100 more than its data; those that came first go. Default 4 GiB. */
  readonly maxBytes?: number;
  /** Milliseconds that an event is kept. Default `Infinity`. */
  readonly maxAgeMs?: number;
  /** Sessions that have ended; of more, those that ended first go altogether. Default 1 000. */
  readonly maxEndedSessions?: number;
}

const Bound = z.custom<number>(
  (value) =>
    value === Number.POSITIVE_INFINITY || (typeof value === 'number' && Number.isSafeInteger(value) && value > 0),
  'must be a whole number above 0, or Infinity for no bound',
);

export const RetentionShape = {
  maxEventsPerSession: Bound.exactOptional(),
  maxBytes: Bound.exactOptional(),
  maxAgeMs: Duration.exactOptional(),
  maxEndedSessions: Bound.exactOptional(),
};

true satisfies Agrees<z.infer<z.ZodObject<typeof RetentionShape>>, RetentionOptions>;

export const DEFAULT_RETENTION = {
  maxEventsPerSession: 250_000,
  maxBytes: 4 * 2 ** 30,
  maxAgeMs: Number.POSITIVE_INFINITY,
  maxEndedSessions: 1_000,
} as const satisfies Required<RetentionOptions>;
