import type { SessionSummary } from '../view/fleet-view.ts';

export interface Filter {
  readonly state?: string | undefined;
  readonly status?: string | undefined;
  readonly key?: string | undefined;
  /** In ids, keys and conversation ids; upper and lower case are the same. */
  readonly search?: string | undefined;
}

/** A page of the sessions that fit, in order. `next` is not there on the last one. */
export function pageOf(
  all: readonly SessionSummary[],
  filter: Filter,
  page: { readonly limit: number; readonly after: string | undefined },
): { readonly sessions: readonly SessionSummary[]; readonly next?: string } {
  const fitting = all.filter((session) => fits(session, filter));
  const begin = page.after === undefined ? 0 : positionAfter(fitting, page.after);
  const sessions = fitting.slice(begin, begin + page.limit);
  const [end, last] = [begin + sessions.length, sessions.at(-1)];
  return { sessions, ...(end < fitting.length && last !== undefined ? { next: `${end}~${last.id}` } : {}) };
}

function fits(session: SessionSummary, { state, status, key, search }: Filter): boolean {
  if (state !== undefined && session.state !== state) return false;
  if (status !== undefined && session.status !== status) return false;
  if (key !== undefined && session.key !== key) return false;
  if (search === undefined) return true;
  const texts = [session.id, session.key ?? '', session.conversationId ?? ''];
  return texts.some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

/** Behind the session that was the last one; where it is gone, at the position it had. */
function positionAfter(sessions: readonly SessionSummary[], cursor: string): number {
  const [position = '', id = ''] = cursor.split('~');
  const known = sessions.findIndex((session) => session.id === id);
  return known >= 0 ? known + 1 : Math.min(Number(position), sessions.length);
}
