import { z } from 'zod';
import type { ChildContext } from '../../machines/child/child.context.ts';
import { CHILD_STATES, type ChildStateName } from '../../machines/child/child.events.ts';
import { endings } from '../../machines/child/endings.ts';
import { type PersistedChild, persistedChild } from '../../machines/child/restored-child.ts';
import type { Json } from '../store/store-record.ts';

const Cause = z.object({
  code: z.string(),
  message: z.string(),
  ending: z.enum(endings()),
  details: z.record(z.string(), z.unknown()).optional(),
});
const Failure = z.object({ at: z.number(), incarnation: z.number(), cause: Cause });
const Parking = z.object({
  reason: z.enum(['quota', 'auth', 'budget']),
  until: z.number().nullable(),
  note: z.string(),
});

const Child = z.object({
  state: z.enum(CHILD_STATES),
  incarnation: z.number(),
  wasEverReady: z.boolean(),
  restarts: z.array(z.number()),
  failures: z.number(),
  failed: z.array(Failure),
  retriedFor: z.enum(endings()).nullable(),
  backoffMs: z.number(),
  backoffUntil: z.number().nullable(),
  pausedFor: z.enum(['hibernate', 'hold', 'restart', 'park']),
  parking: Parking.nullable(),
  wasAsleep: z.boolean(),
  cause: Cause.nullable(),
  stoppedFor: Cause.nullable(),
});

/** What `SessionRecord.child` holds: what supervision remembers of a session. */
export function childRecord(context: ChildContext, state: ChildStateName): Json {
  // Details of causes may hold what JSON has no word for; a copy by way of its text is what a store would give back.
  const copy: Json = JSON.parse(JSON.stringify(persistedChild(context, state)));
  return copy;
}

/** Reads it again; undefined for what this release did not write. */
export function readChildRecord(record: Json | undefined): PersistedChild | undefined {
  const parsed = Child.safeParse(record);
  if (!parsed.success) return undefined;
  const { failed, cause, stoppedFor, ...rest } = parsed.data;
  return {
    ...rest,
    failed: failed.map((failure) => ({ ...failure, cause: causeOf(failure.cause) })),
    cause: cause === null ? null : causeOf(cause),
    stoppedFor: stoppedFor === null ? null : causeOf(stoppedFor),
  };
}

function causeOf({ details, ...cause }: z.infer<typeof Cause>) {
  return details === undefined ? cause : { ...cause, details };
}
