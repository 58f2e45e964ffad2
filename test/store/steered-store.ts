import { TroupeError } from '../../src/errors.ts';
import type { Change, Store } from '../../src/index.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';

type Failure = ConstructorParameters<typeof TroupeError>[0];

/** A store whose commits happen when the test says so. */
export interface SteeredStore extends Store {
  /** Every change it was given, in order, with the tries that failed. */
  readonly given: readonly Change[];
  /** Changes that wait for a word. */
  readonly waiting: number;
  /** From now on every change is kept at once (undefined), waits (`hold`), or is refused with the code. */
  steer(what: undefined | 'hold' | Failure): void;
}

export function steeredStore(): SteeredStore {
  const inner = new MemoryStore();
  const given: Change[] = [];
  let word: undefined | 'hold' | Failure;
  let held: (() => void)[] = [];
  const append = async (change: Change): Promise<void> => {
    given.push(change);
    if (word === 'hold') await new Promise<void>((resolve) => held.push(resolve));
    if (word !== undefined && word !== 'hold') throw new TroupeError(word);
    await inner.append(change);
  };
  return {
    durability: 'strict',
    given,
    get waiting() {
      return held.length;
    },
    steer(what) {
      word = what;
      for (const go of held) go();
      held = [];
    },
    append,
    room: () => inner.room(),
    head: (id) => inner.head(id),
    read: (request) => inner.read(request),
    snapshot: (id) => inner.snapshot(id),
    sessions: () => inner.sessions(),
    prune: (policy) => inner.prune(policy),
    health: () => inner.health(),
    close: () => inner.close(),
  };
}
