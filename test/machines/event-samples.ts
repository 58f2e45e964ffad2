import type { AccountEvent } from '../../machines/account/account.events.ts';
import type { BudgetEvent } from '../../machines/budget/budget.events.ts';
import type { ChildEvent } from '../../machines/child/child.events.ts';
import type { GroupEvent } from '../../machines/group/group.events.ts';
import type { McpServerEvent } from '../../machines/mcp-server/mcp-server.events.ts';
import type { PermissionEvent } from '../../machines/permission/permission.events.ts';
import type { EndCause, SessionEvent } from '../../machines/session/session.events.ts';
import type { SupervisorEvent } from '../../machines/supervisor/supervisor.events.ts';
import type { WatchdogEvent, WatchReport } from '../../machines/watchdog/watchdog.events.ts';

/** One event of each type: leaving one out does not compile. */
type Samples<E extends { type: string }> = { readonly [T in E['type']]: Extract<E, { type: T }> };

export const CRASH: EndCause = {
  code: 'CLI_EXITED',
  message: 'The CLI exited with code 1.',
  ending: 'crash',
  details: { exitCode: 1 },
};
export const ASKED: EndCause = { code: 'closed', message: 'The owner asked for the end.', ending: 'asked' };
export const BROKEN: EndCause = { code: 'CLI_NOT_FOUND', message: 'There is no claude here.', ending: 'start-refused' };

export const SESSION_EVENTS: Samples<SessionEvent> = {
  'cli.spawned': { type: 'cli.spawned', pid: 4711 },
  'cli.spawn-failed': { type: 'cli.spawn-failed', cause: BROKEN },
  'cli.spoke': { type: 'cli.spoke', at: 0 },
  'cli.initialized': { type: 'cli.initialized' },
  'cli.initialize-failed': { type: 'cli.initialize-failed', cause: BROKEN },
  'cli.faulted': { type: 'cli.faulted', cause: CRASH },
  'cli.exited': { type: 'cli.exited', exit: { exitCode: 1, signal: null }, cause: CRASH },
  'cli.tree-gone': { type: 'cli.tree-gone', killed: 0, survivors: [] },
  'work.started': { type: 'work.started' },
  'work.ended': { type: 'work.ended' },
  'background.changed': { type: 'background.changed', count: 1 },
  'turn.started': { type: 'turn.started', at: 0 },
  'turn.ended': { type: 'turn.ended' },
  'permission.requested': { type: 'permission.requested', at: 0, requestId: 'first' },
  'permission.settled': { type: 'permission.settled', at: 0, requestId: 'first' },
  'permission.passed': { type: 'permission.passed' },
  'mcp.handshake-started': { type: 'mcp.handshake-started', server: 'docs' },
  'mcp.connected': { type: 'mcp.connected', server: 'docs' },
  'mcp.failed': { type: 'mcp.failed', server: 'docs', reason: 'it crashed' },
  'mcp.untold': { type: 'mcp.untold', server: 'docs', reason: 'not supported' },
  'session.interrupt': { type: 'session.interrupt' },
  'session.interrupt-refused': { type: 'session.interrupt-refused' },
  'session.close': { type: 'session.close' },
  'session.kill': { type: 'session.kill' },
};

export const PERMISSION_EVENTS: Samples<PermissionEvent> = {
  'permission.answered': {
    type: 'permission.answered',
    decision: { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: [] },
    by: 'ada',
  },
  'permission.cancelled': { type: 'permission.cancelled' },
  'permission.lost': { type: 'permission.lost' },
  'permission.withdrawn': { type: 'permission.withdrawn', reason: 'the session is closing' },
};

export const MCP_SERVER_EVENTS: Samples<McpServerEvent> = {
  'server.handshake-started': { type: 'server.handshake-started' },
  'server.connected': { type: 'server.connected' },
  'server.failed': { type: 'server.failed', reason: 'it crashed' },
  'server.reconnect': { type: 'server.reconnect' },
};

export const CHILD_EVENTS: Samples<ChildEvent> = {
  'incarnation.ready': { type: 'incarnation.ready', at: 1_000 },
  'incarnation.progressed': { type: 'incarnation.progressed' },
  'incarnation.ended': { type: 'incarnation.ended', cause: CRASH, at: 2_000, chance: 0.5 },
  'child.start': { type: 'child.start' },
  'child.hibernate': { type: 'child.hibernate' },
  'child.hold': { type: 'child.hold' },
  'child.restart': { type: 'child.restart' },
  'child.quarantine': { type: 'child.quarantine' },
  'child.park': { type: 'child.park', reason: 'quota', until: 90_000, note: 'The account is at its limit.' },
  'child.unpark': { type: 'child.unpark' },
  'child.stop': { type: 'child.stop', mode: 'close' },
};

export const GROUP_EVENTS: Samples<GroupEvent> = {
  'member.ended': { type: 'member.ended', id: 'writer', cause: CRASH, at: 1_000, chance: 0.5 },
  'member.started': { type: 'member.started', id: 'writer' },
  'member.added': { type: 'member.added', member: { id: 'third', restart: 'permanent', significant: false } },
  'member.terminated': { type: 'member.terminated', id: 'writer' },
  'member.wanted': { type: 'member.wanted', id: 'writer' },
  'member.deleted': { type: 'member.deleted', id: 'reviewer' },
  'group.start': { type: 'group.start' },
  'group.hold': { type: 'group.hold' },
  'group.quarantine': { type: 'group.quarantine' },
  'group.stop': { type: 'group.stop' },
};

const OWED: WatchReport = {
  at: 0,
  isOwed: true,
  background: 0,
  waits: { human: 0, hook: 0, mcp: 0, tool: 0 },
  progressAt: 0,
  livedAt: 0,
};

/** One event; what it reports is everything that can be. */
export const WATCHDOG_EVENTS: readonly WatchdogEvent[] = [
  OWED,
  { ...OWED, at: 60_000 },
  { ...OWED, at: 120_000 },
  { ...OWED, at: 120_000, progressAt: 119_000, livedAt: 119_000 },
  { ...OWED, at: 120_000, livedAt: 119_000, waits: { ...OWED.waits, tool: 1 } },
  { ...OWED, at: 120_000, waits: { ...OWED.waits, human: 1, hook: 1, mcp: 1 } },
  { ...OWED, at: 120_000, isOwed: false },
  { ...OWED, at: 120_000, isOwed: false, background: 1 },
].map((report) => ({ type: 'watch.reported' as const, report }));

export const SUPERVISOR_EVENTS: Samples<SupervisorEvent> = {
  'child.started': { type: 'child.started' },
  'child.stopped': { type: 'child.stopped' },
  'supervisor.drain': { type: 'supervisor.drain', at: 0, withinMs: null },
  'supervisor.handover': { type: 'supervisor.handover', at: 0, withinMs: 1_000 },
  'supervisor.hurry': { type: 'supervisor.hurry', at: 0 },
  'supervisor.shutdown': { type: 'supervisor.shutdown', at: 0, withinMs: 500 },
  'deadline.phase': { type: 'deadline.phase' },
};

export const ACCOUNT_EVENTS: Samples<AccountEvent> = {
  'limit.reached': { type: 'limit.reached', window: 'five_hour', resetsAt: 60_000, at: 1_000, chance: 0.5 },
  'login.failed': { type: 'login.failed', message: 'Not logged in · Please run /login', at: 1_000 },
  'login.renewed': { type: 'login.renewed', at: 2_000 },
  'session.waiting': { type: 'session.waiting', id: 'review', hasWork: true, at: 1_000 },
  'session.left': { type: 'session.left', id: 'review', at: 2_000 },
  'session.passed': { type: 'session.passed', id: 'review' },
  'account.resume': { type: 'account.resume', at: 2_000 },
};

export const BUDGET_EVENTS: Samples<BudgetEvent> = {
  'payer.joined': {
    type: 'payer.joined',
    id: 'review',
    key: 'shop',
    groups: ['team'],
    rule: { limits: { usd: 1 }, warnAt: 0.8, onLimit: 'park' },
  },
  'payer.left': { type: 'payer.left', id: 'review' },
  'usage.told': {
    type: 'usage.told',
    at: 1_000,
    id: 'review',
    settled: { usd: 2, tokens: 100, turns: 1 },
    open: { usd: 0, tokens: 0, turns: 0 },
    hasTurn: false,
    isUnpriced: false,
  },
  'day.told': { type: 'day.told', day: { name: '1970-01-02', endsAt: 172_800_000 }, at: 86_400_000 },
  'budget.raise': { type: 'budget.raise', scope: { kind: 'day', name: '1970-01-01' }, amounts: { usd: 10 } },
  'budget.close': { type: 'budget.close' },
};
