import type { Session } from '../session/session.ts';
import type { EventLog } from '../store/event-log.ts';
import type { PermissionView, PromptView, SessionView } from '../view/session-view.ts';

/**
 * The view of a session whose log does not reach back to its beginning, from what the library knows of it. Only for a moment
 * at which everything that was logged is published. Prompts are known by their place only, and of what is settled nothing.
 */
export function viewOfLibrary(session: Session, log: EventLog, known: SessionView): SessionView {
  const { facts, queued, outstanding, settings, usage } = session.snapshot();
  const { activity, conversationId, model, permissionMode, cliVersion } = facts;
  const history = session.history();
  const since = history.at(-1)?.at ?? log.now();
  const doubts = new Set(session.doubts.pending().map(({ id }) => id));
  const prompt = (id: string, state: PromptView['state']): PromptView => {
    return { id, state, onBusy: 'enqueue', acceptedAt: since };
  };
  const isWorking = session.status === 'running' || outstanding.length > 0;
  const told = { activity, conversationId, model, permissionMode, cliVersion, pid: session.pid };
  return {
    ...known,
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
    seq: log.lastSeq,
    epoch: log.epoch,
    state: session.state,
    position: session.state === 'ready' ? `ready.${isWorking ? 'running' : 'idle'}` : session.state,
    status: session.status,
    since,
    createdAt: history[0]?.at ?? since,
    updatedAt: log.now(),
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    prompts: [
      ...outstanding.map((id) => prompt(id, 'started')),
      ...queued.map((id) => prompt(id, doubts.has(id) ? 'in-doubt' : 'accepted')),
    ],
    permissions: session.permissions.pending().map(permissionOf),
    usage: { ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }), turns: usage.turns },
    transitions: history.slice(-100).map(({ state, at, epoch }, index, all) => {
      const from = all[index - 1]?.state;
      return { ...(from === undefined ? {} : { from }), to: state, at, epoch, seq: 0 };
    }),
  };
}

function permissionOf(request: ReturnType<Session['permissions']['pending']>[number]): PermissionView {
  const { id, kind, toolName, toolUseId, agentId, askedAt, title, displayName, description } = request;
  const input = kind === 'tool' ? request.input : kind === 'elicitation' ? request.elicitation : request.dialog;
  const told = { toolName, toolUseId, agentId, title, displayName, description };
  const suggestions = kind === 'tool' && request.suggestions.length > 0 ? { suggestions: request.suggestions } : {};
  return {
    id,
    kind,
    input,
    requestedAt: askedAt,
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
    ...suggestions,
  };
}
