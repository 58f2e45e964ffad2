import { pathRoots } from '../launch/path-roots.ts';
import { realPathOf } from '../launch/real-path.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { PermissionDesk } from '../permissions/permission-desk.ts';
import { type PermissionRequest, subjectOf } from '../permissions/permission-request.ts';
import { RuleBook } from '../permissions/rule-book.ts';
import type { SessionLife } from '../session/session-life.ts';
import { SparseSet } from '../sparse.ts';
import type { EventLog } from '../store/event-log.ts';
import type { QuestionContext } from '../store/session-event.ts';
import { currentHost } from './host.ts';
import type { SessionSurroundings } from './session-factory.ts';

export type DeskSurroundings = Pick<SessionSurroundings, 'clock' | 'awake' | 'permissions' | 'inspect'>;

const SETTLED_PERMISSIONS_KEPT = 200;
const GRANTS_KEPT = 1_000;

/** The desk of a session: what it hears goes to the log, and to the process that asks. */
export function buildDesk(
  options: SessionOptions,
  around: DeskSurroundings,
  deadlineMs: number,
  log: EventLog,
  life: () => SessionLife | undefined,
): PermissionDesk {
  /** What the process is known to wait for: its machine hears of nothing that was answered at once. */
  const waiting = new SparseSet<string>();
  const wait = (requestId: string) => {
    waiting.add(requestId);
    life()?.incarnation?.tell({ type: 'permission.requested', requestId, at: around.awake.now() });
  };
  return new PermissionDesk({
    clock: around.clock,
    deadlineMs,
    canUseTool: options.canUseTool,
    onElicitation: options.onElicitation,
    onUserDialog: options.onUserDialog,
    dialogKinds: options.supportedDialogKinds ?? [],
    rules: new RuleBook({
      session: options.permissions?.rules ?? [],
      supervisor: around.permissions?.rules ?? [],
      roots: pathRoots(options, currentHost()),
      realPath: realPathOf,
      maxGrants: GRANTS_KEPT,
    }),
    isAttended: options.permissionPrompts !== 'none',
    maxSettled: SETTLED_PERMISSIONS_KEPT,
    inspect: around.inspect,
    onRequested: (request) => {
      const { kind, id: requestId, toolName, toolUseId, agentId } = request;
      const [input, context] = [subjectOf(request), contextOf(request, deadlineMs)];
      const type = 'permission.requested';
      log.append(life()?.epoch ?? 0, { type, kind, requestId, toolName, input, toolUseId, agentId, context });
    },
    onOpened: ({ id }) => wait(id),
    onSettled: ({ kind, id: requestId }, settlement) => {
      const { outcome, by } = settlement;
      const rule = 'rule' in settlement && settlement.rule !== undefined ? { rule: settlement.rule } : {};
      log.append(life()?.epoch ?? 0, { type: 'permission.settled', kind, requestId, outcome, by, ...rule });
      if (!waiting.delete(requestId)) return;
      life()?.incarnation?.tell({ type: 'permission.settled', requestId, at: around.awake.now() });
    },
    onPassed: (_, settle) => {
      const incarnation = life()?.incarnation;
      if (incarnation === undefined) settle();
      else incarnation.passPermission(settle);
    },
    answersFirst: log.isVolatile,
    onRebound: ({ kind, id: requestId, settlement }) => {
      log.append(life()?.epoch ?? 0, { type: 'permission.rebound', kind, requestId });
      if (settlement === undefined) wait(requestId);
    },
    onUnheard: ({ kind, id: requestId }) => {
      log.append(life()?.epoch ?? 0, { type: 'permission.unheard', kind, requestId });
    },
    onDroppedUpdates: ({ id }, dropped) => {
      const detail = `${dropped} malformed updatedPermissions of request ${id} were left out`;
      log.append(life()?.epoch ?? 0, { type: 'diagnostic', reason: 'malformed-permission-update', detail });
    },
  });
}

/** What the log tells of a question beside what it is about: whoever decides by it needs nothing else. */
function contextOf(request: PermissionRequest, deadlineMs: number): QuestionContext {
  const { askedAt, title, displayName, description } = request;
  const context: Told = {};
  if (Number.isFinite(deadlineMs)) context.deadlineAt = askedAt + deadlineMs;
  if (title !== undefined) context.title = title;
  if (displayName !== undefined) context.displayName = displayName;
  if (description !== undefined) context.description = description;
  if (request.kind !== 'tool') return context;
  const { decisionReason, decisionReasonType, blockedPath, suggestions } = request;
  if (decisionReason !== undefined) context.decisionReason = decisionReason;
  if (decisionReasonType !== undefined) context.decisionReasonType = decisionReasonType;
  if (blockedPath !== undefined) context.blockedPath = blockedPath;
  if (suggestions.length > 0) context.suggestions = suggestions;
  if (request.requiresUserInteraction) context.requiresUserInteraction = true;
  if (request.defaultToNo) context.defaultToNo = true;
  if (request.suppressAlwaysAllowRule) context.suppressAlwaysAllowRule = true;
  return context;
}

/** While it is made; only what is known is in it. */
type Told = { -readonly [Name in keyof QuestionContext]: QuestionContext[Name] };
