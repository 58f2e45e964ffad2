import { type Clock, systemClock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import type { LaunchHost } from '../../launch/launch-plan.ts';
import { baselineOf } from './baseline.ts';
import { baselineFileFor, ownBaselineFile, readBaseline, writeBaseline } from './baseline-file.ts';
import { cliRelease } from './cli-release.ts';
import { compare } from './comparison.ts';
import type { DriftReport } from './drift-report.ts';
import type { Observation } from './observation.ts';
import { checkScenes, type DriftHome, observe } from './observe.ts';
import { DEPENDS_ON_TIME } from './scenes.ts';

export interface DriftOptions {
  /** The executable, as of `pathToClaudeCodeExecutable`. */
  readonly cli?: string | undefined;
  readonly host: LaunchHost;
  /** A fresh home for each scene. */
  readonly makeHome: () => Promise<DriftHome>;
  /** A file to compare with, or to write, instead of the one of the release in this package. */
  readonly baseline?: string | undefined;
  /** Names of scenes; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Milliseconds each anchor is waited for. Default 60 000. */
  readonly anchorMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const DEFAULT_ANCHOR_MS = 60_000;
/** A baseline needs several runs: what differs between them is no drift. */
export const DEFAULT_RUNS = 5;
const CONCURRENCY = 3;

/**
 * Plays the fixed script with a CLI against a model of this process, and compares what it says with the baseline: kinds of
 * lines, their fields and types, words of the protocol, orders. Rejects with CLI_NOT_FOUND and the like, with NO_CLI for a
 * program that is none, with INVALID_OPTIONS without a baseline.
 */
export async function drift(options: DriftOptions): Promise<DriftReport> {
  const subject = await subjectOf(options);
  const path = options.baseline ?? baselineFileFor(subject.version);
  if (path === undefined) throw new TroupeError('INVALID_OPTIONS', { reason: 'There is no baseline to compare with.' });
  const baseline = readBaseline(path);
  const seen = await observeOnce(subject, options);
  return {
    cli: subject,
    baseline: { cli: baseline.cli, path },
    scenes: [...seen.scenes.keys()],
    findings: compare(baseline, seen, DEPENDS_ON_TIME),
    missingAnchors: seen.missing,
  };
}

/** Plays the script several times and writes what it saw as the baseline; nothing where an anchor was not found. */
export async function updateBaseline(
  options: DriftOptions & { readonly runs?: number | undefined; readonly told?: (run: number, runs: number) => void },
): Promise<DriftReport> {
  const subject = await subjectOf(options);
  const runs = options.runs ?? DEFAULT_RUNS;
  const seen: Observation[] = [];
  for (let run = 1; run <= runs; run += 1) {
    options.told?.(run, runs);
    seen.push(await observeOnce(subject, options));
  }
  const path = options.baseline ?? ownBaselineFile(subject.version);
  const missingAnchors = seen.flatMap(({ missing }) => missing);
  if (missingAnchors.length === 0) writeBaseline(path, baselineOf(subject.version, seen));
  const scenes = [...(seen[0]?.scenes.keys() ?? [])];
  return { cli: subject, baseline: { cli: subject.version, path }, scenes, findings: [], missingAnchors };
}

function observeOnce({ path: cli, version }: DriftReport['cli'], options: DriftOptions): Promise<Observation> {
  const { host, makeHome, only, signal, clock = systemClock, anchorMs = DEFAULT_ANCHOR_MS } = options;
  return observe({ cli, version, host, makeHome, clock, anchorMs, concurrency: CONCURRENCY, only, signal });
}

/** The program, which must say that it is a claude. */
async function subjectOf(options: DriftOptions): Promise<DriftReport['cli']> {
  const { cli, host, only = [], clock = systemClock, anchorMs = DEFAULT_ANCHOR_MS } = options;
  checkScenes(only);
  return cliRelease({ cli, host, clock, timeoutMs: anchorMs });
}
