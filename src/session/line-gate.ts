import type { TroupeError } from '../errors.ts';

export interface GatedLine {
  /** It rests on what was logged before: it goes out when that is durable. */
  readonly rests?: boolean;
  /** Asked when its turn comes: true leaves it out, as if it had been written. */
  readonly isMoot?: () => boolean;
}

export interface LineGateOptions {
  /** Puts one line on the input of the process. */
  readonly write: (line: string) => Promise<void>;
  /** Calls `published` when what was logged by now is durable, at once where it is; `discarded` with the reason when it never will be. */
  readonly whenPublished: (published: () => void, discarded: (reason: TroupeError) => void) => void;
}

interface Waiting extends GatedLine {
  readonly line: string;
  isOpen: boolean;
  readonly resolve: (written: Promise<void> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Where lines to a process wait for the log: what the CLI is told to do must still be known after a crash of the host. Lines
 * keep their order, so one that rests on nothing waits only behind one that does.
 */
export class LineGate {
  readonly #options: LineGateOptions;
  #waiting: Waiting[] = [];

  constructor(options: LineGateOptions) {
    this.#options = options;
  }

  /** Lines that have not gone out. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Resolves when the pipe took the line; rejects as `write` does, or with the reason the gate was closed. */
  put(line: string, about: GatedLine = {}): Promise<void> {
    if (about.rests !== true && this.#waiting.length === 0) return this.#options.write(line);
    let isPublished = about.rests !== true;
    let open = (): void => {
      isPublished = true;
    };
    let drop = (_reason: TroupeError): void => {};
    // It may call back at once, or later what stands there then.
    if (about.rests === true) {
      this.#options.whenPublished(
        () => open(),
        (reason) => drop(reason),
      );
    }
    if (isPublished && this.#waiting.length === 0) return this.#options.write(line);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { ...about, line, isOpen: isPublished, resolve, reject };
      open = () => {
        waiting.isOpen = true;
        this.#letGo();
      };
      drop = (reason) => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(reason);
      };
      this.#waiting.push(waiting);
    });
  }

  /** Nothing more goes out: what waits is rejected with the reason. */
  close(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  #letGo(): void {
    while (this.#waiting[0]?.isOpen === true) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      waiting.resolve(waiting.isMoot?.() === true ? undefined : this.#options.write(waiting.line));
    }
  }
}
