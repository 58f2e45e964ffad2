export type AccountFact =
  /** A limit refused work. `resetsAt` in epoch milliseconds, null where it was not told; `chance` (0 … 1) feeds the jitter. */
  | { type: 'limit.reached'; window: string; resetsAt: number | null; at: number; chance: number }
  | { type: 'login.failed'; message: string; at: number }
  /** The credentials are other ones now. */
  | { type: 'login.renewed'; at: number }
  /** A session is held back; `hasWork` when prompts of it wait. Told again when that has changed. */
  | { type: 'session.waiting'; id: string; hasWork: boolean; at: number }
  /** A session is over, or has come to nothing without an answer of the API. */
  | { type: 'session.left'; id: string; at: number }
  /** The API answered a session as it should. */
  | { type: 'session.passed'; id: string };

export type AccountCommand =
  /** Somebody says that it may be tried: a reset that is not known, or not waited for. */
  { type: 'account.resume'; at: number };

export type AccountEvent = AccountFact | AccountCommand;

export const ACCOUNT_STATES = ['open', 'walled', 'probing', 'releasing', 'locked'] as const;
export type AccountStateName = (typeof ACCOUNT_STATES)[number];

export type AccountNotice =
  | { type: 'state.entered'; state: AccountStateName }
  /** News of a wall: a window that was not known to be closed, or another time of its reset. */
  | { type: 'wall.changed'; window: string; resetsAt: number | null; resumeAt: number | null }
  /** That session may work again. The first one after a wall is the probe. */
  | { type: 'session.released'; id: string; isProbe: boolean };
