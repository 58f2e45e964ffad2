import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionStoreFlush } from './session-store.ts';
import { askStore, STORE_CALL_MS } from './store-call.ts';

export interface TranscriptMirrorOptions {
  readonly store: SessionStore;
  readonly flush: SessionStoreFlush;
  readonly clock: Clock;
  /** A batch was given up: `lines` of this transcript are not in the store. */
  readonly onError: (error: TroupeError, key: SessionKey, lines: number) => void;
}

interface Batch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
  readonly characters: number;
}

/** How long lines wait for more, in milliseconds. */
const GATHER_MS = 100;
/** With so many lines, or characters of them, nothing more is waited for. */
const GATHER_ENTRIES = 500;
const GATHER_CHARACTERS = 2 ** 20;
/** Characters that may wait for a store that does not answer; beyond that the newest are given up (P10). */
const MOST_CHARACTERS = 64 * 2 ** 20;
/** Waits before the second and the third attempt, in milliseconds. */
const RETRY_MS = [200, 800] as const;

/** How long anybody waits for all of it at once, however many calls it takes: a slow store must not hold up a session. */
const WAIT_MS = STORE_CALL_MS;

/**
 * Copies transcript lines of one process into a store: in order, one `append` at a time, three attempts each. A call that
 * does not answer within 60 s is not repeated, because it may still succeed. Best effort: what fails is told and given
 * up; the CLI's own file has it all.
 */
export class TranscriptMirror {
  readonly #options: TranscriptMirrorOptions;
  #pending: Batch[] = [];
  #pendingEntries = 0;
  /** Of everything that is not stored yet, also of what is under way. */
  #characters = 0;
  #timer: unknown;
  #sending: Promise<void> = Promise.resolve();
  #isIdle = true;
  /** Batches on their way, in order. */
  readonly #unsent = new Set<Batch>();

  constructor(options: TranscriptMirrorOptions) {
    this.#options = options;
  }

  /** True when every line that was taken is stored or given up. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** Takes lines of a transcript. Never throws and never waits. */
  add(key: SessionKey, entries: SessionStoreEntry[], characters: number): void {
    if (entries.length === 0) return;
    if (this.#characters + characters > MOST_CHARACTERS) {
      const reason = `More than ${MOST_CHARACTERS} characters wait for it.`;
      const error = new TroupeError('STORE_FAILED', { reason, details: { limit: MOST_CHARACTERS } });
      this.#options.onError(error, key, entries.length);
      return;
    }
    this.#isIdle = false;
    this.#pending.push({ key, entries, characters });
    this.#pendingEntries += entries.length;
    this.#characters += characters;
    if (this.#options.flush === 'eager') void this.flush();
    else if (this.#pendingEntries >= GATHER_ENTRIES || this.#gathered() >= GATHER_CHARACTERS) void this.flush();
    else this.#timer ??= this.#options.clock.setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Resolves when everything taken so far is stored or given up. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const batches = this.#pending;
    this.#pending = [];
    this.#pendingEntries = 0;
    if (batches.length > 0) {
      const ready = this.#options.flush === 'eager' ? batches : merged(batches);
      for (const batch of ready) this.#unsent.add(batch);
      const former = this.#sending;
      this.#sending = former.then(() => this.#send(ready));
    }
    const sending = this.#sending;
    await sending;
    if (this.#sending === sending && this.#pending.length === 0) this.#isIdle = true;
  }

  /** As `flush`, but after 60 s it resolves all the same; the store goes on. Never rejects. */
  async flushBriefly(): Promise<void> {
    const { clock } = this.#options;
    let timer: unknown;
    const overdue = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([this.flush(), overdue]);
    clock.clearTimeout(timer);
  }

  /** The last flush: what is not stored after 60 s is told and given up. Never rejects. */
  async finish(): Promise<void> {
    await this.flushBriefly();
    const reason = `Not everything was stored within ${WAIT_MS} ms after the end of the process.`;
    const details = { method: 'append', deadlineMs: WAIT_MS, timedOut: true };
    for (const batch of [...this.#unsent]) this.#giveUp(batch, new TroupeError('STORE_FAILED', { reason, details }));
  }

  #gathered(): number {
    return this.#pending.reduce((sum, { characters }) => sum + characters, 0);
  }

  async #send(batches: readonly Batch[]): Promise<void> {
    for (const batch of batches) {
      if (this.#unsent.has(batch)) await this.#append(batch);
      this.#unsent.delete(batch);
      this.#characters -= batch.characters;
    }
  }

  async #append(batch: Batch): Promise<void> {
    const { store, clock } = this.#options;
    for (let attempt = 0; this.#unsent.has(batch); attempt += 1) {
      try {
        const call = () => store.append(batch.key, batch.entries);
        return await askStore('append', call, { deadlineMs: STORE_CALL_MS, clock });
      } catch (error) {
        const waitMs = RETRY_MS[attempt];
        if (!TroupeError.is(error)) throw error;
        if (error.details['timedOut'] === true || waitMs === undefined) return this.#giveUp(batch, error);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs));
      }
    }
  }

  /** Told once, whoever comes first to give it up. */
  #giveUp(batch: Batch, error: TroupeError): void {
    if (this.#unsent.delete(batch)) this.#options.onError(error, batch.key, batch.entries.length);
  }
}

/** What belongs to one transcript becomes one call; the order within each is kept. */
function merged(batches: readonly Batch[]): Batch[] {
  const byKey = new Map<string, Batch>();
  for (const { key, entries, characters } of batches) {
    const name = JSON.stringify([key.projectKey, key.sessionId, key.subpath ?? null]);
    const former = byKey.get(name);
    byKey.set(name, {
      key,
      entries: [...(former?.entries ?? []), ...entries],
      characters: (former?.characters ?? 0) + characters,
    });
  }
  return [...byKey.values()];
}
