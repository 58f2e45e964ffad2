/** `permanent`: always restarted. `transient`: restarted unless somebody asked for the end. `temporary`: never. */
export type RestartType = 'permanent' | 'transient' | 'temporary';

export interface BackoffSpec {
  readonly minMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** Share of the wait that chance may add or take away, 0 … 1. */
  readonly jitter: number;
}

/** How a session is kept alive: data only. More than `intensity` restarts within `periodMs` give up. */
export interface RestartSpec {
  readonly type: RestartType;
  readonly intensity: number;
  readonly periodMs: number;
  readonly backoff: BackoffSpec;
}

/**
 * The wait before a restart, in milliseconds. `failures` counts the ends since the session was last healthy, from 1;
 * `chance` is a number from 0 (inclusive) to 1 (exclusive).
 */
export function backoffMs(spec: BackoffSpec, failures: number, chance: number): number {
  const base = Math.min(spec.maxMs, spec.minMs * spec.factor ** Math.max(0, failures - 1));
  return Math.round(base * (1 + spec.jitter * (2 * chance - 1)));
}

/** A session that stayed ready this long is healthy again: its next failure waits the shortest time. */
export function healthyAfterMs(spec: BackoffSpec): number {
  return (spec.minMs + spec.maxMs) / 2;
}
