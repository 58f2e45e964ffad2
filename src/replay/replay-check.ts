import { z } from 'zod';
import { TroupeError } from '../errors.ts';

export const ReplayHow = z.strictObject({
  match: z.enum(['exact', 'ids', 'kind']).default('ids'),
  timing: z
    .union([z.enum(['none', 'recorded']), z.number().positive()], {
      error: 'expected "none", "recorded" or a number above 0',
    })
    .default('none'),
});

const RecordingShape = z.looseObject({
  header: z.looseObject({ format: z.literal('troupe-recording'), version: z.literal(1) }),
  frames: z.array(z.looseObject({ direction: z.enum(['>', '<', 'e', 'n']), atMs: z.number(), process: z.int() })),
});

/** What `schema` makes of how a recording is played. Throws INVALID_OPTIONS with the field and the reason. */
export function checkedHow<T extends z.ZodType>(schema: T, how: unknown): z.infer<T> {
  const parsed = schema.safeParse(how);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues[0]);
}

/** Throws INVALID_OPTIONS for what is no recording as `readRecording` gives it. */
export function checkRecording(recording: unknown): void {
  const parsed = RecordingShape.safeParse(recording);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw invalid({ code: 'custom', path: ['recording', ...(issue?.path ?? [])], message: issue?.message ?? '' });
}

function invalid(issue: z.core.$ZodIssue | undefined): TroupeError {
  const isUnknown = issue?.code === 'unrecognized_keys';
  const path = [...(issue?.path ?? []), ...(isUnknown ? issue.keys.slice(0, 1) : [])];
  const field = path.map(String).join('.');
  const reason = isUnknown ? 'is not an option of a recording' : (issue?.message ?? 'is malformed');
  return new TroupeError('INVALID_OPTIONS', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
