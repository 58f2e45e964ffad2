import type { FaultKind } from './script.ts';

/** Operations of the world that fail: the Nth from the moment it was said. */
export class Faults {
  readonly #armed = new Map<FaultKind, { left: number; readonly code: string }>();
  /** How many came true. */
  count = 0;

  arm(kind: FaultKind, after: number, code: string): void {
    this.#armed.set(kind, { left: after, code });
  }

  disarm(): void {
    this.#armed.clear();
  }

  /** One operation of that kind happens; the code, when it is the one that fails. */
  next(kind: FaultKind): string | undefined {
    const fault = this.#armed.get(kind);
    if (fault === undefined) return undefined;
    fault.left -= 1;
    if (fault.left >= 0) return undefined;
    this.#armed.delete(kind);
    this.count += 1;
    return fault.code;
  }
}
