/** What happened in a pool of warm processes. */
export type PoolNews =
  | { readonly type: 'pool.filled'; readonly pid: number }
  | { readonly type: 'pool.taken'; readonly pid: number; readonly takenBy: string }
  /** One could not be started, died, or said what nobody was there to answer. Another follows, unless it gave up. */
  | { readonly type: 'pool.lost'; readonly cause: { readonly code: string; readonly message: string } }
  /** Too many were lost within `restart.periodMs`: none is started any more. */
  | { readonly type: 'pool.gave-up'; readonly cause: { readonly code: string; readonly message: string } };

/** What a pool tells the fleet. `ready`: how many a start could take now. */
export type PoolEvent = PoolNews & { readonly poolId: string; readonly at: number; readonly ready: number };
