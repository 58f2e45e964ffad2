export {
  type AccountContext,
  type AccountInput,
  type AccountPolicy,
  initialAccount,
  type LimitReached,
  type WaitingSession,
  type Wall,
} from './account/account.context.ts';
export {
  ACCOUNT_STATES,
  type AccountCommand,
  type AccountEvent,
  type AccountFact,
  type AccountNotice,
  type AccountStateName,
} from './account/account.events.ts';
export { accountMachine } from './account/account.machine.ts';
export type { LoginInput, MomentInput } from './account/account.ports.ts';
export {
  ACCOUNT_COMEBACKS,
  type AccountComeback,
  type PersistedAccount,
  persistedAccount,
  type RestoredAccount,
  restoredAccount,
} from './account/restored-account.ts';
export { type Amounts, type Limits, UNITS, type Unit } from './budget/amounts.ts';
export { type BudgetContext, type BudgetInput, initialBudget } from './budget/budget.context.ts';
export {
  BUDGET_STATES,
  type BudgetEvent,
  type BudgetNotice,
  type BudgetStateName,
  type Day,
} from './budget/budget.events.ts';
export { budgetMachine } from './budget/budget.machine.ts';
export {
  type Account,
  type Block,
  type BudgetRule,
  type BudgetRules,
  blockOf,
  type Ledger,
  type NewPayer,
  type OnLimit,
  type Payer,
  type Scope,
  type ScopeKind,
  type Spending,
} from './budget/ledger.ts';
export {
  type PersistedBudget,
  type PersistedBudgetAccount,
  persistedBudget,
  restoredLedger,
} from './budget/restored-budget.ts';
export type { Shelf } from './budget/shelf.ts';
export type { BudgetVerdict } from './budget/verdict.ts';
export {
  afterRestart,
  type ChildContext,
  type ChildInput,
  type ChildOutput,
  type Consequence,
  consequenceOf,
  type Failure,
  initialChild,
  judged,
  type Parking,
  type ParkReason,
  type PauseReason,
} from './child/child.context.ts';
export {
  CHILD_STATES,
  type ChildCommand,
  type ChildEvent,
  type ChildNotice,
  type ChildStateName,
  type IncarnationCommand,
  type IncarnationEvent,
} from './child/child.events.ts';
export { childMachine } from './child/child.machine.ts';
export { admission, type IncarnationInput, incarnation } from './child/child.ports.ts';
export {
  type BackoffSpec,
  backoffMs,
  healthyAfterMs,
  type RestartSpec,
  type RestartType,
} from './child/child-spec.ts';
export {
  ENDINGS,
  type Ending,
  type EndingConsequence,
  type EndingRule,
  endingOf,
  endings,
  isAskedFor,
  isFinal,
  ruleOf,
} from './child/endings.ts';
export { countRestart, type RestartDecision } from './child/restart-window.ts';
export {
  COMEBACK_STATES,
  type ComebackState,
  type PersistedChild,
  persistedChild,
  type RestoredChild,
  type RestoreFacts,
  restoredChild,
} from './child/restored-child.ts';
export type { GroupContext, GroupInput, GroupOutput } from './group/group.context.ts';
export {
  GROUP_STATES,
  type GroupCommand,
  type GroupEvent,
  type GroupNotice,
  type GroupStateName,
  type MemberNews,
  type MembersCommand,
} from './group/group.events.ts';
export { groupMachine } from './group/group.machine.ts';
export { endMembers, holdMembers, type MembersInput, members, startMembers } from './group/group.ports.ts';
export { type PersistedGroup, persistedGroup, type RestoredGroup, restoredGroup } from './group/restored-group.ts';
export {
  type AutoShutdown,
  type GroupRules,
  type GroupVerdict,
  type MemberEnd,
  type MemberSpec,
  type MemberState,
  type MemberStatus,
  type Strategy,
  verdictOn,
} from './group/strategy.ts';
export type {
  HostedAnswer,
  HostedEvent,
  HostedPromptOptions,
  HostedQuestion,
  HostedSession,
  PromptedSession,
  TurnOutcome,
} from './logic/hosted-session.ts';
export type { StartSession } from './logic/session-link.ts';
export type { SessionLogicCommand, SessionLogicEvent, SessionLogicFact } from './logic/session-logic.events.ts';
export {
  type SessionLogic,
  type SessionLogicInput,
  type SessionLogicOutput,
  type SessionLogicSnapshot,
  type SessionLogicView,
  sessionLogic,
} from './logic/session-logic.ts';
export { type TurnLogicEvent, type TurnLogicInput, turnLogic } from './logic/turn-logic.ts';
export type { McpServerContext, McpServerInput } from './mcp-server/mcp-server.context.ts';
export type { McpServerEvent, McpServerNotice } from './mcp-server/mcp-server.events.ts';
export { mcpServerMachine } from './mcp-server/mcp-server.machine.ts';
export { reconnect } from './mcp-server/mcp-server.ports.ts';
export { toMermaid } from './mermaid.ts';
export {
  type PermissionContext,
  type PermissionInput,
  type PersistedPermission,
  persistedPermission,
  restoredPermission,
} from './permission/permission.context.ts';
export type {
  DecidedOutcome,
  DecidingRule,
  PermissionDecision,
  PermissionEvent,
  QuestionKind,
  Settlement,
  Verdict,
} from './permission/permission.events.ts';
export { permissionMachine } from './permission/permission.machine.ts';
export { type AskInput, ask, judge, type Reply } from './permission/permission.ports.ts';
export {
  degradedServers,
  initialContext,
  isSettled,
  type McpServerSpec,
  type McpServerState,
  type McpStatus,
  type SessionContext,
  type SessionInput,
  type SessionOutput,
  type SessionTimeouts,
  withServer,
} from './session/session.context.ts';
export { type SessionDeadline, type SessionTimes, sessionDeadlines } from './session/session.deadlines.ts';
export {
  type CliEvent,
  type CliExit,
  type EndCause,
  type LinkCommand,
  type McpNews,
  type PermissionNews,
  SESSION_STATES,
  type SessionCommand,
  type SessionEvent,
  type SessionNotice,
  type SessionStateName,
  type WorkEvent,
} from './session/session.events.ts';
export { sessionMachine } from './session/session.machine.ts';
export { cliLink, type LinkInput } from './session/session.ports.ts';
export type { PhaseDeadlines, SupervisorContext, SupervisorInput } from './supervisor/supervisor.context.ts';
export {
  SUPERVISOR_PHASES,
  SUPERVISOR_STATES,
  type SupervisorEvent,
  type SupervisorNotice,
  type SupervisorPhase,
  type SupervisorStateName,
} from './supervisor/supervisor.events.ts';
export { supervisorMachine } from './supervisor/supervisor.machine.ts';
export {
  closeChildren,
  finishTurns,
  flushChildren,
  interruptTurns,
  killChildren,
  type PhaseInput,
  type PhaseOutput,
  settleStarts,
} from './supervisor/supervisor.ports.ts';
export {
  clockOf,
  silenceOf,
  type WatchDeadline,
  type WatchdogContext,
  type WatchdogInput,
  type WatchLimits,
  watchDeadlines,
} from './watchdog/watchdog.context.ts';
export {
  type OpenWaits,
  type Silence,
  WATCH_CLOCKS,
  WATCHDOG_STATES,
  type WatchClock,
  type WatchdogEvent,
  type WatchdogNotice,
  type WatchReport,
} from './watchdog/watchdog.events.ts';
export { watchdogMachine } from './watchdog/watchdog.machine.ts';
export { signs } from './watchdog/watchdog.ports.ts';
