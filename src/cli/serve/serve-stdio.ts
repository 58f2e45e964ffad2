import type { StreamServer } from '../../server/stream-server.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason } from '../leave.ts';

export interface StdioServing {
  readonly supervisor: Supervisor;
  readonly server: StreamServer;
  readonly left: { readonly first: Promise<LeaveReason>; readonly second: Promise<void> };
  readonly drainMs: number;
  readonly tell: (line: string) => void;
}

/** How long what was written may take to be read once everything is done. */
const FAREWELL_MS = 2_000;

/** A reader that hangs on and reads nothing does not keep this process (P1). */
export function leaveSoon(): void {
  setTimeout(() => process.exit(), FAREWELL_MS).unref();
}

/** Why a front end that was cut off makes a difference to whoever started this. */
const FAULTS: ReadonlySet<string | undefined> = new Set(['frame-too-large', 'not-initialized', 'too-slow']);

/**
 * Serves until the front end says nothing more, is gone, or a signal comes. What the front end asked is answered first where it
 * can still hear it.
 */
export async function serveStdio({ supervisor, server, left, drainMs, tell }: StdioServing): Promise<ExitCode> {
  const over = await Promise.race([server.ended.then((reason) => ({ reason })), left.first.then((why) => ({ why }))]);
  if ('reason' in over) {
    if (!FAULTS.has(over.reason)) return EXIT.done;
    tell(`The front end was cut off: ${over.reason}.`);
    return EXIT.failed;
  }
  const isHeard = over.why !== 'reader-left' && over.why !== 'output-failed';
  if (isHeard) {
    const hurry = new AbortController();
    void left.second.then(() => hurry.abort());
    await supervisor.drain({ timeoutMs: drainMs, signal: hurry.signal });
  }
  server.close();
  return LEAVE_EXIT[over.why];
}
