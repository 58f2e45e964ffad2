import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FuzzFailure, FuzzOutcome } from './fuzz-loop.ts';
import { MAX_INPUT_BYTES } from './mutation.ts';
import { TARGETS } from './targets.ts';
import { DESK, type WorkerTask } from './worker-program.ts';

export interface CampaignOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Names of targets; all of them when there is none. */
  readonly targets: readonly string[];
  /** Threads at a time. */
  readonly lanes: number;
  /** Ends what runs, soon; what was found until then is told. */
  readonly signal?: AbortSignal | undefined;
  /** This input and nothing else, of the one target that is named. */
  readonly input?: Uint8Array | undefined;
  readonly onTurn?: (report: TargetReport) => void;
  /** An input at which a target stays for longer than this hangs. Default: a minute. */
  readonly stallMs?: number;
}

export interface FoundFailure {
  readonly message: string;
  /** Where the input is. */
  readonly file: string;
  readonly seed: number;
}

export interface TargetReport {
  readonly target: string;
  readonly runs: number;
  readonly blocks: number | undefined;
  readonly corpus: number;
  readonly failures: readonly FoundFailure[];
}

/** A turn of a target is no longer than this, so that all of them are tried also when somebody ends it early. */
const LONGEST_TURN_MS = 60_000;
const DEFAULT_STALL_MS = 60_000;

/** Tries all targets in turns, each turn with a seed of its own. */
export async function runCampaign(options: CampaignOptions): Promise<TargetReport[]> {
  const names = options.targets.length > 0 ? options.targets : Object.keys(TARGETS);
  for (const name of names) if (!(name in TARGETS)) throw new Error(`There is no target ${name}.`);
  const lanes = Math.min(options.lanes, names.length);
  const end = performance.now() + options.minutes * 60_000;
  const rounds = Math.max(1, Math.ceil((options.minutes * 60_000 * lanes) / names.length / LONGEST_TURN_MS));
  const lines = new Map(names.map((name) => [name, new TargetLine(name)]));
  const turns = Array.from({ length: options.input === undefined ? rounds : 1 }, (_, round) =>
    names.map((name) => ({ name, round })),
  ).flat();
  const busy = new Set<string>();
  const folder = { path: '' };

  const takeTurns = async (): Promise<void> => {
    while (options.signal?.aborted !== true) {
      const at = turns.findIndex(({ name }) => !busy.has(name));
      const [turn] = at < 0 ? [] : turns.splice(at, 1);
      const line = lines.get(turn?.name ?? '');
      if (turn === undefined || line === undefined) return;
      if (line.isFull) continue;
      busy.add(turn.name);
      // Of what is left: where a turn took longer than it should, all that follow are a little shorter.
      const forMs = Math.max(0, end - performance.now()) / Math.ceil((turns.length + 1) / lanes);
      await line.take({ ...options, seed: options.seed + turn.round, forMs, folder });
      busy.delete(turn.name);
      options.onTurn?.(line.report);
    }
  };
  await Promise.all(Array.from({ length: lanes }, takeTurns));
  return [...lines.values()].map(({ report }) => report);
}

interface Turn extends CampaignOptions {
  readonly forMs: number;
  /** Made for the first failure. */
  readonly folder: { path: string };
}

/** One target over all its turns. */
class TargetLine {
  readonly #name: string;
  #corpus: readonly Uint8Array[] = [];
  #runs = 0;
  #blocks: number | undefined;
  readonly #failures: FoundFailure[] = [];
  readonly #seen = new Set<string>();

  constructor(name: string) {
    this.#name = name;
  }

  /** So much was found that more would hide it. */
  get isFull(): boolean {
    return this.#failures.length >= 5;
  }

  get report(): TargetReport {
    const { length } = this.#corpus;
    return { target: this.#name, runs: this.#runs, blocks: this.#blocks, corpus: length, failures: this.#failures };
  }

  async take(turn: Turn): Promise<void> {
    const { runs, blocks, corpus, failures } = await outcomeOf(this.#name, turn, this.#corpus);
    this.#runs += runs;
    if (blocks !== undefined) this.#blocks = Math.max(this.#blocks ?? 0, blocks);
    if (corpus.length > 0) this.#corpus = corpus;
    for (const failure of failures) this.#found(failure, turn);
  }

  #found({ message, input }: FuzzFailure, { folder, seed }: Turn): void {
    const kind = message.split('\n', 3).join('\n');
    if (this.#seen.has(kind)) return;
    this.#seen.add(kind);
    if (folder.path === '') folder.path = mkdtempSync(join(tmpdir(), 'troupe-fuzz-'));
    mkdirSync(folder.path, { recursive: true });
    const file = join(folder.path, `${this.#name}-${this.#failures.length + 1}`);
    writeFileSync(file, input);
    this.#failures.push({ message, file, seed });
  }
}

async function outcomeOf(target: string, turn: Turn, corpus: readonly Uint8Array[]): Promise<FuzzOutcome> {
  const desk = new SharedArrayBuffer(DESK.inputAt + 4 * MAX_INPUT_BYTES);
  const numbers = new Int32Array(desk, 0, 4);
  const untilMs = Date.now() + turn.forMs;
  const task: WorkerTask = { target, seed: turn.seed, untilMs, corpus, input: turn.input, desk };
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    stdout: true,
    stderr: true,
  });
  for (const stream of [worker.stdout, worker.stderr]) stream.resume();
  const end = () => void Atomics.store(numbers, DESK.isToEnd, 1);
  turn.signal?.addEventListener('abort', end);
  const failed = (message: string): FuzzOutcome => {
    const input = Buffer.from(new Uint8Array(desk, DESK.inputAt, Atomics.load(numbers, DESK.bytes)));
    const runs = Atomics.load(numbers, DESK.tried);
    return { runs, blocks: undefined, corpus: [], failures: [{ message, input: Buffer.from(input) }] };
  };
  const stall = watchStall(numbers, turn.stallMs ?? DEFAULT_STALL_MS);
  try {
    return await Promise.race([
      new Promise<FuzzOutcome>((resolve) => worker.once('message', resolve)),
      new Promise<FuzzOutcome>((resolve) =>
        worker.once('error', (error) => resolve(failed(String(error.stack ?? error)))),
      ),
      new Promise<FuzzOutcome>((resolve) =>
        worker.once('exit', (code) => resolve(failed(`the thread ended with ${code}`))),
      ),
      stall.stalled.then(() => failed('it hangs (P5)')),
    ]);
  } finally {
    stall.stop();
    turn.signal?.removeEventListener('abort', end);
    await worker.terminate();
  }
}

/** Resolves when the count of inputs has stood still for so long. */
function watchStall(numbers: Int32Array, stallMs: number) {
  let stall = () => {};
  const stalled = new Promise<void>((resolve) => {
    stall = resolve;
  });
  let last = -1;
  let since = performance.now();
  const timer = setInterval(() => {
    const tried = Atomics.load(numbers, DESK.tried);
    if (tried !== last) [last, since] = [tried, performance.now()];
    else if (performance.now() - since > stallMs) stall();
  }, 500);
  return { stalled, stop: () => clearInterval(timer) };
}
