import { backoffMs } from '../../machines/child/child-spec.ts';
import { countRestart } from '../../machines/child/restart-window.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { DEFAULT_RESTART } from '../launch/defaults.ts';
import type { PlannedLaunch } from '../launch/launch-plan.ts';
import { causeOf, errorOf } from '../session/exit-cause.ts';
import type { SparePlace } from './admission.ts';
import type { PoolEvent, PoolNews } from './pool-event.ts';
import type { WarmProcess } from './warm-cli.ts';

/** Processes that are kept ready for sessions to come. */
export interface PrewarmedPool extends AsyncDisposable {
  readonly id: string;
  /** Processes that a start can take at once. */
  readonly ready: number;
  /** `gave-up`: too many were lost, and what is left is all there will be. */
  readonly state: 'open' | 'gave-up' | 'closed';
  /** Why the newest one was lost. */
  readonly failure: TroupeError | undefined;
  /** Ends its processes and resolves when they were seen gone. Sessions that took one go on. */
  close(): Promise<void>;
}

export interface WarmPoolOptions {
  readonly id: string;
  readonly count: number;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly restart: Pick<typeof DEFAULT_RESTART, 'intensity' | 'periodMs' | 'backoff'>;
  readonly place: () => SparePlace;
  /** As the first process of a session with the same options would be started now. */
  readonly launch: () => Promise<WarmLaunch>;
  readonly open: (planned: PlannedLaunch) => WarmProcess;
  readonly discard: (planned: PlannedLaunch) => Promise<void>;
  readonly tell: (event: PoolEvent) => void;
}

export interface WarmLaunch {
  readonly planned: PlannedLaunch;
  readonly key: string;
  /** Which conversation it begins, where that was made up. */
  readonly conversationId: string | undefined;
}

/** One process of a pool, or one that is about to be, and the slot it holds. */
export interface Seat {
  readonly place: SparePlace;
  readonly stop: AbortController;
  warm: WarmProcess | undefined;
  /** Undefined until it is ready. */
  key: string | undefined;
  conversationId?: string | undefined;
  /** Its slot was given to a start that waited: it is taken by that start or ended before that one has a process. */
  isLent: boolean;
  ttl: unknown;
}

/** Keeps up to `count` processes ready. What is lost is replaced as a session is restarted: after a wait, and not for ever. */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #seats = new Set<Seat>();
  readonly #leaving = new Map<Promise<void>, Seat>();
  #state: PrewarmedPool['state'] = 'open';
  #failure: TroupeError | undefined;
  #failures = 0;
  #restarts: readonly number[] = [];
  #retry: unknown;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  /** What its owner holds. `whenClosed` is called once. */
  handle(whenClosed: () => void): PrewarmedPool {
    const pool = this;
    const close = async () => {
      await pool.close({ isHurried: false });
      whenClosed();
    };
    return {
      id: pool.#options.id,
      get ready() {
        return pool.#ready;
      },
      get state() {
        return pool.#state;
      },
      get failure() {
        return pool.#failure;
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** Starts what is missing, as far as there are slots. Resolves when each of them is ready or failed, with the failures. */
  async fill(): Promise<readonly TroupeError[]> {
    const begun: Promise<TroupeError | undefined>[] = [];
    for (const seat of this.#seats) this.#takeSlotAgain(seat);
    while (this.#state === 'open' && this.#retry === undefined && this.#seats.size < this.#options.count) {
      const place = this.#options.place();
      if (!place.take()) break;
      const stop = new AbortController();
      const seat: Seat = { place, stop, warm: undefined, key: undefined, isLent: false, ttl: undefined };
      this.#seats.add(seat);
      begun.push(this.#warm(seat));
    }
    const failures = await Promise.all(begun);
    return failures.filter((failure) => failure !== undefined);
  }

  /** Takes one that is like that out of the pool; the slot stays with the seat until `settle`. */
  pick(key: string): Seat | undefined {
    const fitting = [...this.#seats].filter((seat) => seat.key === key && seat.warm?.isSound === true);
    const seat = fitting.find(({ isLent }) => isLent) ?? fitting[0];
    if (seat !== undefined) this.#forget(seat);
    return seat;
  }

  /** A picked one was handed to that session, or is of no use: then it is ended here. */
  async settle(seat: Seat, takenBy: string | undefined): Promise<void> {
    if (takenBy === undefined) {
      this.#lost(new TroupeError('CLI_EXITED', { reason: 'It did not answer when it was to be taken.' }));
      await this.#leave(seat, true);
      return;
    }
    this.#failures = 0;
    this.#tell({ type: 'pool.taken', pid: seat.warm?.pid ?? 0, takenBy });
    seat.place.giveBack();
    void this.fill();
  }

  /** Gives the slot of one to whoever waits; false when it has none to give. */
  lend(): boolean {
    const seat = leastUseful([...this.#seats].filter(({ isLent }) => !isLent));
    if (seat === undefined) return false;
    seat.isLent = true;
    if (seat.key === undefined) void this.#end(seat, true);
    seat.place.giveBack();
    return true;
  }

  /** Ends one for the memory that it takes; false when there is none, or one is on its way out. */
  shed(): boolean {
    const seat = leastUseful(this.#seats);
    if (seat === undefined || this.#leaving.size > 0) return false;
    void this.#end(seat, true);
    return true;
  }

  /** Ends those whose slot somebody else has, and waits until they were seen gone. */
  async clearLent(): Promise<void> {
    for (const seat of [...this.#seats]) if (seat.isLent) void this.#end(seat, true);
    await Promise.all([...this.#leaving].map(([left, { isLent }]) => (isLent ? left : undefined)));
  }

  async close({ isHurried }: { readonly isHurried: boolean }): Promise<void> {
    this.#state = 'closed';
    this.#options.clock.clearTimeout(this.#retry);
    if (isHurried) for (const seat of this.#leaving.values()) void seat.warm?.end({ isHurried });
    for (const seat of [...this.#seats]) void this.#end(seat, isHurried);
    await Promise.all(this.#leaving.keys());
  }

  get #ready(): number {
    return [...this.#seats].filter((seat) => seat.key !== undefined && seat.warm?.isSound === true).length;
  }

  async #warm(seat: Seat): Promise<TroupeError | undefined> {
    try {
      const leave = await seat.place.start(seat.stop.signal);
      try {
        await this.#start(seat);
      } finally {
        leave();
      }
      return undefined;
    } catch (error) {
      const failure = errorOf(causeOf(error));
      if (!this.#seats.has(seat)) return failure;
      // First, so that the slot that becomes free is not filled before the wait is over.
      this.#lost(failure);
      await this.#end(seat, true);
      return failure;
    }
  }

  async #start(seat: Seat): Promise<void> {
    const { launch, open, discard, clock, ttlMs } = this.#options;
    const { planned, key, conversationId } = await launch();
    if (seat.stop.signal.aborted) {
      await discard(planned);
      throw new TroupeError('ABORTED');
    }
    const warm = open(planned);
    seat.warm = warm;
    await warm.initialized();
    if (!this.#seats.has(seat)) throw new TroupeError('ABORTED');
    seat.key = key;
    seat.conversationId = conversationId;
    seat.ttl = clock.setTimeout(() => void this.#renew(seat), ttlMs);
    this.#tell({ type: 'pool.filled', pid: warm.pid });
    void warm.lost.then(async (reason) => {
      if (!this.#seats.has(seat)) return;
      this.#lost(reason);
      await this.#end(seat, true);
    });
  }

  /** Not for ever: what it read at its start, and the login it holds, become old. */
  async #renew(seat: Seat): Promise<void> {
    this.#failures = 0;
    await this.#end(seat, false);
    await this.fill();
  }

  /** Nobody came for the slot that was lent, so it is its own again. */
  #takeSlotAgain(seat: Seat): void {
    if (!seat.isLent || seat.key === undefined || !seat.place.take()) return;
    seat.isLent = false;
    seat.place.settled();
  }

  #lost(reason: TroupeError): void {
    if (this.#state !== 'open') return;
    const { restart, clock, chance } = this.#options;
    const cause = { code: reason.code, message: reason.message };
    const { allowed, restarts } = countRestart(this.#restarts, clock.now(), restart);
    this.#failure = reason;
    this.#restarts = restarts;
    this.#failures += 1;
    this.#tell({ type: 'pool.lost', cause });
    if (!allowed) {
      this.#state = 'gave-up';
      clock.clearTimeout(this.#retry);
      this.#tell({ type: 'pool.gave-up', cause });
      return;
    }
    if (this.#retry !== undefined) return;
    this.#retry = clock.setTimeout(
      () => {
        this.#retry = undefined;
        void this.fill();
      },
      backoffMs(restart.backoff, this.#failures, chance()),
    );
  }

  #forget(seat: Seat): void {
    this.#seats.delete(seat);
    this.#options.clock.clearTimeout(seat.ttl);
  }

  async #end(seat: Seat, isHurried: boolean): Promise<void> {
    this.#forget(seat);
    const leaving = this.#leave(seat, isHurried);
    this.#leaving.set(leaving, seat);
    await leaving;
    this.#leaving.delete(leaving);
  }

  /** The slot becomes free when the process was seen gone. */
  async #leave(seat: Seat, isHurried: boolean): Promise<void> {
    seat.stop.abort();
    const survivors = (await seat.warm?.end({ isHurried })) ?? [];
    if (survivors.length > 0) this.#lost(new TroupeError('TREE_SURVIVED', { details: { survivors } }));
    seat.place.giveBack();
  }

  #tell(news: PoolNews): void {
    const { id: poolId, clock, tell } = this.#options;
    tell({ ...news, poolId, at: clock.now(), ready: this.#ready });
  }
}

/** What is not ready yet, before what is. */
function leastUseful(seats: Iterable<Seat>): Seat | undefined {
  const all = [...seats];
  return all.find(({ key }) => key === undefined) ?? all[0];
}
