import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { findDriver } from '../../store/sqlite/driver.ts';
import { freeMemory, type ReadText } from '../../supervision/free-memory.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const MIB = 2 ** 20;
/** Of a CLI that does nothing; one at work takes more. */
const SESSION_BYTES = 180 * MIB;
/** Of a CLI and its pipes, and of this process. */
const [SESSION_FILES, OWN_FILES] = [32, 128];
/** Threads of a CLI, and of a tool that it runs. */
const [SESSION_TASKS, OWN_TASKS] = [24, 64];
const OLDEST_NODE = [20, 19] as const;

export interface SystemFacts {
  /** How many sessions are to have a process at the same time. */
  readonly maxSessions: number;
  readonly read: ReadText;
  /** Instances of inotify that processes of this user hold. */
  readonly inotifyInUse: () => number;
}

export function systemFacts(maxSessions: number): SystemFacts {
  return { maxSessions, read: readText, inotifyInUse };
}

/** Is it a Node on which Troupe runs, with a driver for its store? */
export function checkNode(version: string, hasDriver: () => unknown = findDriver): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const node = isOld
    ? problem('node', `Node ${version} is older than ${OLDEST_NODE.join('.')}`, 'Install a newer Node.')
    : ok('node', `Node ${version}`);
  try {
    hasDriver();
    return [node];
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    return [node, warning('sqlite', told, 'Without a driver everything works but --store.')];
  }
}

/** Is there memory for so many sessions, under the limits of this process too? */
export function checkMemory({ maxSessions, read }: SystemFacts): Finding {
  const free = freeMemory(read);
  const room = Math.floor(free / SESSION_BYTES);
  const message = `${Math.floor(free / MIB)} MiB are free: room for about ${room} sessions, and up to ${maxSessions} may run`;
  if (room < 1) return problem('memory', message, 'Free memory, or raise the limit of the control group.');
  return room < maxSessions
    ? warning('memory', message, `--max-sessions ${room}, or more memory: a start waits while too little is free.`)
    : ok('memory', message);
}

/** Does the system allow as many files, processes and watches? What it does not tell is left out. */
export function checkLimits({ maxSessions, read, inotifyInUse }: SystemFacts): Finding[] {
  const limits = read('/proc/self/limits') ?? '';
  const files = softLimit(limits, 'Max open files');
  const tasks = Math.min(
    softLimit(limits, 'Max processes') ?? Infinity,
    numberIn(read, '/sys/fs/cgroup/pids.max') ?? Infinity,
  );
  const instances = numberIn(read, '/proc/sys/fs/inotify/max_user_instances');
  return [
    ...room('files', 'open files', files, OWN_FILES + SESSION_FILES * maxSessions, 'ulimit -n'),
    ...room(
      'processes',
      'processes and threads',
      tasks,
      OWN_TASKS + SESSION_TASKS * maxSessions,
      'ulimit -u, or pids.max of the control group',
    ),
    ...(instances === undefined ? [] : [inotifyFinding(instances - inotifyInUse(), instances, maxSessions)]),
  ];
}

function room(check: string, what: string, limit: number | undefined, wanted: number, where: string): Finding[] {
  if (limit === undefined) return [];
  if (limit === Number.POSITIVE_INFINITY) return [ok(check, `any number of ${what} is allowed`)];
  const message = `${limit} ${what} are allowed; as many sessions as may run want up to ${wanted}`;
  return [limit < wanted ? warning(check, message, `Raise it: ${where}.`) : ok(check, message)];
}

function inotifyFinding(free: number, instances: number, maxSessions: number): Finding {
  const message = `${Math.max(0, free)} of ${instances} inotify instances are free`;
  const remedy = 'sysctl fs.inotify.max_user_instances=1024: a CLI without one does not see files change.';
  if (free <= 0) return problem('inotify', message, remedy);
  return free < maxSessions ? warning('inotify', message, remedy) : ok('inotify', message);
}

function softLimit(limits: string, name: string): number | undefined {
  const value = new RegExp(`^${name} +(\\S+)`, 'm').exec(limits)?.[1];
  return value === 'unlimited' ? Number.POSITIVE_INFINITY : value === undefined ? undefined : Number(value);
}

function numberIn(read: ReadText, path: string): number | undefined {
  const value = Number(read(path)?.trim() || Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Those of other users cannot be seen, and do not count. */
function inotifyInUse(): number {
  return listed('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => listed(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`))
    .filter((path) => linkOf(path) === 'anon_inode:inotify').length;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
