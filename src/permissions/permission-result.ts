import { z } from 'zod';
import type { PermissionDecision } from '../../machines/permission/permission.events.ts';
import { isRecord } from '../wire/fields.ts';
import { type AnswerScope, updatesFor } from './answer-scope.ts';
import { answerFault, jsonObjectOf, malformedAnswer } from './malformed-answer.ts';
import type { ToolPermissionRequest } from './permission-request.ts';

/** How the answer came about, for the CLI's statistics. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

/** What a decider may answer; spelled as in the official SDK. */
export type PermissionResult =
  | {
      behavior: 'allow';
      /** The input the tool runs with; the original one when absent. */
      updatedInput?: Record<string, unknown> | undefined;
      /** Rules to remember, typically taken from the suggestions of the request. */
      updatedPermissions?: PermissionUpdate[] | undefined;
      /**
       * How far the answer goes. `once` (default). `session`: this very call, and what the rules that the CLI suggests for it
       * cover, run without a question as long as the session lives, also after a restart. `always`: the CLI also writes those
       * rules into `.claude/settings.local.json` of the folder. With `updatedInput` it is for that input only.
       */
      scope?: AnswerScope | undefined;
      decisionClassification?: PermissionDecisionClassification | undefined;
      /** Ignored: an answer belongs to its request. */
      toolUseID?: string | undefined;
    }
  | {
      behavior: 'deny';
      /** Told to the model as the reason. */
      message?: string | undefined;
      /** True also ends the turn; a plain deny only refuses this tool call. */
      interrupt?: boolean | undefined;
      decisionClassification?: PermissionDecisionClassification | undefined;
      /** Ignored: an answer belongs to its request. */
      toolUseID?: string | undefined;
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

const Classification = z.enum(['user_temporary', 'user_permanent', 'user_reject']).nullish();

const Result = z.discriminatedUnion('behavior', [
  z.looseObject({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(z.unknown()).nullish(),
    scope: z.enum(['once', 'session', 'always']).nullish(),
    decisionClassification: Classification,
  }),
  z.looseObject({
    behavior: z.literal('deny'),
    message: z.string().nullish(),
    interrupt: z.boolean().nullish(),
    decisionClassification: Classification,
  }),
]);

/**
 * Checks an answer at the edge. Malformed `updatedPermissions` entries are left out and reported instead of failing the
 * whole answer (R32); anything else malformed, or an input that is no JSON, throws INVALID_ANSWER with `details.field`.
 * The input is copied: what is recorded is what the CLI gets, whatever becomes of the caller's object.
 */
export function parsePermissionResult(answer: unknown): { decision: PermissionDecision; droppedUpdates: number } {
  const plain = plainAnswer(answer);
  if (plain !== undefined) return { decision: plain, droppedUpdates: 0 };
  const parsed = Result.safeParse(answer);
  if (!parsed.success) throw answerFault(parsed.error, 'behavior');
  const result = parsed.data;
  const { decisionClassification } = result;
  const classified = decisionClassification ? { decisionClassification } : {};
  if (result.behavior === 'deny') {
    const { message, interrupt } = result;
    return {
      decision: {
        behavior: 'deny',
        ...(message ? { message } : {}),
        ...(interrupt ? { interrupt } : {}),
        ...classified,
      },
      droppedUpdates: 0,
    };
  }
  const input = result.updatedInput ?? undefined;
  const updatedInput = input === undefined ? undefined : jsonObjectOf(input);
  if (input !== undefined && updatedInput === undefined)
    throw malformedAnswer('updatedInput', 'must be data that JSON can hold');
  const given = result.updatedPermissions ?? [];
  const updates = given.filter((update) => Update.safeParse(update).success && jsonObjectOf(update) !== undefined);
  return {
    decision: {
      behavior: 'allow',
      ...(updatedInput === undefined ? {} : { updatedInput }),
      ...(updates.length > 0 ? { updatedPermissions: updates } : {}),
      ...(result.scope ? { scope: result.scope } : {}),
      ...classified,
    },
    droppedUpdates: given.length - updates.length,
  };
}

/** What nearly every answer is, without the schema: allowed, with an input or without. Undefined for all others, and for faults. */
function plainAnswer(answer: unknown): PermissionDecision | undefined {
  if (!isPlain(answer) || answer['behavior'] !== 'allow') return undefined;
  for (const name of Object.keys(answer)) if (name !== 'behavior' && name !== 'updatedInput') return undefined;
  const input = answer['updatedInput'];
  if (input === undefined || input === null) return { behavior: 'allow' };
  const updatedInput = isPlain(input) ? jsonObjectOf(input) : undefined;
  return updatedInput === undefined ? undefined : { behavior: 'allow', updatedInput };
}

/** An object with nothing but its own fields: no other class, nothing inherited. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * The decision as the CLI wants it: every version up to 2.1.205 refuses an allow without `updatedInput` and a deny
 * without a message (WIRE §5, §25.6, R32), so both are always there.
 */
export function wireDecision(decision: PermissionDecision, request: ToolPermissionRequest): Record<string, unknown> {
  const { updatedInput, updatedPermissions = [], decisionClassification } = decision;
  const classified = decisionClassification === undefined ? {} : { decisionClassification };
  if (decision.behavior === 'allow') {
    const updates = [...updatedPermissions, ...updatesFor(request, decision)];
    return {
      behavior: 'allow',
      updatedInput: updatedInput ?? request.input,
      ...(updates.length === 0 ? {} : { updatedPermissions: updates }),
      ...classified,
    };
  }
  return {
    behavior: 'deny',
    message: decision.message ?? 'The request was denied.',
    ...(decision.interrupt === true ? { interrupt: true } : {}),
    ...classified,
  };
}
