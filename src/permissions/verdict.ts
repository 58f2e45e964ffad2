import type { Verdict } from '../../machines/permission/permission.events.ts';
import type { PermissionRequest, ToolPermissionRequest } from './permission-request.ts';
import { decisionOf, type RuleBook } from './rule-book.ts';

/** By what it is decided whether somebody is asked. */
export interface VerdictGrounds {
  readonly rules: RuleBook;
  /** People can answer. */
  readonly isAttended: boolean;
  /** Callbacks of the session, where it has them. */
  readonly canUseTool?: unknown;
  readonly onElicitation?: unknown;
  readonly onUserDialog?: unknown;
}

const UNATTENDED =
  'Nobody can answer permission questions in this session: it was started without canUseTool and with permissionPrompts "none".';

/** What the policy says about a question; at once where no rule has to be looked at. */
export function verdictOn(request: PermissionRequest, grounds: VerdictGrounds): Promise<Verdict> | Verdict {
  if (request.kind === 'tool') {
    return grounds.rules.isEmpty ? unruled(grounds) : ruled(request, grounds);
  }
  if (grounds.isAttended || callbackFor(request, grounds) !== undefined) return { behavior: 'ask' };
  return { behavior: request.kind === 'elicitation' ? 'decline' : 'dismiss', by: 'policy' };
}

/** What is called with a question of that kind; undefined where the session has none for it. */
export function callbackFor({ kind }: PermissionRequest, grounds: VerdictGrounds): unknown {
  if (kind === 'tool') return grounds.canUseTool;
  return kind === 'elicitation' ? grounds.onElicitation : grounds.onUserDialog;
}

async function ruled(request: ToolPermissionRequest, grounds: VerdictGrounds): Promise<Verdict> {
  const ruling = await grounds.rules.judge(request.toolName, request.input, request.requiresUserInteraction);
  const decision = ruling === undefined ? undefined : decisionOf(ruling);
  if (ruling !== undefined && decision !== undefined) return { ...decision, by: 'policy', rule: ruling.rule };
  return unruled(grounds);
}

function unruled({ isAttended }: VerdictGrounds): Verdict {
  return isAttended ? { behavior: 'ask' } : { behavior: 'deny', message: UNATTENDED, by: 'policy' };
}
