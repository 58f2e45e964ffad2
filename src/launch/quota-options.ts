import { z } from 'zod';
import { type Agrees, BackoffShape, Duration } from './field-schemas.ts';
import type { RestartOptions } from './session-options.ts';

/** What happens at a limit of the account, for all sessions that share it. Times in milliseconds. */
export interface QuotaOptions {
  /**
   * Whether work goes on by itself after a reset. `true`: always. `false`: never, `supervisor.resumeAccount()` says when. Bounds:
   * `maxWaitMs` from the first refusal, `until` in epoch milliseconds; what would come later waits for somebody. Default
   * `{ maxWaitMs: 21_600_000 }`: six hours, so a window of five hours is waited for and a week is not.
   */
  readonly autoResume?: boolean | { readonly until?: number; readonly maxWaitMs?: number };
  /** Waited after the reset that was told, because clocks differ. Default 60 000. */
  readonly skewMs?: number;
  /** The most that chance adds to it. Default 30 000. */
  readonly jitterMs?: number;
  /** Between two sessions that go on, once the first had an answer. Default 5 000. */
  readonly staggerMs?: number;
  /** How long the session that tries may be without an answer before the next one does. Default 600 000. */
  readonly probeMs?: number;
  /** The wait where no reset was told, or one that has passed. Default from one minute to one hour. */
  readonly backoff?: NonNullable<RestartOptions['backoff']>;
}

export const QuotaShape = {
  autoResume: z
    .union([
      z.boolean(),
      z.strictObject({ until: z.number().nonnegative().exactOptional(), maxWaitMs: Duration.exactOptional() }),
    ])
    .exactOptional(),
  skewMs: z.number().nonnegative().exactOptional(),
  jitterMs: z.number().nonnegative().exactOptional(),
  staggerMs: z.number().nonnegative().exactOptional(),
  probeMs: Duration.exactOptional(),
  backoff: z.strictObject(BackoffShape).exactOptional(),
};

true satisfies Agrees<z.infer<z.ZodObject<typeof QuotaShape>>, QuotaOptions>;

export const DEFAULT_QUOTA = {
  maxWaitMs: 6 * 3_600_000,
  skewMs: 60_000,
  jitterMs: 30_000,
  staggerMs: 5_000,
  probeMs: 600_000,
  backoff: { minMs: 60_000, maxMs: 3_600_000, factor: 2, jitter: 0.2 },
} as const;
