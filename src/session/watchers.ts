import { SparseSet } from '../sparse.ts';
/** Who waits for something to become true, and looks again whenever anything changed. */
export class Watchers {
  readonly #checks = new SparseSet<() => void>();

  /** Resolves when the condition holds. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
    });
  }

  wake(): void {
    for (const check of [...this.#checks]) check();
  }
}
