import type { SessionSummary } from '../../view/fleet-view.ts';

export type SortKey = 'attention' | 'id' | 'age' | 'cost' | 'queue' | 'restarts';

export type Shown = 'all' | 'open' | 'working' | 'asking' | 'trouble' | 'ended';

export interface FleetChoice {
  readonly search: string;
  readonly shown: Shown;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

const TROUBLE: readonly string[] = ['quarantined', 'failed', 'backing-off', 'parked', 'held'];

/** The sessions that are to be seen, in their order. Equal ones stay in the order of their ids, so that rows do not jump. */
export function rowsOf(sessions: readonly SessionSummary[], choice: FleetChoice): readonly SessionSummary[] {
  const words = choice.search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const shown = sessions.filter(
    (session) => belongs(session, choice.shown) && words.every((word) => has(session, word)),
  );
  const direction = choice.isDescending ? -1 : 1;
  return shown.toSorted((one, other) => {
    const difference = (measure(one, choice.sort) - measure(other, choice.sort)) * direction;
    if (difference !== 0) return difference;
    const byId = one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
    return choice.sort === 'id' ? byId * direction : byId;
  });
}

export function belongs(session: SessionSummary, shown: Shown): boolean {
  if (shown === 'all') return true;
  if (shown === 'ended') return hasEnded(session);
  if (shown === 'open') return !hasEnded(session);
  if (shown === 'working') return session.status === 'running' && !hasEnded(session);
  if (shown === 'asking') return session.openPermissions > 0 || session.promptsInDoubt > 0;
  return isInTrouble(session);
}

export function isInTrouble(session: SessionSummary): boolean {
  return TROUBLE.includes(session.state) || session.silentSince !== undefined || session.promptsInDoubt > 0;
}

export function hasEnded(session: SessionSummary): boolean {
  return session.ended !== undefined || session.state === 'stopped';
}

/** The least comes first: who waits for a human, then trouble, then work, then rest, then what is over. */
export function attention(session: SessionSummary): number {
  if (hasEnded(session)) return 4;
  if (session.openPermissions > 0 || session.promptsInDoubt > 0) return 0;
  if (isInTrouble(session)) return 1;
  return session.status === 'running' ? 2 : 3;
}

function measure(session: SessionSummary, sort: SortKey): number {
  if (sort === 'attention') return attention(session);
  if (sort === 'age') return -session.createdAt;
  // What nobody told is less than nothing.
  if (sort === 'cost') return session.costUsd ?? -1;
  if (sort === 'queue') return session.queuedPrompts;
  return sort === 'restarts' ? session.restarts : 0;
}

function has(session: SessionSummary, word: string): boolean {
  const texts = [session.id, session.key, session.state, session.model, session.conversationId, ...session.groups];
  return texts.some((text) => text?.toLowerCase().includes(word) === true);
}
