import { ERROR_CODES, type ErrorCode, TroupeError } from '../../src/errors.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { Change, Store } from '../../src/store/store.ts';
import type { Faults } from './faults.ts';

/** A disk that outlives the hosts. Changes may wait, be refused, or be kept after the host that wrote them was lost. */
export class SimulatedStore {
  readonly disk: Store = new MemoryStore();
  readonly #faults: Faults;
  #isHolding = false;
  #held: ((isKept: boolean) => void)[] = [];
  /** It refused something, or was slow, at some time. */
  hasFailed = false;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  get isHolding(): boolean {
    return this.#isHolding || this.#held.length > 0;
  }

  hold(): void {
    this.hasFailed = true;
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    for (const go of this.#held.splice(0)) go(true);
  }

  /** Of what was on its way when the host was lost, each is kept or not. */
  loseHost(isKept: () => boolean): void {
    for (const go of this.#held.splice(0)) go(isKept());
  }

  /** As one host sees it, until it is lost. */
  view(isAlive: () => boolean): Store {
    const { disk } = this;
    const reading = () => {
      const code = this.#faults.next('read');
      if (code !== undefined) throw new TroupeError('STORE_UNREACHABLE');
    };
    return {
      durability: 'strict',
      append: async (change: Change) => {
        if (!isAlive()) return silence();
        const code = this.#faults.next('append');
        if (code !== undefined) {
          this.hasFailed = true;
          throw new TroupeError(isCode(code) ? code : 'STORE_UNREACHABLE');
        }
        if (this.#isHolding || this.#faults.next('late-append') !== undefined) {
          this.hasFailed = true;
          const isKept = await new Promise<boolean>((resolve) => this.#held.push(resolve));
          if (isKept) await disk.append(change);
        } else await disk.append(change);
        return isAlive() ? undefined : silence();
      },
      room: () => disk.room(),
      head: (id) => disk.head(id),
      async *read(request) {
        reading();
        yield* disk.read(request);
      },
      async snapshot(id) {
        reading();
        return disk.snapshot(id);
      },
      sessions: () => disk.sessions(),
      prune: (policy) => disk.prune(policy),
      health: () => disk.health(),
      close: async () => {},
    };
  }
}

/** Who is gone hears nothing any more. */
function silence(): Promise<never> {
  return new Promise(() => {});
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
