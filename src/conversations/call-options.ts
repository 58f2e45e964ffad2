import { z } from 'zod';
import { TroupeError } from '../errors.ts';
import type { SessionStore } from './session-store.ts';
import type { SkippedLines } from './transcript-lines.ts';

const Store = z.custom<SessionStore>(
  (value) => typeof value === 'object' && value !== null && 'append' in value && 'load' in value,
  'must be a session store with append() and load()',
);
const Count = z.custom<number>(
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  'must be a whole number, 0 or above',
);
const Directory = z.string().min(1, 'must not be empty').optional();
const Report = z.custom<(skipped: SkippedLines) => void>((value) => typeof value === 'function', 'must be a function');

const Where = { dir: Directory, configDir: Directory, sessionStore: Store.optional() };
const Page = { limit: Count.optional(), offset: Count.optional() };

export const WhereCall = z.strictObject(Where);
export const ListCall = z.strictObject({
  ...Where,
  ...Page,
  includeWorktrees: z.boolean().optional(),
  includeProgrammatic: z.boolean().optional(),
});
export const MessagesCall = z.strictObject({
  ...Where,
  ...Page,
  includeSystemMessages: z.boolean().optional(),
  onSkipped: Report.optional(),
});
export const SubagentMessagesCall = z.strictObject({ ...Where, ...Page, onSkipped: Report.optional() });
export const ForkCall = z.strictObject({
  ...Where,
  upToMessageId: z.string().min(1, 'must not be empty').optional(),
  title: z.string().optional(),
});
export const DeleteCall = z.strictObject({ ...Where, force: z.boolean().optional() });
export const ImportCall = z.strictObject({
  dir: Directory,
  configDir: Directory,
  includeSubagents: z.boolean().optional(),
  batchSize: z
    .custom<number>(
      (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
      'must be a whole number above 0',
    )
    .optional(),
  onSkipped: Report.optional(),
});

/** Checks the options of a call. Throws INVALID_OPTIONS with `details` `{ field, reason, issues }`. */
export function parseCall<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    return {
      field: unknown ?? (issue.path.join('.') || 'options'),
      reason: unknown === undefined ? issue.message : 'is not an option of this function',
    };
  });
  const { field, reason } = issues[0] ?? { field: 'options', reason: 'is malformed' };
  throw new TroupeError('INVALID_OPTIONS', { reason: `${field}: ${reason}.`, details: { field, reason, issues } });
}

/** The part of a list that was asked for; a limit of 0 stands for none, as in the official SDK. */
export function pageOf<T>(
  items: readonly T[],
  { limit, offset = 0 }: { limit?: number | undefined; offset?: number | undefined },
): T[] {
  return items.slice(offset, limit === undefined || limit === 0 ? undefined : offset + limit);
}
