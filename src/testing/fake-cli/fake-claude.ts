import { fail } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TroupeError } from '../../errors.ts';
import type { JournalEntry } from './journal.ts';
import { type Problem, problemsOf, told } from './problems.ts';
import { type ReplayScenario, replayFile } from './replay-scenario.ts';
import type { Scenario } from './scenario.ts';
import { checkScenario } from './scenario-check.ts';
import { readScenario } from './scenario-file.ts';

/** One start of a fake process. */
export type FakeStart = Omit<Extract<JournalEntry, { kind: 'start' }>, 'kind' | 'at'>;

/** One thing the host did wrong. */
export type FakeViolation = Extract<JournalEntry, { kind: 'violation' }>;

/** An executable that behaves like the `claude` CLI under a scenario, and what its processes saw. */
export interface FakeClaude extends AsyncDisposable {
  /** Give this as `pathToClaudeCodeExecutable`. */
  readonly path: string;
  /** What all processes saw so far, in order. */
  journal(): Promise<JournalEntry[]>;
  /** What the host did wrong on the wire, and where a scenario expected another line of it. */
  violations(): Promise<FakeViolation[]>;
  /** The violations, and the rules that were taken less or more often than their `times`; a text for each says what and where. */
  problems(): Promise<Problem[]>;
  /** Throws an AssertionError that lists the problems, if there are any: for any test runner. */
  assertClean(): Promise<void>;
  /** Every process ever started: the fakes and the children of `spawnChild`, alive or not. */
  pids(): Promise<number[]>;
  /** One entry per process start. */
  starts(): Promise<FakeStart[]>;
  /** Kills what is left of those processes and removes the folder. Idempotent. */
  dispose(): Promise<void>;
}

/**
 * Writes an executable that speaks the stream-json dialect as the chosen release does and misbehaves as the scenario
 * says; without a scenario it is a healthy CLI. With a `recording` it plays the CLI's part of that, process by process, and says
 * where the host does something else than it did then (docs/record-and-replay.md). A text is the path of a JSON file that holds the scenario. Its processes end at the end of their stdin, or after `lifetimeMs`.
 *
 * @throws INVALID_OPTIONS when the scenario is malformed or its file cannot be read; the text names the file and the place.
 */
export async function fakeClaude(given: Scenario | ReplayScenario | string = {}): Promise<FakeClaude> {
  if (typeof given === 'object' && given !== null && 'recording' in given) {
    return fakeOf('replay-main', await replayFile(given), (journal) => problemsOf({}, journal));
  }
  const scenario = typeof given === 'string' ? await readScenario(given) : given;
  checkScenario(scenario);
  return fakeOf('main', JSON.stringify(scenario), (journal) => problemsOf(scenario, journal));
}

/** A program of this folder with what it is to play, and its processes. */
async function fakeOf(
  program: 'main' | 'replay-main',
  played: string,
  problemsIn: (journal: readonly JournalEntry[]) => Problem[],
): Promise<FakeClaude> {
  const main = mainPath(program);
  const folder = await mkdtemp(join(tmpdir(), 'troupe-fake-'));
  const path = join(folder, 'claude');
  const scenarioPath = join(folder, 'scenario.json');
  const journalPath = join(folder, 'journal.ndjson');
  await writeFile(scenarioPath, played, { mode: 0o600 });
  await writeFile(path, wrapper(main, scenarioPath));
  await chmod(path, 0o700);
  const journal = () => readJournal(journalPath);
  const problems = async () => problemsIn(await journal());
  const dispose = async () => {
    for (const pid of pidsOf(await journal())) killIfOurs(pid, folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    path,
    journal,
    violations: async () => (await journal()).filter((entry) => entry.kind === 'violation'),
    problems,
    assertClean: async () => {
      const found = await problems();
      if (found.length > 0) fail(told(found));
    },
    pids: async () => pidsOf(await journal()),
    starts: async () =>
      (await journal()).flatMap((entry) =>
        entry.kind === 'start' ? [{ pid: entry.pid, argv: entry.argv, cwd: entry.cwd, env: entry.env }] : [],
      ),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** The compiled program: the neighbour of this module, or its counterpart in `dist` when this runs from the sources. */
function mainPath(program: string): string {
  const neighbour = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
  const path = existsSync(neighbour)
    ? neighbour
    : fileURLToPath(new URL(`../../../dist/src/testing/fake-cli/${program}.js`, import.meta.url));
  if (!existsSync(path)) {
    throw new TroupeError('INVALID_OPTIONS', {
      reason: 'The fake CLI is not built; run the build first.',
      details: { path },
    });
  }
  return path;
}

function wrapper(main: string, scenarioPath: string): string {
  return [
    // Without worker threads of V8 hundreds of fakes start faster; a shebang takes one flag only.
    `#!${process.execPath} --v8-pool-size=0`,
    `process.argv.splice(2, 0, ${JSON.stringify(scenarioPath)});`,
    `import(${JSON.stringify(pathToFileURL(main).href)});`,
    '',
  ].join('\n');
}

async function readJournal(path: string): Promise<JournalEntry[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  // The last piece is empty, or a line that a process is just writing.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}

function pidsOf(journal: readonly JournalEntry[]): number[] {
  return journal.flatMap((entry) => (entry.kind === 'start' ? [entry.pid] : entry.kind === 'child' ? entry.pids : []));
}

/** A pid may belong to a stranger by now: only a process whose environment or command names the folder is killed. */
function killIfOurs(pid: number, folder: string): void {
  if (existsSync('/proc/self') && !isOurs(pid, folder)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function isOurs(pid: number, folder: string): boolean {
  return ['environ', 'cmdline'].some((name) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'latin1').includes(folder);
    } catch {
      return false;
    }
  });
}
