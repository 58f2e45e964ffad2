/** A decision somebody made. The wire form is the desk's business; the machine only passes it on. JSON only. */
export interface PermissionDecision {
  readonly behavior: 'allow' | 'deny';
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedPermissions?: readonly unknown[];
}

/** What the policy says about a request: a decision, or that somebody has to be asked. */
export type Verdict = { readonly behavior: 'ask' } | (PermissionDecision & { readonly by: string });

export type PermissionEvent =
  /** Somebody decided. The first one wins (P4). */
  | { type: 'permission.answered'; decision: PermissionDecision; by: string }
  /** The CLI took the question back (WIRE §6): no answer may leave any more. */
  | { type: 'permission.cancelled' }
  /** The session is closing or its process is gone. Nobody decided anything (P4). */
  | { type: 'permission.withdrawn'; reason: string };

/** How a request ended, exactly once. */
export type Settlement =
  | { readonly outcome: 'allowed' | 'denied'; readonly by: string; readonly decision: PermissionDecision }
  | { readonly outcome: 'expired'; readonly by: 'deadline'; readonly decision: PermissionDecision }
  /** The decider threw or answered nonsense: the CLI gets an error, which refuses the tool (fail closed). */
  | { readonly outcome: 'failed'; readonly by: string; readonly reason: string }
  | { readonly outcome: 'cancelled'; readonly by: 'agent' }
  | { readonly outcome: 'withdrawn'; readonly by: 'session'; readonly reason: string };
