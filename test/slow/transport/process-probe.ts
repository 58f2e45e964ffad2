import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** An independent look at /proc: the tests must not trust the reader that they test. */
export function isRunning(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return !/^State:\s+[ZX]/m.test(status);
  } catch {
    return false;
  }
}

/** Pids of the running processes whose environment holds `TROUPE_SESSION=<mark>`. */
export function runningWithMark(mark: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => isRunning(pid) && environmentOf(pid).includes(`TROUPE_SESSION=${mark}`));
}

/** Sockets that this process holds: each pipe to a child is one. */
export function countSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).startsWith('socket:')).length;
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
