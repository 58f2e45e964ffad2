import { DEFAULT_RESTART } from '../launch/defaults.ts';
import type { SessionOptions } from '../launch/session-options.ts';

/** What a session says of its restarts, before what the supervisor says, before the defaults. */
export function restartSpec(
  general: SessionOptions['restart'],
  own: SessionOptions['restart'],
): typeof DEFAULT_RESTART {
  // Most sessions say nothing, and share what holds then.
  if (general === undefined && own === undefined) return DEFAULT_RESTART;
  const backoff = {
    ...DEFAULT_RESTART.backoff,
    ...definedOf(general?.backoff ?? {}),
    ...definedOf(own?.backoff ?? {}),
  };
  return { ...DEFAULT_RESTART, ...definedOf(general ?? {}), ...definedOf(own ?? {}), backoff };
}

function definedOf<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
