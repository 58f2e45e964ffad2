import type { AccountPolicy } from '../../machines/account/account.context.ts';
import {
  type PersistedAccount,
  type RestoredAccount,
  restoredAccount,
} from '../../machines/account/restored-account.ts';
import type { Parking } from '../../machines/child/child.context.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { DEFAULT_QUOTA, type QuotaOptions } from '../launch/quota-options.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { AccountDesk, type AccountView } from './account-desk.ts';
import type { AccountFleetEvent } from './account-event.ts';
import { accountKeyOf, configFolderOf } from './account-key.ts';
import { AccountSeat } from './account-seat.ts';
import { nextLogin } from './credentials-watch.ts';
import { currentHost } from './host.ts';

export interface AccountRegistryOptions {
  readonly quota: QuotaOptions | undefined;
  readonly clock: Clock;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly tell: (event: AccountFleetEvent) => void;
}

/** Accounts without sessions that are kept because of a wall. */
const KEPT = 1_000;

/** The accounts of a supervisor, by key: made with their first session, forgotten when they are open and without one. */
export class AccountRegistry {
  readonly #options: AccountRegistryOptions;
  readonly #policy: AccountPolicy;
  readonly #desks = new Map<string, AccountDesk>();

  constructor(options: AccountRegistryOptions) {
    this.#options = options;
    this.#policy = policyOf(options.quota ?? {});
  }

  seat(id: string, options: SessionOptions): AccountSeat {
    this.#forgetIdle();
    const { env } = currentHost();
    const key = accountKeyOf(options, env);
    const desk = this.#desks.get(key) ?? this.#open(key, configFolderOf(options, env));
    this.#desks.set(key, desk);
    return new AccountSeat(id, desk);
  }

  /** The session goes on with other options: it may be at another account. */
  leave(id: string): void {
    for (const desk of this.#desks.values()) desk.leave(id);
  }

  /** A session of another host waited for its account: the wall stands again until the same moment. */
  restore(options: SessionOptions, { reason, until }: Parking): void {
    if (reason === 'budget') return;
    const { env } = currentHost();
    const key = accountKeyOf(options, env);
    if (this.#desks.has(key)) return;
    const now = this.#options.clock.now();
    const isLocked = reason === 'auth';
    const kept: PersistedAccount = {
      state: isLocked ? 'locked' : 'walled',
      walls: isLocked ? [] : [{ window: 'unknown', resetsAt: until }],
      walledSince: now,
      resumeAt: until,
      blindWalls: 0,
      lock: isLocked ? 'It was so under the host before.' : null,
    };
    this.#desks.set(key, this.#open(key, configFolderOf(options, env), restoredAccount(kept, now)));
  }

  list(): AccountView[] {
    return [...this.#desks.values()].map((desk) => desk.view());
  }

  /** Throws ACCOUNT_NOT_FOUND. */
  resume(key: string): void {
    const desk = this.#desks.get(key);
    if (desk === undefined) throw new TroupeError('ACCOUNT_NOT_FOUND', { details: { key } });
    desk.send({ type: 'account.resume', at: this.#options.clock.now() });
  }

  stop(): void {
    for (const desk of this.#desks.values()) desk.stop();
  }

  #open(key: string, configDir: string | undefined, restored?: RestoredAccount): AccountDesk {
    const { clock, inspect, tell } = this.#options;
    return new AccountDesk({
      key,
      restored,
      policy: this.#policy,
      clock,
      chance: Math.random,
      inspect,
      tell,
      newLogin: (signal) => nextLogin(configDir, clock, signal),
    });
  }

  #forgetIdle(): void {
    for (const [key, desk] of this.#desks) {
      if (!desk.isIdle && (desk.isUsed || this.#desks.size <= KEPT)) continue;
      desk.stop();
      this.#desks.delete(key);
    }
  }
}

function policyOf({ autoResume = {}, backoff = {}, ...given }: QuotaOptions): AccountPolicy {
  const { maxWaitMs, backoff: defaults, ...times } = DEFAULT_QUOTA;
  const bounds = typeof autoResume === 'boolean' ? { maxWaitMs: Number.POSITIVE_INFINITY } : autoResume;
  const isBounded = typeof autoResume !== 'boolean' && autoResume.until === undefined;
  const longest = bounds.maxWaitMs ?? (isBounded ? maxWaitMs : Number.POSITIVE_INFINITY);
  return {
    ...times,
    ...given,
    autoResume: autoResume !== false,
    resumeUntil: typeof autoResume === 'boolean' ? null : (autoResume.until ?? null),
    maxWaitMs: Number.isFinite(longest) ? longest : null,
    backoff: { ...defaults, ...backoff },
  };
}
