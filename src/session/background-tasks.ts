import { SparseMap } from '../sparse.ts';
import type { BackgroundTask } from '../wire/facts.ts';

/**
 * The background tasks of one process. The full list replaces everything it knew (WIRE §25.21); single starts and ends
 * count where an older CLI tells no list.
 */
export class BackgroundTasks {
  readonly #tasks = new SparseMap<string, BackgroundTask>();
  #isTurnExpected = false;

  get ids(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  /** Subagents that still work. Shells and monitors never count: they may run for ever (R19). */
  get agents(): number {
    return [...this.#tasks.values()].filter(({ kind }) => kind.includes('agent')).length;
  }

  /** A finished agent reports in a turn of its own, which has not come yet. */
  get isTurnExpected(): boolean {
    return this.#isTurnExpected;
  }

  replace(tasks: readonly BackgroundTask[]): void {
    this.#tasks.clear();
    for (const task of tasks) this.#tasks.set(task.id, task);
  }

  started(task: BackgroundTask): void {
    this.#tasks.set(task.id, task);
  }

  /** `isReporting`: it ended by itself and will be talked about; a killed one ends in silence. */
  ended(id: string, isReporting: boolean): void {
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    if (isReporting && task?.kind.includes('agent') === true) this.#isTurnExpected = true;
  }

  turnEnded(): void {
    this.#isTurnExpected = false;
  }

  forget(): void {
    this.#tasks.clear();
    this.#isTurnExpected = false;
  }
}
