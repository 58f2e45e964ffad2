import type { JsonObject } from './scenario.ts';

/** How many lines of the host are kept for a step that looks at them later. */
const MAX_KEPT = 1_000;

/** The lines of the host since the fake began, for the steps that expect some. */
export class HostLines {
  readonly #lines: JsonObject[] = [];
  #dropped = 0;
  #ending: string | undefined;
  readonly #waiting = new Set<() => void>();

  /** How many lines there were so far: what comes from here on has this number or a higher one. */
  get count(): number {
    return this.#dropped + this.#lines.length;
  }

  add(line: JsonObject): void {
    this.#lines.push(line);
    if (this.#lines.length > MAX_KEPT) {
      this.#lines.shift();
      this.#dropped += 1;
    }
    this.#wake();
  }

  /** No line comes any more, and why. */
  end(reason: string): void {
    this.#ending ??= reason;
    this.#wake();
  }

  /** The next line of this type with at least this number; a text says why there is none. */
  async next(type: string, from: number, withinMs: number): Promise<{ line: JsonObject; index: number } | string> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, withinMs);
    try {
      for (;;) {
        const index = this.#lines.findIndex((line, at) => at + this.#dropped >= from && line.type === type);
        const line = this.#lines[index];
        if (line !== undefined) return { line, index: index + this.#dropped };
        if (this.#ending !== undefined) return this.#ending;
        if (isLate) return `nothing of this type within ${withinMs} ms`;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** True when the value has what the pattern names: objects by their fields, everything else as it is. */
export function contains(value: unknown, pattern: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return Object.is(value, pattern);
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && (value as unknown[]).length !== pattern.length) return false;
  return Object.entries(pattern).every(([key, part]) => contains((value as JsonObject)[key], part));
}
