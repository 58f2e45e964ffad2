import type { Session } from '../session/session.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { SessionSummary } from '../view/fleet-view.ts';

/** One session in a list, as it is at this moment. */
export function summaryOf(session: Session): SessionSummary {
  const { id, key, conversationId, facts } = session;
  const told = session.explain();
  const history = session.history();
  const { costUsd, turns } = session.usage();
  const { parked, lastFailure } = told;
  return {
    id,
    ...(key === undefined ? {} : { key }),
    groups: [],
    seq: session.snapshot().seq,
    epoch: session.incarnation,
    state: session.state,
    position: session.state,
    status: session.status,
    since: told.since,
    createdAt: history[0]?.at ?? told.since,
    updatedAt: history.at(-1)?.at ?? told.since,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(facts.model === undefined ? {} : { model: facts.model }),
    ...(facts.permissionMode === undefined ? {} : { permissionMode: facts.permissionMode }),
    openPrompts: told.queuedPrompts + told.outstandingPrompts,
    queuedPrompts: told.queuedPrompts,
    promptsInDoubt: told.promptsInDoubt.length,
    openPermissions: told.openPermissions.length,
    restarts: told.failures.length,
    turns: typeof turns === 'number' ? turns : session.turns().length,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(parked === undefined ? {} : { parked }),
    ...(session.state === 'quarantined' && lastFailure !== undefined ? { quarantined: lastFailure } : {}),
  };
}

export interface Filter {
  readonly state?: string | undefined;
  readonly status?: string | undefined;
  readonly key?: string | undefined;
  readonly search?: string | undefined;
}

/** The sessions that fit, in order of start, a page of them. */
export function pageOf(
  supervisor: Supervisor,
  filter: Filter,
  page: { readonly limit: number; readonly after: string | undefined },
): { sessions: SessionSummary[]; next?: string } {
  const all = supervisor.list();
  const fitting = all.filter((session) => fits(session, filter));
  const begin = page.after === undefined ? 0 : positionAfter(fitting, page.after);
  const shown = fitting.slice(begin, begin + page.limit);
  const last = shown.at(-1);
  const hasMore = begin + page.limit < fitting.length;
  return {
    sessions: shown.map(summaryOf),
    ...(hasMore && last !== undefined ? { next: cursorOf(begin + page.limit, last.id) } : {}),
  };
}

function fits(session: Session, { state, status, key, search }: Filter): boolean {
  if (state !== undefined && session.state !== state) return false;
  if (status !== undefined && session.status !== status) return false;
  if (key !== undefined && session.key !== key) return false;
  if (search === undefined) return true;
  const wanted = search.toLowerCase();
  return [session.id, session.key ?? '', session.conversationId ?? ''].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

/** Behind the session that was the last one; where it is gone, at the position it had. */
function positionAfter(sessions: readonly Session[], cursor: string): number {
  const [position = '', id = ''] = cursor.split('~');
  const known = sessions.findIndex((session) => session.id === id);
  if (known >= 0) return known + 1;
  return Math.min(Number(position), sessions.length);
}

function cursorOf(position: number, id: string): string {
  return `${position}~${id}`;
}
