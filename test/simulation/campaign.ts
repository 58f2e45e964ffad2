import { RESTORED } from '../machines/restore-subjects.ts';
import { SUBJECTS } from '../machines/walk-subjects.ts';
import { Coverage, partsOf, walkModel } from './coverage.ts';
import { VARIANTS } from './model-variants.ts';
import { runScript, type Violation } from './run.ts';
import { type Script, scriptOf } from './script.ts';
import { shrink } from './shrink.ts';

export interface Failure {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** The smallest script that was found for it. */
  readonly script: Script;
}

/** What a stretch of runs came to; stretches can be added up. */
export interface LaneReport {
  readonly runs: number;
  readonly events: number;
  readonly steps: number;
  readonly faults: number;
  readonly hosts: number;
  readonly processes: number;
  readonly failures: readonly Failure[];
  readonly seen: readonly string[];
}

export interface LaneOptions {
  readonly from: number;
  readonly runs: number;
  readonly onRun?: (done: number, failed: number) => void;
}

/** More failures of a kind than this say nothing new. */
const MAX_SHRUNK = 3;

/** Plays the runs of the seeds from `from` on, one after the other. */
export async function runLane({ from, runs, onRun }: LaneOptions): Promise<LaneReport> {
  const coverage = new Coverage();
  const sums = { events: 0, steps: 0, faults: 0, hosts: 0, processes: 0 };
  const failures: Failure[] = [];
  for (let seed = from; seed < from + runs; seed += 1) {
    const script = scriptOf(seed);
    const report = await runScript(script, { inspect: coverage.inspect });
    for (const name of ['events', 'steps', 'faults', 'hosts', 'processes'] as const) sums[name] += report[name];
    const [first] = report.violations;
    if (first !== undefined) {
      const smaller = failures.length < MAX_SHRUNK ? await shrink(script, first.promise) : script;
      failures.push({ seed, violations: report.violations.slice(0, 5), script: smaller });
    }
    onRun?.(seed - from + 1, failures.length);
  }
  return { runs, ...sums, failures, seen: [...coverage.seen] };
}

export interface MachineCoverage {
  readonly machine: string;
  readonly parts: number;
  readonly bySimulation: number;
  readonly covered: number;
  readonly missing: readonly string[];
  /** Places from which no end can be reached. */
  readonly deadEnds: readonly string[];
}

/** What the paths over the model of one machine came to. */
export interface WalkedModel {
  readonly machine: string;
  readonly parts: readonly string[];
  readonly seen: ReadonlySet<string>;
  readonly deadEnds: readonly string[];
}

/** The paths over the models of all machines: takes seconds. */
export function walkModels(): WalkedModel[] {
  return Object.entries(SUBJECTS).map(([machine, subject]) => {
    const coverage = new Coverage();
    const deadEnds = [subject, ...(VARIANTS[machine] ?? [])].flatMap((one) =>
      walkModel(one, coverage, RESTORED[machine]),
    );
    return { machine, parts: partsOf(subject.machine), seen: coverage.seen, deadEnds };
  });
}

/** What of each machine was seen, by the runs and by the paths over its model together. */
export function coverageOf(seen: readonly string[], models: readonly WalkedModel[]): MachineCoverage[] {
  const simulated = new Set(seen);
  return models.map(({ machine, parts, seen: walked, deadEnds }) => {
    const missing = parts.filter((part) => !simulated.has(part) && !walked.has(part));
    const bySimulation = parts.filter((part) => simulated.has(part)).length;
    return { machine, parts: parts.length, bySimulation, covered: parts.length - missing.length, missing, deadEnds };
  });
}
