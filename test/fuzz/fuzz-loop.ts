import { createRandom } from '../chaos/random.ts';
import { BlockCoverage } from './block-coverage.ts';
import { MAX_INPUT_BYTES, mutated } from './mutation.ts';
import { shrunk } from './shrink.ts';
import type { FuzzRunner, FuzzTarget } from './target.ts';

export interface FuzzLimits {
  readonly seed: number;
  /** Ends after so many inputs. */
  readonly runs?: number;
  /** Ends when it says so, also amid looking closer at what was found; asked before each input. */
  readonly isOver?: () => boolean;
  /** Inputs that an earlier loop found worth keeping. */
  readonly corpus?: readonly Buffer[];
  /** Told before each input is tried. */
  readonly onInput?: (input: Buffer) => void;
  /** Different failures that are told of one target; then it ends. */
  readonly maxFailures?: number;
  /** Which scripts are looked at. */
  readonly counts?: (url: string) => boolean;
}

export interface FuzzFailure {
  readonly message: string;
  readonly input: Buffer;
}

export interface FuzzOutcome {
  readonly runs: number;
  /** Stretches of code that were reached; undefined where nobody looked. */
  readonly blocks: number | undefined;
  readonly corpus: readonly Buffer[];
  readonly failures: readonly FuzzFailure[];
}

const MOST_KEPT = 2_000;
const LARGEST_BATCH = 512;
/** Those that were found last lead on more often. */
const NEWEST = 20;

/** Tries the seeds of a target, then changed ones, until it is time. */
export async function fuzz(target: FuzzTarget, limits: FuzzLimits): Promise<FuzzOutcome> {
  const runner = await target.open();
  const loop = new Loop(target, runner, limits);
  try {
    return await loop.run();
  } finally {
    loop.coverage?.close();
    await runner.close?.();
  }
}

class Loop {
  readonly coverage: BlockCoverage | undefined;
  readonly #target: FuzzTarget;
  readonly #runner: FuzzRunner;
  readonly #limits: FuzzLimits;
  readonly #corpus: Buffer[] = [];
  readonly #failures = new Map<string, FuzzFailure>();
  #runs = 0;

  constructor(target: FuzzTarget, runner: FuzzRunner, limits: FuzzLimits) {
    this.#target = target;
    this.#runner = runner;
    this.#limits = limits;
    const counts = limits.counts ?? ((url) => /\/(src|machines)\/[^?]*$/.test(url));
    if (target.isGuided === true) this.coverage = new BlockCoverage(counts);
  }

  async run(): Promise<FuzzOutcome> {
    const { seed, corpus = [] } = this.#limits;
    const random = createRandom(seed);
    for (const input of [...this.#target.seeds(), ...corpus]) {
      if (this.#isOver()) break;
      await this.#try([input]);
      this.#keep(input);
    }
    this.coverage?.isNew(true);
    let batch = 1;
    while (!this.#isOver()) {
      const inputs = Array.from({ length: batch }, () => {
        const newest = random.chance(0.4) ? this.#corpus.length - 1 - random.below(NEWEST) : -1;
        const parent = this.#corpus[newest] ?? this.#corpus[random.below(this.#corpus.length)] ?? Buffer.alloc(0);
        return mutated(random, this.#target.format, parent, this.#corpus);
      });
      await this.#try(inputs);
      const hasNew = this.coverage?.isNew(false) === true;
      if (hasNew) await this.#keepNew(inputs);
      if (this.coverage !== undefined) batch = hasNew ? 16 : Math.min(batch * 2, LARGEST_BATCH);
    }
    const blocks = this.coverage?.blocks;
    return { runs: this.#runs, blocks, corpus: this.#corpus, failures: [...this.#failures.values()] };
  }

  /** Looking costs more than running, so several are looked at together, and halved to find who it was. */
  async #keepNew(inputs: readonly Buffer[]): Promise<void> {
    const [only] = inputs;
    if (only === undefined) return;
    this.coverage?.reset();
    await this.#try(inputs);
    if (this.#isLate()) return;
    if (this.coverage?.isNew(inputs.length === 1) !== true) return;
    if (inputs.length === 1) return this.#keep(only);
    const middle = inputs.length >> 1;
    await this.#keepNew(inputs.slice(0, middle));
    await this.#keepNew(inputs.slice(middle));
  }

  #keep(input: Buffer): void {
    if (input.length > MAX_INPUT_BYTES) return;
    if (this.#corpus.length >= MOST_KEPT) this.#corpus.splice(0, MOST_KEPT / 4);
    this.#corpus.push(input);
  }

  async #try(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) {
      // The first of all is tried whatever the time.
      if (this.#runs > 0 && this.#isLate()) return;
      this.#runs += 1;
      this.#limits.onInput?.(input);
      const message = await failureOf(this.#runner, input);
      if (message === undefined) continue;
      const kind = kindOf(message);
      if (this.#failures.has(kind)) continue;
      this.#failures.set(kind, { message, input });
      const smaller = await shrunk(input, async (candidate) => {
        if (this.#isLate()) return false;
        this.#limits.onInput?.(candidate);
        const found = await failureOf(this.#runner, candidate);
        return found !== undefined && kindOf(found) === kind;
      });
      this.#failures.set(kind, { message, input: smaller });
    }
  }

  #isOver(): boolean {
    const { runs = Number.POSITIVE_INFINITY, maxFailures = 5 } = this.#limits;
    return this.#runs >= runs || this.#failures.size >= maxFailures || this.#isLate();
  }

  #isLate(): boolean {
    return this.#limits.isOver?.() === true;
  }
}

async function failureOf(runner: FuzzRunner, input: Buffer): Promise<string | undefined> {
  try {
    // A promise only where it is one: most runs are synchronous, and many.
    const running = runner.run(input);
    if (running !== undefined) await running;
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}\n${placeOf(error)}` : String(error);
  }
}

function placeOf({ stack = '' }: Error): string {
  const lines = stack.split('\n').filter((line) => /^ {4}at /.test(line) && !line.includes('node_modules'));
  return lines.slice(0, 8).join('\n');
}

/** Two failures are one where they say the same at the same place, whatever the values. */
function kindOf(message: string): string {
  const [first = '', ...places] = message.split('\n');
  const place = places.find((line) => line.includes('/src/')) ?? places[0] ?? '';
  return `${first.slice(0, 60).replace(/[\d"'].*/, '')} ${place}`;
}
