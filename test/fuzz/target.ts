/** How inputs of a target are changed: as bytes only, as one JSON text, or as lines of JSON. Each is changed as bytes too. */
export type InputFormat = 'bytes' | 'json' | 'ndjson';

/** A door that strangers knock at: bytes go in, and what must hold of them is checked. */
export interface FuzzTarget {
  readonly name: string;
  /** What holds for every input, in one sentence, with the number of the promise. */
  readonly promise: string;
  readonly format: InputFormat;
  /**
   * Looks for inputs that reach code which none before reached. Only where a run is synchronous, and the same each time: it
   * is told by V8 which code ran.
   */
  readonly isGuided?: boolean;
  /** Inputs to begin with; they are tried as they are, too. */
  seeds(): readonly Buffer[];
  /** Makes ready what the runs share. */
  open(): Promise<FuzzRunner> | FuzzRunner;
}

export interface FuzzRunner {
  /** Throws, or rejects, when something does not hold. */
  run(input: Buffer): void | Promise<void>;
  close?(): Promise<void> | void;
}

/** For supervisors whose CLIs are in memory: no program has to be there, nor is one looked for. */
export const IN_MEMORY = { reap: 'off', pathToClaudeCodeExecutable: process.execPath } as const;

/** What did not hold, with what it was that an input made of it. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Throws a `Violation` unless it holds. */
export function holds(condition: boolean, otherwise: string | (() => string)): asserts condition {
  if (!condition) throw new Violation(typeof otherwise === 'string' ? otherwise : otherwise());
}

/** Throws a `Violation` unless both are the same JSON. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  holds(one === other, () => `${what}: ${shortened(one)} is not ${shortened(other)}`);
}

export function shortened(text: string | undefined, most = 300): string {
  if (text === undefined) return 'undefined';
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
