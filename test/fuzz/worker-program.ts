import { parentPort, workerData } from 'node:worker_threads';
import { type FuzzOutcome, fuzz } from './fuzz-loop.ts';
import { targetNamed } from './targets.ts';

export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  /** Unix milliseconds. */
  readonly untilMs: number;
  readonly corpus: readonly Uint8Array[];
  /** This input and nothing else. */
  readonly input?: Uint8Array | undefined;
  /** Where the parent sees what is tried: how many so far, 1 to end soon, the length of the input; then the input. */
  readonly desk: SharedArrayBuffer;
}

export const DESK = { tried: 0, isToEnd: 1, bytes: 2, inputAt: 16 } as const;

/** Also where reading the sources took all the time there was. */
const SHORTEST_MS = 1_000;

/** Fuzzes one target and tells the parent what came of it. */
export async function work(): Promise<void> {
  const { target, seed, untilMs, corpus, input, desk }: WorkerTask = workerData;
  const numbers = new Int32Array(desk, 0, 4);
  const shown = new Uint8Array(desk, DESK.inputAt);
  let end: number | undefined;
  const stray: string[] = [];
  const note = (error: unknown) => stray.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);

  const named = await targetNamed(target);
  const only = input === undefined ? undefined : Buffer.from(input);
  const chosen = only === undefined ? named : { ...named, isGuided: false, seeds: () => [only] };
  const outcome = await fuzz(
    { ...chosen, open: async () => withStrays(await chosen.open(), stray) },
    {
      seed,
      corpus: corpus.map((one) => Buffer.from(one)),
      ...(only === undefined ? {} : { runs: 1 }),
      isOver: () => {
        end ??= performance.now() + Math.max(SHORTEST_MS, untilMs - Date.now());
        return performance.now() > end || Atomics.load(numbers, DESK.isToEnd) === 1;
      },
      onInput: (tried) => {
        const length = Math.min(tried.length, shown.length);
        shown.set(tried.subarray(0, length));
        Atomics.store(numbers, DESK.bytes, length);
        Atomics.add(numbers, DESK.tried, 1);
      },
    },
  ).catch((error: unknown): FuzzOutcome => {
    // Thrown here it would only be noted.
    const message = `it does not open: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    return { runs: 0, blocks: undefined, corpus: [], failures: [{ message, input: Buffer.alloc(0) }] };
  });
  parentPort?.postMessage(outcome);
}

/** What fails beside a run, and is nobody's, is the failure of the run in which it came up. */
function withStrays<T extends { run(input: Buffer): void | Promise<void> }>(runner: T, stray: string[]): T {
  const check = () => {
    const [first] = stray.splice(0);
    if (first !== undefined) throw new Error(`nobody caught: ${first}`);
  };
  return {
    ...runner,
    run: (input: Buffer) => {
      const running = runner.run(input);
      if (running === undefined) return check();
      return running.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(check);
    },
  };
}
