import type { AccountContext, Wall } from './account.context.ts';
import type { AccountStateName } from './account.events.ts';

/** What of an account outlives its host, as JSON. Moments are epoch milliseconds. Who waits says so again. */
export interface PersistedAccount {
  readonly state: AccountStateName;
  readonly walls: readonly Wall[];
  readonly walledSince: number | null;
  readonly resumeAt: number | null;
  readonly blindWalls: number;
  readonly lock: string | null;
}

/** The states an account can come back in. */
export const ACCOUNT_COMEBACKS = ['open', 'walled', 'probing'] as const satisfies readonly AccountStateName[];
export type AccountComeback = (typeof ACCOUNT_COMEBACKS)[number];

/** As `AccountInput.restored` takes it. */
export interface RestoredAccount extends PersistedAccount {
  readonly state: AccountComeback;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function persistedAccount(context: AccountContext, state: AccountStateName): PersistedAccount {
  const { walls, walledSince, resumeAt, blindWalls, lock } = context;
  return { state, walls, walledSince, resumeAt, blindWalls, lock };
}

/**
 * The account as another host goes on with it. A wall stands until the same moment. The session that tried is gone with its
 * process: the first that comes tries. So it does where nobody was logged in: somebody may have seen to it meanwhile, and
 * no watch of the credentials could tell.
 */
export function restoredAccount(kept: PersistedAccount, now: number): RestoredAccount {
  const state = comebackOf(kept, now);
  const walls = state === 'walled' ? kept.walls : [];
  return { ...kept, state, walls, lock: null, now };
}

function comebackOf({ state, walls, resumeAt }: PersistedAccount, now: number): AccountComeback {
  switch (state) {
    case 'open':
    // The API had answered: who still waited may go on.
    case 'releasing':
      return 'open';
    case 'walled':
    case 'probing':
      return state;
    case 'locked':
      return walls.length > 0 && (resumeAt === null || resumeAt > now) ? 'walled' : 'probing';
  }
}
