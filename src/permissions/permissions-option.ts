import { z } from 'zod';
import { type PermissionRule, parseToolPattern } from './permission-rule.ts';

/** Standing decisions about permission questions. */
export interface PermissionsOption {
  /** Rules of a supervisor and of its sessions count together: `deny` before `ask` before `allow`. */
  readonly rules?: readonly PermissionRule[];
  /** What becomes of a question nobody answered within `timeouts.permissionMs`: always a denial in this release (P4). */
  readonly onTimeout?: 'deny';
}

/** More rules than anybody wrote by hand; each is looked at for every call (P9). */
const MAX_RULES = 1_000;

const Tool = z.string().check((context) => {
  const pattern = parseToolPattern(context.value);
  if ('fault' in pattern) context.issues.push({ code: 'custom', message: pattern.fault, input: context.value });
});

export const PermissionsShape = {
  rules: z
    .array(z.strictObject({ tool: Tool, behavior: z.enum(['allow', 'deny', 'ask']) }))
    .max(MAX_RULES, `must hold at most ${MAX_RULES} rules`)
    .readonly()
    .exactOptional(),
  onTimeout: z.literal('deny', 'must be "deny" in this release').exactOptional(),
};
