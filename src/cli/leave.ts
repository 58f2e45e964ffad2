import { inBackground, systemClock } from '../clock.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Why this process has to go: a signal, or an output that nobody reads any more. */
export type LeaveReason = 'interrupted' | 'terminated' | 'hung-up' | 'reader-left' | 'output-failed';

export const LEAVE_EXIT: Readonly<Record<LeaveReason, ExitCode>> = {
  interrupted: EXIT.interrupted,
  terminated: EXIT.terminated,
  'hung-up': EXIT.hungUp,
  // As in `troupe run … | head`: who has read enough expects no failure.
  'reader-left': EXIT.done,
  'output-failed': EXIT.failed,
};

/** Longer than any kill may take; after it the exit guard ends what is left. */
const LEAVE_MS = 10_000;

const SIGNALS = [
  ['SIGINT', 'interrupted'],
  ['SIGTERM', 'terminated'],
  ['SIGHUP', 'hung-up'],
] as const;

const listeners = new Set<(why: LeaveReason) => void>();

/**
 * Calls the listener each time this process is asked to leave; until it is stopped the signals do not end the process by
 * themselves, because the CLI in its own process group would stay behind (P1). Whoever asks for more than an interrupt
 * gets the end within 10 s, or `leaveMs`, whatever the listener does. Returns the way to stop it.
 */
export function onLeave(listener: (why: LeaveReason) => void, leaveMs = LEAVE_MS): () => void {
  const leave = (why: LeaveReason) => {
    if (why !== 'interrupted') inBackground(systemClock.setTimeout(() => process.exit(LEAVE_EXIT[why]), leaveMs));
    listener(why);
  };
  const stops = SIGNALS.map(([signal, why]) => {
    const tell = () => leave(why);
    process.on(signal, tell);
    return () => process.off(signal, tell);
  });
  listeners.add(leave);
  return () => {
    listeners.delete(leave);
    for (const stop of stops) stop();
  };
}

/** Makes a lost standard output a reason to leave, or the end at once where nothing has to be left. */
export function watchOutput(): void {
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isLost) return;
    isLost = true;
    const why = error.code === 'EPIPE' ? 'reader-left' : 'output-failed';
    if (listeners.size === 0) process.exit(process.exitCode ?? LEAVE_EXIT[why]);
    for (const listener of listeners) listener(why);
  });
  // Complaints that nobody can read are no reason to stop the work.
  process.stderr.on('error', () => {});
}
