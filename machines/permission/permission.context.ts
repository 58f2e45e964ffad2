import type { QuestionKind, Settlement } from './permission.events.ts';

export interface PermissionInput {
  readonly kind: QuestionKind;
  readonly requestId: string;
  /** Empty for a question that is not about a tool. */
  readonly toolName: string;
  /** Milliseconds until the request is denied by the deadline; `Infinity` waits for a human as long as it takes (P5). */
  readonly deadlineMs: number;
  /** It was asked under another host: what is left of its deadline, in milliseconds. It begins in `asking`. */
  readonly leftMs?: number;
}

export interface PermissionContext extends Omit<PermissionInput, 'leftMs'> {
  /** How long it is waited from here on. */
  readonly leftMs: number;
  readonly isRestored: boolean;
  readonly settlement: Settlement | null;
}

export function initialPermission({ leftMs, ...input }: PermissionInput): PermissionContext {
  return { ...input, leftMs: leftMs ?? input.deadlineMs, isRestored: leftMs !== undefined, settlement: null };
}

/** An open question as JSON. Moments are epoch milliseconds. */
export interface PersistedPermission {
  readonly kind: QuestionKind;
  readonly requestId: string;
  readonly toolName: string;
  /** When nobody's answer is one; null for never. */
  readonly expiresAt: number | null;
  readonly askedAt: number;
}

export function persistedPermission(context: PermissionContext, askedAt: number): PersistedPermission {
  const { kind, requestId, toolName, deadlineMs } = context;
  return { kind, requestId, toolName, askedAt, expiresAt: Number.isFinite(deadlineMs) ? askedAt + deadlineMs : null };
}

/**
 * The question as another host goes on with it: its deadline stays the moment it was, and one that has passed meanwhile
 * is over at once. A clock that was set back does not lengthen it.
 */
export function restoredPermission(kept: PersistedPermission, now: number): PermissionInput {
  const { expiresAt, askedAt, ...question } = kept;
  if (expiresAt === null)
    return { ...question, deadlineMs: Number.POSITIVE_INFINITY, leftMs: Number.POSITIVE_INFINITY };
  const deadlineMs = expiresAt - askedAt;
  return { ...question, deadlineMs, leftMs: Math.max(0, Math.min(deadlineMs, expiresAt - now)) };
}
