import { z } from 'zod';
import type { PermissionDecision } from '../../machines/permission/permission.events.ts';
import { TroupeError } from '../errors.ts';
import { parseRecord } from '../wire/fields.ts';

/** What a decider may answer; spelled as in the official SDK. */
export type PermissionResult =
  | {
      behavior: 'allow';
      /** The input the tool runs with; the original one when absent. */
      updatedInput?: Record<string, unknown> | undefined;
      /** Rules to remember, typically taken from the suggestions of the request. */
      updatedPermissions?: PermissionUpdate[] | undefined;
    }
  | {
      behavior: 'deny';
      /** Told to the model as the reason. */
      message?: string | undefined;
      /** True also ends the turn; a plain deny only refuses this tool call. */
      interrupt?: boolean | undefined;
    };

/** A change of permission rules, as the CLI suggests and accepts it. */
export type PermissionUpdate = Record<string, unknown> & { type: string };

const Rules = z.looseObject({
  type: z.enum(['addRules', 'replaceRules', 'removeRules']),
  rules: z.array(z.looseObject({ toolName: z.string(), ruleContent: z.string().nullish() })),
  behavior: z.enum(['allow', 'deny', 'ask']),
  destination: z.string(),
});
const Mode = z.looseObject({ type: z.literal('setMode'), mode: z.string(), destination: z.string() });
const Directories = z.looseObject({
  type: z.enum(['addDirectories', 'removeDirectories']),
  directories: z.array(z.string()),
  destination: z.string(),
});
const Update = z.discriminatedUnion('type', [Rules, Mode, Directories]);

const Result = z.discriminatedUnion('behavior', [
  z.looseObject({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(z.unknown()).nullish(),
  }),
  z.looseObject({ behavior: z.literal('deny'), message: z.string().nullish(), interrupt: z.boolean().nullish() }),
]);

/**
 * Checks an answer at the edge. Malformed `updatedPermissions` entries are left out and reported instead of failing the
 * whole answer (R32); anything else malformed, or an input that is no JSON, throws INVALID_ANSWER with `details.field`.
 * The input is copied: what is recorded is what the CLI gets, whatever becomes of the caller's object.
 */
export function parsePermissionResult(answer: unknown): { decision: PermissionDecision; droppedUpdates: number } {
  const parsed = Result.safeParse(answer);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.') || 'behavior';
    throw malformed(field, issue?.message ?? 'not a permission result');
  }
  const result = parsed.data;
  if (result.behavior === 'deny') {
    const { message, interrupt } = result;
    return {
      decision: { behavior: 'deny', ...(message ? { message } : {}), ...(interrupt ? { interrupt } : {}) },
      droppedUpdates: 0,
    };
  }
  const input = result.updatedInput ?? undefined;
  const updatedInput = input === undefined ? undefined : jsonObjectOf(input);
  if (input !== undefined && updatedInput === undefined)
    throw malformed('updatedInput', 'must be data that JSON can hold');
  const given = result.updatedPermissions ?? [];
  const updates = given.filter((update) => Update.safeParse(update).success && jsonObjectOf(update) !== undefined);
  return {
    decision: {
      behavior: 'allow',
      ...(updatedInput === undefined ? {} : { updatedInput }),
      ...(updates.length > 0 ? { updatedPermissions: updates } : {}),
    },
    droppedUpdates: given.length - updates.length,
  };
}

function malformed(field: string, fault: string): TroupeError {
  return new TroupeError('INVALID_ANSWER', { reason: `"${field}": ${fault}.`, details: { field } });
}

/** The value as it arrives at the other end; undefined when JSON cannot hold it or makes something else of it. */
function jsonObjectOf(value: unknown): Record<string, unknown> | undefined {
  try {
    return parseRecord(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/**
 * The decision as the CLI wants it: every version up to 2.1.205 refuses an allow without `updatedInput` and a deny
 * without a message (WIRE §5, §25.6, R32), so both are always there.
 */
export function wireDecision(decision: PermissionDecision, input: Record<string, unknown>): Record<string, unknown> {
  if (decision.behavior === 'allow') {
    const { updatedInput, updatedPermissions } = decision;
    return {
      behavior: 'allow',
      updatedInput: updatedInput ?? input,
      ...(updatedPermissions === undefined ? {} : { updatedPermissions }),
    };
  }
  return {
    behavior: 'deny',
    message: decision.message ?? 'The request was denied.',
    ...(decision.interrupt === true ? { interrupt: true } : {}),
  };
}
