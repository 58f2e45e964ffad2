import { answerQuestions } from '../../permissions/answer-questions.ts';
import { offeredRules } from '../../permissions/answer-scope.ts';
import { answerFault } from '../../permissions/malformed-answer.ts';
import type { PermissionAnswer } from '../../permissions/permission-desk.ts';
import type { PermissionRequest, ToolPermissionRequest } from '../../permissions/permission-request.ts';
import { Decision } from './calls.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parameters of `permission_request`. */
export function questionParams(sessionId: string, request: PermissionRequest): Json {
  return {
    session_id: sessionId,
    request_id: request.id,
    kind: request.kind,
    asked_at: request.askedAt,
    ...present('tool_use_id', request.toolUseId),
    ...present('agent_id', request.agentId),
    ...present('title', request.title),
    ...present('description', request.description),
    ...aboutOf(request),
  };
}

/** The answer in the library's words. Throws INVALID_ANSWER. */
export function answerOf(request: PermissionRequest, reply: unknown): PermissionAnswer {
  const parsed = Decision.safeParse(reply);
  if (!parsed.success) throw answerFault(parsed.error, 'decision');
  const given = parsed.data;
  const isAllowed = given.decision === 'allow';
  switch (request.kind) {
    case 'tool':
      return isAllowed ? allowance(request, given) : denial(given);
    case 'elicitation':
      return isAllowed ? { action: 'accept', content: given.content ?? undefined } : { action: 'decline' };
    case 'dialog':
      return isAllowed ? { behavior: 'completed', result: given.result ?? null } : { behavior: 'cancelled' };
  }
}

function allowance(request: ToolPermissionRequest, given: Decision): PermissionAnswer {
  const answers = given.answers ?? undefined;
  const updatedInput = answers === undefined ? (given.updated_input ?? undefined) : answerQuestions(request, answers);
  return { behavior: 'allow', updatedInput, scope: given.scope ?? undefined };
}

function denial({ message, interrupt }: Decision): PermissionAnswer {
  return { behavior: 'deny', message: message ?? undefined, interrupt: interrupt ?? undefined };
}

function aboutOf(request: PermissionRequest): Json {
  switch (request.kind) {
    case 'tool':
      return {
        tool: request.toolName,
        command: commandOf(request),
        risk_level: riskOf(request),
        input: request.input,
        suggested_rules: offeredRules(request),
        requires_user_interaction: request.requiresUserInteraction,
        ...present('reason', request.decisionReason),
      };
    case 'elicitation':
      return {
        tool: request.elicitation.serverName,
        command: request.elicitation.message,
        risk_level: 'low',
        elicitation: request.elicitation,
      };
    case 'dialog':
      return {
        tool: request.dialog.dialogKind,
        command: request.dialog.dialogKind,
        risk_level: 'medium',
        dialog: request.dialog,
      };
  }
}

/** What the tool would do, in one line where its input says so. */
function commandOf({ input }: ToolPermissionRequest): string {
  for (const field of ['command', 'file_path', 'path', 'url', 'query', 'pattern']) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    if (typeof value === 'string') return value;
  }
  return JSON.stringify(input);
}

const READERS: ReadonlySet<string> = new Set([
  'Read',
  'Glob',
  'Grep',
  'LS',
  'NotebookRead',
  'TodoWrite',
  'AskUserQuestion',
]);

/** A hint for the eye, not a judgement: what the CLI itself marks is high, what only reads is low. */
export function riskOf(request: ToolPermissionRequest): 'low' | 'medium' | 'high' {
  const isMarked = request.defaultToNo || request.blockedPath !== undefined;
  if (isMarked || request.decisionReasonType === 'safetyCheck') return 'high';
  return READERS.has(request.toolName) ? 'low' : 'medium';
}

function present(name: string, value: unknown): Json {
  return value === undefined ? {} : { [name]: value };
}
