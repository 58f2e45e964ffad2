import { DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import { parseCall, ReapCall } from '../session/call-options.ts';
import { type SweepReport, type SweepTimes, sweepOrphans } from '../transport/orphan-sweep.ts';
import { removeAbandonedFolders } from '../transport/owned-folder.ts';
import { temporaryFolder } from './host.ts';

export interface ReapOptions {
  /** Milliseconds from SIGTERM to SIGKILL. Default 5 000. */
  readonly terminateGraceMs?: number | undefined;
  /** Milliseconds from SIGKILL until the process must have been seen gone. Default 5 000. */
  readonly killGraceMs?: number | undefined;
}

/** A process that a host left behind which is gone. */
export interface ReapedOrphan {
  readonly pid: number;
  /** Path of its program, without arguments; empty where that could not be read. */
  readonly command: string;
  /** What it was marked with: session, incarnation and a random token. */
  readonly mark: string;
  /** The id its session had. */
  readonly sessionId: string;
  /** The last signal it was sent. */
  readonly signal: 'SIGTERM' | 'SIGKILL';
}

export interface ReapReport {
  /** Ended, and seen gone. */
  readonly reaped: readonly ReapedOrphan[];
  /** Still there after SIGKILL. */
  readonly survivors: readonly ReapedOrphan[];
  /** Temporary folders of such hosts, with what was in them. */
  readonly folders: readonly string[];
  /** False where there may be more: the process table could not be read whole. */
  readonly isComplete: boolean;
}

/** No process waits longer for its SIGKILL than this, whatever a session may be given. */
const LONGEST_GRACE_MS = 60_000;

/**
 * Ends what was left behind by hosts that are gone, killed by SIGKILL or by the system for want of memory: SIGTERM, then
 * SIGKILL, and looks until nobody is left (P1). A process is only touched when its environment carries the mark of a session
 * and names a host that is certainly gone, or when it descends from one that does; pid and start time are looked at again
 * right before each signal. Sessions with `keepDescendants` are left alone. Linux only: elsewhere it resolves with an empty
 * report. Rejects with INVALID_OPTIONS only.
 */
export async function reapOrphans(options: ReapOptions = {}): Promise<ReapReport> {
  const report = await sweepOrphans(sweepTimes(parseCall(ReapCall, options, 'options')));
  const folders = await removeAbandonedFolders(temporaryFolder());
  return { ...named(report), folders, isComplete: report.isComplete };
}

function sweepTimes({ terminateGraceMs, killGraceMs }: ReapOptions): SweepTimes {
  return {
    terminateGraceMs: Math.min(terminateGraceMs ?? DEFAULT_TIMEOUTS.terminateGraceMs, LONGEST_GRACE_MS),
    killGraceMs: Math.min(killGraceMs ?? DEFAULT_TIMEOUTS.killGraceMs, LONGEST_GRACE_MS),
  };
}

function named({ reaped, survivors }: SweepReport): Pick<ReapReport, 'reaped' | 'survivors'> {
  const withSession = (one: SweepReport['reaped'][number]) => ({ ...one, sessionId: sessionIdOf(one.mark) });
  return { reaped: reaped.map(withSession), survivors: survivors.map(withSession) };
}

/** A mark ends with the number of the process and a token; what stands before may itself hold colons. */
function sessionIdOf(mark: string): string {
  return mark.replace(/:\d+:[^:]*$/, '');
}
