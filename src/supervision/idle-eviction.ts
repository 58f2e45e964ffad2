import { isIdle } from '../session/at-rest.ts';
import type { BuiltSession } from './session-factory.ts';
import type { Shortage } from './session-line.ts';

/** A process that can be ended for somebody who needs its place more. */
interface Evictable {
  readonly key: string | undefined;
  /** True from the moment it was asked to end until its place is free, and while it holds none. */
  readonly isLeaving: boolean;
  /** Asks it to end; its place becomes free later. */
  evict(): void;
}

export interface IdleEvictionOptions {
  /** Sessions that have nothing to do give their place to those that wait. */
  readonly isOn: boolean;
  readonly shortage: () => Shortage;
}

/** A piece of a text is no sign of rest. */
const NOTHING_TO_SEE = (): void => {};

/** Whose process is ended, without losing anything but time, so that one who waits can start (R64). */
export class IdleEviction {
  readonly #options: IdleEvictionOptions;
  /** The one that was used longest ago first. */
  readonly #byUse = new Map<BuiltSession, { isLeaving: boolean }>();
  #isLookDue = false;

  constructor(options: IdleEvictionOptions) {
    this.#options = options;
  }

  /** From now on it may be evicted. Not what a group needs, nor what could not be resumed. */
  watch(built: BuiltSession): void {
    const { life, log, options } = built;
    if (!this.#options.isOn || options.persistSession === false) return;
    const mark = { isLeaving: false };
    this.#byUse.set(built, mark);
    log.listenInside((event) => {
      if (event.type === 'prompt.accepted' || event.type === 'turn.ended' || event.type === 'session.started') {
        this.#byUse.delete(built);
        if (!life.isOver) this.#byUse.set(built, mark);
      }
      // The CLI says in a message of its own that it has nothing left to do.
      if (event.type !== 'message' || event.message.type === 'system') this.look();
    }, NOTHING_TO_SEE);
    life.onChange(() => {
      if (!life.childSnapshot().matches('pausing')) mark.isLeaving = false;
      this.look();
    });
    void life.ended.then(() => this.#byUse.delete(built));
  }

  /** Another one goes on in its place. */
  unwatch(built: BuiltSession): void {
    this.#byUse.delete(built);
  }

  /** Soon, and once for everything that happens in the same breath. */
  look(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    queueMicrotask(() => {
      this.#isLookDue = false;
      this.#makeRoom();
    });
  }

  #makeRoom(): void {
    const { anywhere, perKey } = this.#options.shortage();
    if (anywhere === 0 && perKey.size === 0) return;
    const candidates = [...this.#sessions()];
    const leaving = candidates.filter(({ isLeaving }) => isLeaving);
    const staying = candidates.filter(({ isLeaving }) => !isLeaving);
    for (const [key, count] of perKey) evict(key, count);
    evict(undefined, anywhere);

    function evict(key: string | undefined, wanted: number): void {
      const fits = (one: Evictable) => key === undefined || one.key === key;
      let missing = wanted - leaving.filter(fits).length;
      for (const one of staying.filter(fits)) {
        if (missing <= 0) return;
        missing -= 1;
        staying.splice(staying.indexOf(one), 1);
        leaving.push(one);
        one.evict();
      }
    }
  }

  *#sessions(): Iterable<Evictable> {
    for (const [built, mark] of this.#byUse) {
      if (!mark.isLeaving && !isIdle(built)) continue;
      yield {
        key: built.options.key,
        isLeaving: mark.isLeaving,
        evict: () => {
          mark.isLeaving = true;
          built.life.makeRoom();
        },
      };
    }
  }
}
