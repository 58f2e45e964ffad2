import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { SessionJournal, type SessionJournalOptions } from './session-journal.ts';
import type { Store } from './store.ts';
import type { FleetStoreWait } from './store-wait.ts';

/** What the fleet hears of the store. */
export type StoreEvent =
  /** What happens from here on is not durable until `store.recovered`: no new work is taken, what runs goes on. */
  | { readonly type: 'store.failing'; readonly at: number; readonly code: string; readonly message: string }
  /** Everything that happened meanwhile is durable, too. */
  | { readonly type: 'store.recovered'; readonly at: number; readonly failedForMs: number }
  /** The store takes nothing more of that session, and no try would change that: it is killed, and its log ends where the store has it. */
  | {
      readonly type: 'store.refused';
      readonly at: number;
      readonly sessionId: string;
      readonly code: string;
      readonly message: string;
    }
  /** Another process asks for the store and waits: the sessions are handed over to it. */
  | {
      readonly type: 'store.claimed';
      readonly at: number;
      readonly pid: number;
      readonly host: string;
      readonly waitMs: number;
    }
  /** This process may never write again: every session is killed. */
  | { readonly type: 'store.lost'; readonly at: number; readonly code: string; readonly message: string };

export interface StoreDeskOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** A change that was not answered for so long says that the store fails. */
  readonly storeMs: number;
  readonly tell: (event: StoreEvent) => void;
  /** This process is no longer the one that may write. */
  readonly onLost: (error: TroupeError) => void;
}

/** Between the tries of a store that fails: the first, and the longest wait. */
const RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

/** The journals of all sessions at one store, and what is known of its health by what became of their changes. */
export class StoreDesk {
  readonly #options: StoreDeskOptions;
  readonly #journals = new Set<SessionJournal>();
  /** Whose last change was not kept, and who waits to try again. */
  readonly #failing = new Set<SessionJournal>();
  #failure: { readonly error: TroupeError; readonly since: number } | undefined;
  #lost: TroupeError | undefined;
  #lostAt = 0;
  #retryMs = RETRY_MS;
  #timer: unknown;

  constructor(options: StoreDeskOptions) {
    this.#options = options;
  }

  get store(): Store {
    return this.#options.store;
  }

  /** Why nothing new may begin; undefined when it may. */
  get refusal(): TroupeError | undefined {
    return this.#lost ?? this.#failure?.error;
  }

  /** What is waited for at the store; undefined where everything is durable. */
  wait(): FleetStoreWait | undefined {
    const sessions = this.waiting;
    const since = [...this.#journals].map(({ unkept }) => unkept?.since ?? Infinity);
    const refusal = this.refusal && { code: this.refusal.code, message: this.refusal.message };
    if (this.#lost !== undefined) return { state: 'lost', since: this.#lostAt, sessions, refusal };
    if (this.#failure !== undefined) return { state: 'failing', since: this.#failure.since, sessions, refusal };
    return sessions === 0 ? undefined : { state: 'writing', since: Math.min(...since), sessions, refusal };
  }

  /** Sessions with something that is not durable yet. */
  get waiting(): number {
    return [...this.#journals].filter(({ isIdle }) => !isIdle).length;
  }

  journal(
    sessionId: string,
    options: Pick<SessionJournalOptions, 'limits' | 'recordsOf' | 'onUnkept' | 'pressed'>,
  ): SessionJournal {
    const journal: SessionJournal = new SessionJournal({
      ...options,
      sessionId,
      store: this.#options.store,
      kept: () => this.#kept(journal),
      failed: (error) => this.#failed(journal, error),
      deadline: (late) => this.#after(late),
      lost: (error) => this.lose(error),
      onUnkept: (error) => {
        if (journal.isLost) this.#gaveUp(sessionId, journal, error);
        options.onUnkept(error);
      },
    });
    this.#journals.add(journal);
    if (this.#lost !== undefined) journal.lose(this.#lost);
    return journal;
  }

  /** The session is over: its journal goes as soon as it has nothing left to write. */
  leave(journal: SessionJournal): void {
    journal.whenKept(
      () => this.#journals.delete(journal),
      () => {
        if (this.#lost !== undefined) this.#journals.delete(journal);
        else journal.whenIdle(() => this.#journals.delete(journal));
      },
    );
  }

  /** Resolves when everything that was logged is durable, or never will be. */
  async flush(): Promise<void> {
    // Nobody is left who could wait for the timer.
    this.#retry();
    await Promise.all([...this.#journals].map((journal) => new Promise<void>((resolve) => journal.whenIdle(resolve))));
  }

  lose(error: TroupeError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    const { clock, tell, onLost } = this.#options;
    this.#lostAt = clock.now();
    clock.clearTimeout(this.#timer);
    this.#failing.clear();
    for (const journal of this.#journals) journal.lose(error);
    tell({ type: 'store.lost', at: clock.now(), code: error.code, message: error.message });
    onLost(error);
  }

  /** Nobody waits any more: what is not durable by now is given up. */
  abandon(): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#failing.clear();
    const reason = 'It was given up with its supervisor.';
    const error = this.#lost ?? this.#failure?.error ?? new TroupeError('STORE_UNREACHABLE', { reason });
    for (const journal of this.#journals) journal.lose(error);
  }

  #after(late: () => void): () => void {
    const { clock, storeMs } = this.#options;
    const timer = clock.setTimeout(late, storeMs);
    return () => clock.clearTimeout(timer);
  }

  #gaveUp(sessionId: string, journal: SessionJournal, { code, message }: TroupeError): void {
    const { clock, tell } = this.#options;
    tell({ type: 'store.refused', at: clock.now(), sessionId, code, message });
    // It said so by an answer: who waits for the store waits for this journal no more.
    this.#kept(journal);
  }

  #kept(journal: SessionJournal): void {
    if (!this.#failing.delete(journal)) return;
    // It can be written to again: nobody else has to wait for the timer.
    this.#retryMs = RETRY_MS;
    this.#retry();
    if (this.#failing.size > 0 || this.#failure === undefined) return;
    const { clock, tell } = this.#options;
    const failedForMs = clock.now() - this.#failure.since;
    this.#failure = undefined;
    tell({ type: 'store.recovered', at: clock.now(), failedForMs });
  }

  #failed(journal: SessionJournal, error: TroupeError): void {
    const { clock, tell } = this.#options;
    this.#failing.add(journal);
    const isNews = this.#failure === undefined;
    this.#failure = { error, since: this.#failure?.since ?? clock.now() };
    if (isNews) tell({ type: 'store.failing', at: clock.now(), code: error.code, message: error.message });
    if (this.#timer !== undefined) return;
    this.#timer = clock.setTimeout(() => {
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
      this.#retry();
    }, this.#retryMs);
  }

  #retry(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const journal of this.#failing) journal.retry();
  }
}
