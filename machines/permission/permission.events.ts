/** `tool`: may this tool run? `elicitation`: an MCP server asks the user. `dialog`: the CLI shows one. */
export type QuestionKind = 'tool' | 'elicitation' | 'dialog';

/** A rule that decided, and where it stands. */
export interface DecidingRule {
  readonly tool: string;
  readonly behavior: 'allow' | 'deny' | 'ask';
  /** `granted`: by an earlier answer with the scope `session` or `always`. */
  readonly source: 'session' | 'supervisor' | 'granted';
}

/** A decision somebody made. The wire form is the desk's business; the machine only passes it on. JSON only. */
export interface PermissionDecision {
  /** `allow` and `deny` answer a tool; `accept`, `decline` and `dismiss` an elicitation; `complete` and `dismiss` a dialog. */
  readonly behavior: 'allow' | 'deny' | 'accept' | 'decline' | 'complete' | 'dismiss';
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedPermissions?: readonly unknown[];
  readonly scope?: 'once' | 'session' | 'always';
  readonly decisionClassification?: 'user_temporary' | 'user_permanent' | 'user_reject';
  /** What an accepted elicitation is answered with. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** What a completed dialog is answered with. */
  readonly result?: unknown;
}

/** What the policy says about a request: a decision, or that somebody has to be asked. */
export type Verdict =
  | { readonly behavior: 'ask'; readonly rule?: DecidingRule }
  | (PermissionDecision & { readonly by: string; readonly rule?: DecidingRule });

export type PermissionEvent =
  /** Somebody decided. The first one wins (P4). */
  | { type: 'permission.answered'; decision: PermissionDecision; by: string }
  /** The CLI took the question back (WIRE §6): no answer may leave any more. */
  | { type: 'permission.cancelled' }
  /** The session is closing or its process is gone. Nobody decided anything (P4). */
  | { type: 'permission.withdrawn'; reason: string }
  /** The process that asked was lost with its host, and the next one did not ask again. Nobody decided anything (P4). */
  | { type: 'permission.lost' };

/** How a decision reads when it is over. */
export const OUTCOMES = {
  allow: 'allowed',
  deny: 'denied',
  accept: 'accepted',
  decline: 'declined',
  complete: 'completed',
  dismiss: 'dismissed',
} as const satisfies Record<PermissionDecision['behavior'], string>;

export type DecidedOutcome = (typeof OUTCOMES)[PermissionDecision['behavior']];

/** How a request ended, exactly once. */
export type Settlement =
  | {
      readonly outcome: DecidedOutcome;
      readonly by: string;
      readonly decision: PermissionDecision;
      /** Where a policy decided by a rule. */
      readonly rule?: DecidingRule;
    }
  | { readonly outcome: 'expired'; readonly by: 'deadline'; readonly decision: PermissionDecision }
  /** The decider threw or answered nonsense: the CLI gets an error, which refuses the tool (fail closed). */
  | { readonly outcome: 'failed'; readonly by: string; readonly reason: string }
  | { readonly outcome: 'cancelled'; readonly by: 'agent' }
  | { readonly outcome: 'cancelled'; readonly by: 'session'; readonly reason: 'process lost' }
  | { readonly outcome: 'withdrawn'; readonly by: 'session'; readonly reason: string };
