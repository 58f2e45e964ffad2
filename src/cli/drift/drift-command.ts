import type { Command } from 'commander';
import { TroupeError } from '../../errors.ts';
import { currentHost } from '../../supervision/host.ts';
import {
  DEFAULT_ANCHOR_MS,
  DEFAULT_RUNS,
  type DriftOptions,
  drift,
  updateBaseline,
} from '../../testing/drift/drift.ts';
import { type DriftReport, reportText } from '../../testing/drift/drift-report.ts';
import { findRealCli, realCliHome } from '../../testing/real-cli.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason, onLeave } from '../leave.ts';
import { wholeNumber } from '../numbers.ts';
import { write } from '../output.ts';

interface DriftFlags {
  readonly cli?: string;
  readonly json?: true;
  readonly update?: true;
  readonly baseline?: string;
  readonly runs: number;
  readonly only?: string[];
  readonly timeout: number;
}

/** After a signal: the processes are killed and seen gone. */
const LEAVE_MS = 30_000;

export function addDriftCommand(program: Command, done: (work: Promise<ExitCode>) => Promise<void>): void {
  const command = program
    .command('drift')
    .description('Compares what a claude CLI says on its pipe with what is known of its release.')
    .option('--cli <path>', 'the claude executable (default: TROUPE_CLI, claude on PATH, the installed package)')
    .option('--json', 'print the report as one line of JSON')
    .option('--update', 'write the baseline instead of comparing with it')
    .option('--baseline <file>', 'this file instead of the one of the release')
    .option('--runs <number>', 'with --update: how often the script is played', wholeNumber({ least: 1 }), DEFAULT_RUNS)
    .option('--only <scene>', 'play this scene only; may be repeated', many)
    .option(
      '--timeout <seconds>',
      'how long each anchor is waited for',
      wholeNumber({ least: 1, most: 86_400 }),
      DEFAULT_ANCHOR_MS / 1000,
    )
    .addHelpText(
      'after',
      `
The CLI runs offline against a model in this process, in homes of its own.
Exit codes: 0 as known, 1 something is new, missing or changed, 2 it could not be run or the script did not find its anchors.`,
    )
    .action(async (flags: DriftFlags) => done(driftCommand(flags)));
  examples(command, [
    ['troupe drift', 'the CLI that is installed'],
    ['troupe drift --cli ./claude --json', 'another one, for programs'],
  ]);
}

async function driftCommand(flags: DriftFlags): Promise<ExitCode> {
  const end = new AbortController();
  let why: LeaveReason | undefined;
  const stopListening = onLeave((reason) => {
    why ??= reason;
    end.abort();
  }, LEAVE_MS);
  try {
    const report = await reportOf(flags, end.signal);
    if (why !== undefined) return LEAVE_EXIT[why];
    await write(flags.json === true ? `${JSON.stringify(report)}\n` : reportText(report));
    if (flags.update === true && report.missingAnchors.length === 0)
      console.error(`troupe: wrote ${report.baseline.path}`);
    if (report.missingAnchors.length > 0) return EXIT.usage;
    return report.findings.length > 0 ? EXIT.failed : EXIT.done;
  } catch (error) {
    if (why !== undefined) return LEAVE_EXIT[why];
    if (!TroupeError.is(error)) throw error;
    console.error(`troupe: ${error.message} (${error.code})`);
    return EXIT.usage;
  } finally {
    stopListening();
  }
}

async function reportOf(flags: DriftFlags, signal: AbortSignal): Promise<DriftReport> {
  const { baseline, only, runs, timeout } = flags;
  const host = currentHost();
  const options: DriftOptions = { host, makeHome: realCliHome, baseline, only, anchorMs: timeout * 1000, signal };
  const told = (run: number) => console.error(`troupe: run ${run} of ${runs}`);
  const check = (cli: string | undefined) =>
    flags.update === true ? updateBaseline({ ...options, cli, runs, told }) : drift({ ...options, cli });
  const named = flags.cli ?? (host.env['TROUPE_CLI'] || undefined);
  try {
    return await check(named);
  } catch (error) {
    const installed = named === undefined && TroupeError.is(error) && error.code === 'CLI_NOT_FOUND';
    const path = installed ? await findRealCli() : undefined;
    if (path === undefined) throw error;
    return check(path);
  }
}

function many(value: string, former: string[] = []): string[] {
  return [...former, value];
}
