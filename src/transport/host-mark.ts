import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from './errno.ts';
import { readProcEntryNow } from './proc-files.ts';

/** The variable by which a child names the process that started it. Only a subprocess of our own carries it. */
export const HOST_VARIABLE = 'TROUPE_HOST';

/** `unknown` is neither: nothing may be done on the strength of it. */
export type HostFate = 'alive' | 'gone' | 'unknown';

interface HostName {
  readonly pid: number;
  readonly startTime: string;
  readonly place: string;
}

const HOST_MARK = /^(\d{1,10}):(\d{1,20}):(.+)$/;

let own: { readonly mark: string | undefined; readonly placeDigest: string | undefined } | undefined;

/**
 * The name of this process for ever: its pid, the time it started, and the place where both mean something (boot of the
 * machine, namespaces of pids and of time). Undefined where that cannot be known: then nobody ever takes its children for
 * orphans.
 */
export function ownHostMark(): string | undefined {
  return known().mark;
}

/** The place by itself, short enough for the name of a folder; undefined where it cannot be known. */
export function ownPlaceDigest(): string | undefined {
  return known().placeDigest;
}

function known(): NonNullable<typeof own> {
  if (own !== undefined) return own;
  const mark = readOwnMark();
  const place = parseHostMark(mark)?.place;
  const placeDigest = place === undefined ? undefined : createHash('sha256').update(place).digest('hex').slice(0, 12);
  own = { mark, placeDigest };
  return own;
}

/** Whether the process that a mark names still lives. A mark of another place, or none at all, is `unknown`. */
export function fateOfHost(mark: string): HostFate {
  const host = parseHostMark(mark);
  if (host === undefined || host.place !== parseHostMark(ownHostMark())?.place) return 'unknown';
  return fateOfProcess(host.pid, host.startTime);
}

/** Whether this very process still lives: a reused pid has another start time, and a zombie does nothing any more. */
export function fateOfProcess(pid: number, startTime: string): HostFate {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const entry = readProcEntryNow(pid);
    if (entry !== undefined) return entry.startTime === startTime ? 'alive' : 'gone';
    // Nobody is in the entry: a zombie says so itself, and whatever else this is may not be taken for an end.
    return /\) [ZX] [^)]*$/.test(text) ? 'gone' : 'unknown';
  } catch (error) {
    const errno = errnoOf(error);
    // A /proc that hides the processes of others says the same of them as of those that are gone.
    return (errno === 'ENOENT' || errno === 'ESRCH') && !mayExist(pid) ? 'gone' : 'unknown';
  }
}

function readOwnMark(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // A /proc of other pid namespaces would show somebody else under our pid.
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const startTime = readProcEntryNow(process.pid)?.startTime;
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    if (startTime === undefined || bootId === '') return undefined;
    return `${process.pid}:${startTime}:${bootId}/${readlinkSync('/proc/self/ns/pid')}/${timeNamespace()}`;
  } catch {
    return undefined;
  }
}

/** Start times are shifted inside such a namespace; kernels before 5.6 have none. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return 'time:none';
  }
}

function parseHostMark(mark: string | undefined): HostName | undefined {
  const [, pid, startTime, place] = HOST_MARK.exec(mark ?? '') ?? [];
  if (pid === undefined || startTime === undefined || place === undefined) return undefined;
  return { pid: Number(pid), startTime, place };
}

function mayExist(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}
