import { closeSync, openSync, writeSync } from 'node:fs';
import type { FakeDialect } from './fake-dialect.ts';
import type { JsonObject } from './scenario.ts';

/** One turn of the wait for a full pipe, milliseconds. */
const FULL_PIPE_WAIT_MS = 1;

/** Stdout and stderr of the fake. Nothing throws when the reader is gone: the CLI lives on then (WIRE §15). */
export class Output {
  readonly #escapesLineSeparators: boolean;
  readonly #dialect: Pick<FakeDialect, 'written'>;
  #isClosed = false;

  constructor(escapesLineSeparators: boolean, dialect: Pick<FakeDialect, 'written'>) {
    this.#escapesLineSeparators = escapesLineSeparators;
    this.#dialect = dialect;
  }

  /** Writes the frame as the dialect spells it. */
  frame(message: JsonObject): void {
    const written = this.#dialect.written(message);
    const lines = written === undefined ? [] : [written].flat();
    for (const line of lines) this.raw(`${this.line(line)}\n`);
  }

  /** The line of a message, without its newline. */
  line(message: JsonObject): string {
    const line = JSON.stringify(message);
    if (!this.#escapesLineSeparators) return line;
    return line.replace(/[\u2028\u2029]/g, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'));
  }

  raw(bytes: string | Buffer): void {
    if (!this.#isClosed) stream('stdout').write(bytes);
  }

  /** Writes without the event loop, so that no stdin is read before the reader took all of it (R20). */
  blocking(bytes: Buffer): void {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    let written = 0;
    while (written < bytes.length) {
      try {
        written += writeSync(1, bytes, written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        Atomics.wait(clock, 0, 0, FULL_PIPE_WAIT_MS);
      }
    }
  }

  stderr(text: string): void {
    stream('stderr').write(text);
  }

  /** Resolves when everything written so far was handed to the pipes. */
  async flush(): Promise<void> {
    const names = this.#isClosed ? (['stderr'] as const) : (['stdout', 'stderr'] as const);
    await Promise.all(names.map((name) => new Promise<void>((done) => stream(name).write('', () => done()))));
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    process.stdout.destroy();
    freeDescriptor(1);
  }
}

/** Closes a standard descriptor and puts /dev/null there, so that no later open takes its number. */
export function freeDescriptor(descriptor: 0 | 1): void {
  closeSync(descriptor);
  openSync('/dev/null', 'r+');
}

const opened = new Set<string>();

function stream(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const chosen = process[name];
  if (!opened.has(name)) {
    opened.add(name);
    // A reader that went away must not end the fake.
    chosen.on('error', () => {});
  }
  return chosen;
}
