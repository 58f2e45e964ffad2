import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoOf } from './errno.ts';
import { livingRoot } from './living-roots.ts';
import type { MarksSince, ProcessEntry, ProcessTable } from './process-table.ts';

/** Environments read at the same time: the kernel may let a reader wait for the memory of a process. */
const READERS = 16;
/** Processes looked at in one turn of the event loop: half a millisecond. Their state is told at once, and by a tenth of the work of a promise each. */
const LOOKS_PER_TURN = 32;
/** A process in the middle of exec shows an empty environment for a moment, so an empty one is read again. */
const ENVIRONMENT_READS = 3;
const KERNEL_THREAD_FLAG = 0x0020_0000;
/** By it every process of a session is found, whatever became of its parent and its group. */
export const SESSION_VARIABLE = 'TROUPE_SESSION';
const UNMARKED: Marks = { mark: undefined, host: undefined };

/** What the environment of a process says about where it belongs. */
type Marks = Pick<ProcessEntry, 'mark' | 'host'>;

/** Reads the process table of Linux once. Never rejects: what could not be read is counted. */
export async function readProcTable(marksSince: MarksSince): Promise<ProcessTable> {
  const draft = createDraft();
  const pids = await readdir('/proc').then(pidsIn, draft.failedList);
  const unmarked: ProcStatus[] = [];
  let looks = 0;
  for (const pid of pids) {
    const root = livingRoot(pid);
    if (root !== undefined) {
      draft.add(root);
      continue;
    }
    const status = lookAt(pid, draft);
    if (status !== undefined && isAsked(status, marksSince)) unmarked.push(status);
    else if (status !== undefined) draft.add(status);
    looks += 1;
    if (looks % LOOKS_PER_TURN === 0) await nextTurn();
  }
  const upcoming = unmarked.values();
  const read = async (): Promise<void> => {
    for (const status of upcoming) {
      draft.add({ ...status, ...(await readMarks(status.pid, draft).catch(draft.failedMarks)) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(READERS, unmarked.length) }, read));
  return draft.table();
}

/** A child cannot be older than its parent: who began before the root of a tree was never given the mark of the tree. */
function isAsked({ hasEnvironment, startTime }: ProcStatus, marksSince: MarksSince): boolean {
  return hasEnvironment && !(Number(startTime) < marksSince);
}

function lookAt(pid: number, draft: Draft): ProcStatus | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    draft.failed(error);
    return undefined;
  }
}

/** The same, synchronously, for the moment in which the host exits. */
export function readProcTableNow(): ProcessTable {
  const draft = createDraft();
  for (const pid of listNow(draft)) {
    const status = lookAt(pid, draft);
    if (status !== undefined) draft.add(status.hasEnvironment ? { ...status, ...readMarksNow(pid, draft) } : status);
  }
  return draft.table();
}

/** One process at this very moment; undefined when it is gone (a zombie is). */
export function readProcEntryNow(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

export interface ProcStatus extends ProcessEntry {
  /** False for threads of the kernel, which have none. */
  readonly hasEnvironment: boolean;
}

/** Parses /proc/<pid>/stat; undefined for a process that is gone or a text that is none. */
export function parseStat(text: string): ProcStatus | undefined {
  // The name of the program stands in parentheses and may itself contain spaces, parentheses and line ends.
  const nameEnd = text.lastIndexOf(')');
  const [state, ...fields] = text.slice(nameEnd + 2).split(' ');
  const startTime = fields[18];
  const [parentPid, groupId, sessionId] = fields.map(Number);
  const pid = Number.parseInt(text, 10);
  if (nameEnd < 0 || startTime === undefined || parentPid === undefined || Number.isNaN(pid)) return undefined;
  // A zombie is gone, unless only its first thread has ended.
  const isGone = state === 'X' || (state === 'Z' && Number(fields[16]) <= 1);
  if (isGone || groupId === undefined || sessionId === undefined) return undefined;
  const hasEnvironment = (Number(fields[5]) & KERNEL_THREAD_FLAG) === 0;
  return { pid, parentPid, groupId, sessionId, startTime, ...UNMARKED, hasEnvironment };
}

/** The value of a variable in the bytes of /proc/<pid>/environ, or undefined. */
export function parseVariable(environment: Buffer, variable: string): string | undefined {
  const name = `${variable}=`;
  const isFirst = environment.subarray(0, name.length).toString('latin1') === name;
  const found = isFirst ? 0 : environment.indexOf(`\0${name}`) + 1;
  if (found === 0 && !isFirst) return undefined;
  const start = found + name.length;
  const end = environment.indexOf(0, start);
  return environment.toString('utf8', start, end < 0 ? environment.length : end);
}

function parseMarks(environment: Buffer): Marks {
  const mark = parseVariable(environment, SESSION_VARIABLE);
  return mark === undefined ? UNMARKED : { mark, host: parseVariable(environment, 'TROUPE_HOST') };
}

async function readMarks(pid: number, draft: Draft): Promise<Marks> {
  for (let attempt = 0; attempt < ENVIRONMENT_READS; attempt += 1) {
    const environment = await readFile(`/proc/${pid}/environ`);
    if (environment.length > 0) return parseMarks(environment);
  }
  // That of one who has just ended is empty, too.
  if (readProcEntryNow(pid) === undefined) draft.vanished();
  return UNMARKED;
}

function readMarksNow(pid: number, draft: Draft): Marks {
  try {
    for (let attempt = 0; attempt < ENVIRONMENT_READS; attempt += 1) {
      const environment = readFileSync(`/proc/${pid}/environ`);
      if (environment.length > 0) return parseMarks(environment);
    }
    return UNMARKED;
  } catch (error) {
    return draft.failedMarks(error);
  }
}

function listNow(draft: Draft): number[] {
  try {
    return pidsIn(readdirSync('/proc'));
  } catch (error) {
    return draft.failedList(error);
  }
}

function pidsIn(names: readonly string[]): number[] {
  return names.map(Number).filter(Number.isInteger);
}

interface Draft {
  add(entry: ProcessEntry): void;
  failed(error: unknown): void;
  vanished(): void;
  failedMarks(error: unknown): Marks;
  failedList(error: unknown): never[];
  table(): ProcessTable;
}

function createDraft(): Draft {
  const entries = new Map<number, ProcessEntry>();
  let vanished = 0;
  let unreadable = 0;

  function failed(error: unknown): void {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ESRCH') vanished += 1;
    // What may not be read belongs to somebody else; what could not be read for another reason may be ours.
    else if (errno !== 'EACCES' && errno !== 'EPERM') unreadable += 1;
  }

  return {
    failed,
    vanished: () => {
      vanished += 1;
    },
    add: (entry) => entries.set(entry.pid, entry),
    failedMarks(error) {
      failed(error);
      return UNMARKED;
    },
    failedList(error) {
      // Without /proc itself nothing is known, and that is not the same as an empty table.
      failed(error);
      unreadable += 1;
      return [];
    },
    table: () => ({ entries, vanished, unreadable }),
  };
}
