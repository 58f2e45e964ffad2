import { TroupeError } from '../errors.ts';
import { invalidOptions } from '../launch/option-issue.ts';
import { DEFAULT_RETENTION, type RetentionOptions } from '../launch/retention-options.ts';
import type { SupervisorOptions } from '../launch/supervisor-options.ts';
import { causeOf, errorOf } from '../session/exit-cause.ts';
import { type FoundRecords, formerRecords } from '../session/kept-records.ts';
import type { SessionJournal } from '../store/session-journal.ts';
import type { Claimant } from '../store/sqlite/claim.ts';
import { assertDriver } from '../store/sqlite/driver.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { LogHead, Store } from '../store/store.ts';
import { StoreDesk, type StoreDeskOptions } from '../store/store-desk.ts';
import type { FleetStoreWait } from '../store/store-wait.ts';
import { NOTHING_RECOVERED, type RecoveryReport } from './recovery.ts';
import { RetentionKeeper } from './retention-keeper.ts';
import type { BuiltSession } from './session-factory.ts';

export interface StoreOpeningOptions extends Omit<StoreDeskOptions, 'store'> {
  readonly given: Pick<SupervisorOptions, 'store' | 'durability' | 'retention' | 'takeover' | 'onTakeover'>;
  /** How long the holder of the store is waited for, where the options do not say it. */
  readonly takeoverMs: number;
  /** Hears that another process asks for the store. */
  readonly onClaimed: (claimant: Claimant) => void;
  /** Takes up what the store has, before anything new begins. */
  readonly recover: (desk: StoreDesk) => Promise<RecoveryReport>;
}

const NO_PATH = { field: 'takeover', reason: 'only a store that is named by its path can be taken over' };

/** More than a supervisor has sessions. */
const HEADS_KEPT = 100_000;

/** The store of a supervisor, from its options to its end. Without one everything lasts as long as the process. */
export class StoreOpening {
  /** Resolves when everything stored is known; rejects with the reason the store cannot be used. */
  readonly recovered: Promise<RecoveryReport>;
  readonly #options: StoreOpeningOptions;
  readonly #isUsed: boolean;
  readonly #heads = new Map<string, LogHead>();
  /** Of ids that are about to be taken again. */
  readonly #formers = new Map<string, FoundRecords>();
  /** Of ids whose session is over, and not all of it durable yet. */
  readonly #leaving = new Map<string, SessionJournal>();
  #desk: StoreDesk | undefined;
  #retention: RetentionKeeper | undefined;
  readonly #openedAt: number;
  #unusable: TroupeError | undefined;
  #isRecovered = false;
  #closing: Promise<void> | undefined;
  #abandon: () => void = () => {};
  readonly #abandoned = new Promise<void>((resolve) => {
    this.#abandon = resolve;
  });

  /** Throws STORE_DRIVER_MISSING. */
  constructor(options: StoreOpeningOptions) {
    this.#options = options;
    this.#openedAt = options.clock.now();
    const { store } = options.given;
    this.#isUsed = store !== undefined && store !== ':memory:';
    if (typeof store === 'string' && this.#isUsed) assertDriver();
    else if ((options.given.takeover ?? false) !== false) throw invalidOptions([NO_PATH]);
    this.recovered = this.#isUsed ? this.#open() : Promise.resolve(NOTHING_RECOVERED);
    // It is told to everybody who asks, and to every start.
    this.recovered.catch((error: unknown) => {
      this.#unusable = errorOf(causeOf(error));
    });
  }

  /** Undefined where nothing is stored, and before the store is open. */
  get desk(): StoreDesk | undefined {
    return this.#desk;
  }

  /** False where everything lasts only as long as this process. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** True as soon as `recovered` has resolved. */
  get isRecovered(): boolean {
    return this.#isRecovered;
  }

  /** Nothing has to be waited for before it is known whether the store can be used. */
  get isSettled(): boolean {
    return !this.#isUsed || this.#isRecovered || this.#unusable !== undefined;
  }

  /** Resolves when that is so. Never rejects. */
  get settled(): Promise<void> {
    return this.recovered.then(
      () => {},
      () => {},
    );
  }

  /** Why nothing new may begin; undefined when it may. */
  get refusal(): TroupeError | undefined {
    return this.#desk?.refusal;
  }

  /** What is waited for at the store; undefined where there is none, and where everything is durable. */
  wait(): FleetStoreWait | undefined {
    if (!this.#isUsed || this.#isRecovered) return this.#desk?.wait();
    const error = this.#unusable;
    const refusal = error && { code: error.code, message: error.message };
    const state = error === undefined ? 'opening' : 'lost';
    return { state, since: this.#openedAt, sessions: this.#desk?.waiting ?? 0, refusal };
  }

  /** Resolves when the store is known, and where the logs of those sessions stand; rejects where it cannot be used. */
  async ready(sessionIds: readonly string[] = []): Promise<void> {
    await this.recovered;
    await Promise.all(sessionIds.map((id) => this.#whenLeft(id)));
    await this.#lookAt(sessionIds);
  }

  /**
   * The same for a session that nobody asks for, because it begins anew by itself: what its last log has not got into a store
   * that fails is waited for.
   */
  async readyAgain(sessionId: string): Promise<void> {
    await this.recovered;
    await new Promise<void>((resolve) => {
      const leaving = this.#leaving.get(sessionId);
      if (leaving === undefined) resolve();
      else leaving.whenIdle(resolve);
    });
    await this.#lookAt([sessionId]);
  }

  async #lookAt(sessionIds: readonly string[]): Promise<void> {
    const store = this.#desk?.store;
    if (store === undefined) return;
    // Also those that were forgotten go on counting.
    const unknown = sessionIds.filter((id) => !this.#heads.has(id));
    const heads = await Promise.all(unknown.map((id) => store.head(id)));
    for (const [index, id] of unknown.entries()) {
      const head = heads[index];
      // One that has ended meanwhile is known better.
      if (head !== undefined && !this.#heads.has(id)) this.#keep(id, head);
    }
    await Promise.all(sessionIds.map((id) => this.#look(store, id)));
  }

  headOf(sessionId: string): LogHead | undefined {
    return this.#heads.get(sessionId);
  }

  /** What the session that had this id left in the store, for the one that begins now. */
  takeFormer(sessionId: string): FoundRecords | undefined {
    const former = this.#formers.get(sessionId);
    this.#formers.delete(sessionId);
    return former;
  }

  /** The session is over. One with the same id goes on counting, behind what the store has where it took nothing more. */
  left({ session, log, journal }: BuiltSession): void {
    if (this.#desk === undefined || journal === undefined) return;
    const { id } = session;
    const keep = () => {
      if (journal.isLost) return this.#heads.delete(id);
      const { lastSeq, epoch } = log;
      this.#keep(id, { lastSeq, firstSeq: lastSeq + 1, epoch });
      return undefined;
    };
    keep();
    this.#leaving.set(id, journal);
    // Its log may get longer after its end: that the store fails, and that it has everything again, is told there.
    journal.whenIdle(() => {
      if (this.#leaving.get(id) !== journal) return;
      this.#leaving.delete(id);
      keep();
    });
    this.#desk.leave(journal);
  }

  /** Resolves when everything is written and the store is let go of. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Its supervisor has stopped: whatever the store does, nothing of it goes on here. */
  abandon(): void {
    this.#abandon();
    this.#desk?.abandon();
  }

  async #open(): Promise<RecoveryReport> {
    const store = await this.#opened();
    const { clock, storeMs, tell, onLost, recover } = this.#options;
    const desk = new StoreDesk({ store, clock, storeMs, tell, onLost });
    for await (const { sessionId, lastSeq, firstSeq, epoch } of store.sessions()) {
      this.#heads.set(sessionId, { lastSeq, firstSeq, epoch });
    }
    this.#desk = desk;
    this.#retention = new RetentionKeeper({ store, clock, retention: this.#policy() });
    const report = await recover(desk);
    this.#isRecovered = true;
    return report;
  }

  /**
   * Resolves when the session that had this id adds nothing more to its log; rejects with the reason the store does not take it.
   * It does not wait for a store that fails: nothing new begins then.
   */
  async #whenLeft(id: string): Promise<void> {
    // Once more where the journal tells that the store has everything again.
    for (let journal = this.#leaving.get(id); journal !== undefined; journal = this.#leaving.get(id)) {
      const leaving = journal;
      await new Promise<void>((resolve, reject) => {
        leaving.whenKept(resolve, (error) => (leaving.isIdle ? resolve() : reject(error)));
      });
    }
  }

  async #look(store: Store, id: string): Promise<void> {
    const head = this.#heads.get(id);
    if (head === undefined) return;
    const snapshot = await store.snapshot(id).catch((error: unknown) => {
      // What can still be read of it is no reason to refuse a new session.
      if (TroupeError.is(error) && error.code === 'STORE_DAMAGED') return undefined;
      throw error;
    });
    const { lastSeq, records } = snapshot ?? { lastSeq: head.lastSeq, records: [] };
    this.#formers.set(id, formerRecords(lastSeq, records));
  }

  /** What goes for a newer one is asked again when it is needed. */
  #keep(id: string, head: LogHead): void {
    this.#heads.delete(id);
    this.#heads.set(id, head);
    const oldest = this.#heads.keys().next();
    if (this.#heads.size > HEADS_KEPT && oldest.done !== true) this.#heads.delete(oldest.value);
  }

  async #opened(): Promise<Store> {
    const { store, durability = 'batched' } = this.#options.given;
    if (typeof store === 'object') return store;
    const { clock, given, takeoverMs, onClaimed } = this.#options;
    const { takeover = false, onTakeover = 'handover' } = given;
    const waitMs = (takeover === true || takeover === false ? undefined : takeover.waitMs) ?? takeoverMs;
    return await openSqliteStore(store ?? '', {
      durability,
      clock,
      ...(takeover === false ? {} : { takeover: { waitMs } }),
      ...(onTakeover === 'refuse' ? {} : { onClaimed }),
    });
  }

  /** The defaults are for a store of ours: what stays in one that was given is its owner's to say. */
  #policy(): RetentionOptions {
    const { store, retention } = this.#options.given;
    return typeof store === 'string' ? { ...DEFAULT_RETENTION, ...retention } : { ...retention };
  }

  async #close(): Promise<void> {
    await Promise.race([this.recovered.catch(() => {}), this.#abandoned]);
    await Promise.race([this.#retention?.stop(), this.#abandoned]);
    await this.#desk?.flush();
    // One that was given is its owner's.
    if (typeof this.#options.given.store === 'string') await this.#desk?.store.close().catch(() => {});
  }
}
