import type { PermissionView, SessionView } from './session-view.ts';
import type { ViewEvent } from './view-event.ts';

/** Settled requests that a view keeps. */
const SETTLED_KEPT = 50;

type PermissionEvent = Extract<ViewEvent, { type: 'permission.requested' | 'permission.settled' }>;

export function applyPermissionEvent(view: SessionView, event: PermissionEvent): SessionView {
  if (event.type === 'permission.requested') {
    const requested = permissionOf(event);
    return { ...view, permissions: [...view.permissions.filter(({ id }) => id !== requested.id), requested] };
  }
  const { requestId: id, kind, outcome, by, at, rule } = event;
  const asked = view.permissions.find((one) => one.id === id);
  const about = asked === undefined ? {} : aboutOf(asked);
  const settled = { id, kind, ...about, settledAt: at, outcome, by, ...(rule === undefined ? {} : { rule }) };
  return {
    ...view,
    permissions: view.permissions.filter((one) => one.id !== id),
    settled: [...view.settled.slice(1 - SETTLED_KEPT), settled],
  };
}

/** The request that an event opens. */
export function permissionOf(event: Extract<ViewEvent, { type: 'permission.requested' }>): PermissionView {
  const { requestId: id, kind, toolName, input, toolUseId, agentId, at: requestedAt, context } = event;
  return {
    id,
    kind,
    ...(toolName === undefined ? {} : { toolName }),
    input: input ?? null,
    ...(toolUseId === undefined ? {} : { toolUseId }),
    ...(agentId === undefined ? {} : { agentId }),
    requestedAt,
    ...context,
  };
}

function aboutOf({ toolName, toolUseId, requestedAt }: PermissionView) {
  return {
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolUseId === undefined ? {} : { toolUseId }),
    requestedAt,
  };
}
