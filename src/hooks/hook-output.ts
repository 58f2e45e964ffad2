import { z } from 'zod';
import type { HookEvent } from './hook-input.ts';

const SyncOutput = z.looseObject({
  /** False stops the turn after this step. */
  continue: z.boolean().optional(),
  /** Shown when `continue` is false. */
  stopReason: z.string().optional(),
  suppressOutput: z.boolean().optional(),
  decision: z.enum(['approve', 'block']).optional(),
  reason: z.string().optional(),
  systemMessage: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string(),
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().optional(),
      decision: z
        .union([
          z.looseObject({ behavior: z.literal('allow') }),
          z.looseObject({ behavior: z.literal('deny'), message: z.string().optional() }),
        ])
        .optional(),
    })
    .optional(),
});

const AsyncOutput = z.looseObject({ async: z.literal(true), asyncTimeout: z.number().positive().optional() });

export const HookOutputSchema = z.union([AsyncOutput, SyncOutput]);

/** `{}` lets everything go its way; `{ async: true }` does so and lets the callback work on unheard. */
export type HookOutput = z.input<typeof SyncOutput> | z.input<typeof AsyncOutput>;

/** Why an output is none, with the field; undefined when it is one that belongs to the event. */
export function outputFault(event: HookEvent, output: unknown): string | undefined {
  if (isPlain(output)) return undefined;
  const parsed = HookOutputSchema.safeParse(output);
  if (!parsed.success) {
    const told = parsed.error.issues.flatMap((issue) => (issue.code === 'invalid_union' ? issue.errors.at(-1) : issue));
    const [issue] = told;
    const field = issue?.path.join('.') ?? '';
    return field === '' ? 'it is not an object of output fields' : `"${field}": ${issue?.message}`;
  }
  const specific = (parsed.data as z.infer<typeof SyncOutput>).hookSpecificOutput;
  if (specific === undefined || specific.hookEventName === event) return undefined;
  return `"hookSpecificOutput.hookEventName" is "${specific.hookEventName}", not "${event}"`;
}

/** What nearly every output is, without the schema: nothing, or only whether to go on. False for all others, and for faults. */
function isPlain(output: unknown): boolean {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return false;
  return Object.entries(output).every(
    ([name, value]) => (name === 'continue' || name === 'suppressOutput') && typeof value === 'boolean',
  );
}

/**
 * The answer that stops what the event guards. It is a decision, not an error, so it holds on every release, also on those
 * that know no `onFailure` (WIRE §7). An event that guards nothing has none.
 */
export function blockingOutput(event: HookEvent, reason: string): HookOutput {
  switch (event) {
    case 'PreToolUse': {
      const decision = { permissionDecision: 'deny' as const, permissionDecisionReason: reason };
      return { hookSpecificOutput: { hookEventName: event, ...decision } };
    }
    case 'PermissionRequest':
      return { hookSpecificOutput: { hookEventName: event, decision: { behavior: 'deny', message: reason } } };
    case 'UserPromptSubmit':
    case 'UserPromptExpansion':
    case 'PostToolUse':
    case 'PreCompact':
    case 'ConfigChange':
      return { decision: 'block', reason };
    default:
      return {};
  }
}
