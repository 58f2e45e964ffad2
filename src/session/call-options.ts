import { z } from 'zod';
import { TroupeError } from '../errors.ts';
import { RaiseShape } from '../launch/budget-options.ts';

const signal = z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'expected an AbortSignal').optional();
const duration = z
  .custom<number>((value) => typeof value === 'number' && value > 0, 'expected milliseconds above 0')
  .optional();

export const PromptCall = z.strictObject({
  id: z.string().optional(),
  onBusy: z.enum(['enqueue', 'steer', 'interrupt', 'reject']).optional(),
  untrusted: z.boolean().optional(),
  fields: z.unknown().optional(),
  from: z.string().min(1).max(200).optional(),
});
export const InterruptCall = z.strictObject({ cancelQueued: z.boolean().optional() });
export const ControlCall = z.strictObject({ timeoutMs: duration, signal });
export const EventsCall = z.strictObject({ from: z.int().min(0).optional() });
export const cursorOf = (options: unknown) => ({ from: parseCall(EventsCall, options, 'options').from ?? 0 });
export const StoredId = z.string().min(1);
export const FleetEventsCall = z.strictObject({ from: z.string().optional() });
export const SettledCall = z.strictObject({ ceilingMs: duration });
export const AnswerCall = z.strictObject({ by: z.string().min(1).max(200).optional() });
export const RaiseCall = z.strictObject(RaiseShape);
export const ShutdownCall = z.strictObject({ timeoutMs: duration });
export const PrewarmCall = z.strictObject({
  count: z.int().min(1).max(1_000).optional(),
  ttlMs: duration,
});
export const HandoverCall = z.strictObject({ timeoutMs: duration, signal });
export const DrainCall = z.strictObject({ timeoutMs: duration, signal });
export const BudgetScopeCall = z.union(
  [
    z.enum(['total', 'day']),
    z.strictObject({ session: z.string() }),
    z.strictObject({ key: z.string() }),
    z.strictObject({ group: z.string() }),
  ],
  { error: 'must be "total", "day", or an object with one of session, key or group' },
);
/** The name of an account, as `supervisor.accounts()` lists it. */
export const AccountKey = z.string().min(1);
export const ReapCall = z.strictObject({ terminateGraceMs: duration, killGraceMs: duration });

/** A model to switch to: a name, never something that would be a flag at the next start (R95). */
export const ModelName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, 'must not start with "-" or hold control characters')
  .optional();
export const ModeName = z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto']);
export const Payload = z.record(z.string(), z.unknown());
export const Subtype = z.string().min(1).max(200);

/** Checks an argument of a public method at the edge. Throws INVALID_OPTIONS naming the argument and the field in it. */
export function parseCall<T extends z.ZodType>(schema: T, input: unknown, argument: string): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : (issue?.path ?? []);
  const field = [argument, ...path].join('.');
  const reason = issue?.code === 'unrecognized_keys' ? 'is not an option here' : (issue?.message ?? 'is malformed');
  throw new TroupeError('INVALID_OPTIONS', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
