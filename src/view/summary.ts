import type { FleetPermission, SessionSummary } from './fleet-view.ts';
import type { SessionView } from './session-view.ts';

/** The view in short, for lists. */
export function summaryOf(view: SessionView): SessionSummary {
  const { id, key, groups, seq, epoch, state, position, status, since, createdAt, updatedAt } = view;
  const { conversationId, model, permissionMode, parked, quarantined, ended, watchdog } = view;
  const { costUsd, turns } = view.usage;
  const open = view.prompts.filter((prompt) => prompt.state !== 'ended');
  const told = { key, conversationId, model, permissionMode, costUsd, parked, silentSince: watchdog?.since };
  const causes = {
    quarantined: quarantined && { code: quarantined.cause.code, message: quarantined.cause.message },
    ended: ended && { at: ended.at, code: ended.cause.code, message: ended.cause.message },
  };
  return {
    id,
    groups,
    seq,
    epoch,
    state,
    position,
    status,
    since,
    createdAt,
    updatedAt,
    openPrompts: open.length,
    queuedPrompts: open.filter((prompt) => prompt.state !== 'delivered' && prompt.state !== 'started').length,
    promptsInDoubt: open.filter((prompt) => prompt.state === 'in-doubt').length,
    openPermissions: view.permissions.length,
    restarts: view.restarts.count,
    turns,
    ...Object.fromEntries(Object.entries({ ...told, ...causes }).filter(([, value]) => value !== undefined)),
  };
}

/** Its open questions as the fleet shows them. */
export function fleetPermissionsOf({ id: sessionId, permissions }: SessionView): readonly FleetPermission[] {
  return permissions.map((permission) => ({
    ...permission,
    sessionId,
    globalId: globalIdOf(sessionId, permission.id),
  }));
}

/** The name of a question beyond its session. */
export function globalIdOf(sessionId: string, permissionId: string): string {
  return `${sessionId}~${permissionId}`;
}
