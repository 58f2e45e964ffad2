import { setTimeout as wait } from 'node:timers/promises';
import { forgetRoot } from './living-roots.ts';
import { ALL_MARKS, type ProcessEntry, type ProcessTable, readProcessNow, readProcessTable } from './process-table.ts';
import type { TreeReport } from './transport.ts';
import { endWindowsTree } from './windows-tree.ts';

/**
 * Pauses between two looks at a dying tree. Real timers, unlike everywhere else: this is the reaper, the last thing
 * that runs for a session, and what it waits for is the kernel.
 */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
/** What a look at the table of processes may take of the deadline; more means that the program was busy elsewhere (P10). */
const LONGEST_LOOK_MS = 1_000;
/** A scan in which processes came and went may have missed a newborn; two in a row are taken for the truth. */
const UNSURE_SCANS = 2;
/** A longer timer, `Infinity` included, would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface TreeRoot {
  readonly pid: number;
  /** From `readProcessNow`, taken while the process was certainly alive; undefined where that is not possible. */
  readonly startTime: string | undefined;
  /** Value of `TROUPE_SESSION` in the environment of the whole tree. */
  readonly mark: string;
  /** True until the exit status was collected: as long as it is, nobody else can have the pid. */
  isAlive(): boolean;
}

export interface ProcessTree {
  /** SIGKILLs the tree until a scan finds nobody of it, at most `deadlineMs`. Never touches a stranger (P1). */
  kill(deadlineMs: number): Promise<TreeReport>;
  /** SIGKILLs, once, whoever of the tree is in the table, or the group when it is empty; returns the pids. For the exit of the host. */
  killIn(table: ProcessTable): number[];
}

/**
 * The tree of one process: its descendants by parent links (remembered, so that one whose parent died still counts),
 * everyone in its process group or session, and everyone who carries its mark. The CLI gives its tools sessions of
 * their own, and the children of a killed process are re-parented to 1 (WIRE §15): only all three together find all.
 */
export function createProcessTree(root: TreeRoot, scan: typeof readProcessTable = readProcessTable): ProcessTree {
  return new MarkedTree(root, scan);
}

class MarkedTree implements ProcessTree {
  readonly #root: TreeRoot;
  readonly #scan: typeof readProcessTable;
  /** Made with the first look: nobody looks at a process that lives on. */
  #remembered: Map<number, string> | undefined;
  #isGroupOurs = true;

  constructor(root: TreeRoot, scan: typeof readProcessTable) {
    this.#root = root;
    this.#scan = scan;
  }

  killIn(table: ProcessTable): number[] {
    return table.entries.size === 0 ? this.#killGroup() : killEach(this.#findMembers(table));
  }

  async kill(deadlineMs: number): Promise<TreeReport> {
    const root = this.#root;
    if (process.platform === 'win32') return endWindowsTree(root);
    forgetRoot(root.pid);
    const killed = new Set<number>();
    let unsureScans = 0;
    let pauseMs = FIRST_PAUSE_MS;
    let leftMs = deadlineMs;
    for (;;) {
      const lookedAt = performance.now();
      const table = await this.#scan(beginOf(root));
      const members = this.#findMembers(table);
      if (members.length === 0 && table.unreadable === 0) {
        unsureScans += 1;
        if (table.vanished === 0 || unsureScans >= UNSURE_SCANS) break;
        continue;
      }
      unsureScans = 0;
      for (const pid of killEach(members)) killed.add(pid);
      if (table.unreadable > 0 && root.isAlive() && killBlindly(root.pid)) killed.add(root.pid);
      if (leftMs <= 0) {
        return { killed: [...killed], survivors: table.unreadable > 0 ? this.#stillThere() : pidsOf(members) };
      }
      await wait(Math.min(pauseMs, leftMs));
      // Time in which this program could not look is no time that somebody had to die in.
      leftMs -= Math.min(performance.now() - lookedAt, pauseMs + LONGEST_LOOK_MS);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    // Now that nobody is left in the group, its number is free for strangers.
    this.#isGroupOurs = root.isAlive();
    return { killed: [...killed], survivors: [] };
  }

  get #known(): Map<number, string> {
    const { pid, startTime } = this.#root;
    this.#remembered ??= new Map(startTime === undefined ? [] : [[pid, startTime]]);
    return this.#remembered;
  }

  #findMembers(table: ProcessTable): ProcessEntry[] {
    const root = this.#root;
    const remembered = this.#known;
    const leader = table.entries.get(root.pid);
    const isRootThere = leader !== undefined && (root.isAlive() || remembered.get(root.pid) === leader.startTime);
    // While our group has a member the kernel gives its number to nobody, so another root means that the group is gone.
    if (leader !== undefined && !isRootThere) this.#isGroupOurs = false;

    const members = new Map<number, ProcessEntry>();
    const childrenOf = groupByParent(table);
    const queue = [...table.entries.values()].filter((entry) => this.#isMember(entry, isRootThere));
    for (const entry of queue) {
      if (members.has(entry.pid) || !isKillable(entry.pid)) continue;
      members.set(entry.pid, entry);
      remembered.set(entry.pid, entry.startTime);
      queue.push(...(childrenOf.get(entry.pid) ?? []));
    }
    this.#forgetGone(table);
    return leadsLast([...members.values()], root.mark);
  }

  #isMember(entry: ProcessEntry, isRootThere: boolean): boolean {
    const { pid, mark } = this.#root;
    if (entry.pid === pid) return isRootThere;
    if (entry.mark === mark || this.#known.get(entry.pid) === entry.startTime) return true;
    return this.#isGroupOurs && (entry.groupId === pid || entry.sessionId === pid);
  }

  /** Keeps the memory as small as the tree is: a process that is gone never comes back with the same start time. */
  #forgetGone(table: ProcessTable): void {
    for (const [pid, startTime] of this.#known) {
      const isGone = table.unreadable === 0 && table.entries.get(pid)?.startTime !== startTime;
      if (isGone && pid !== this.#root.pid) this.#known.delete(pid);
    }
  }

  /** Where the table has holes, everybody who was seen and still answers counts as a survivor. */
  #stillThere(): number[] {
    const root = this.#root;
    return [...this.#known.keys()].filter((pid) => (pid === root.pid ? root.isAlive() : doesExist(pid)));
  }

  /** Where the table cannot be read, the group is all that is known. While the root is not collected it is surely ours. */
  #killGroup(): number[] {
    const root = this.#root;
    return root.isAlive() && killBlindly(-root.pid) ? [root.pid] : [];
  }
}

/** The mark is made for one start, and the root is the first that has it: nobody who is older can belong to the tree. */
function beginOf({ startTime }: TreeRoot): number {
  const begin = Number(startTime ?? ALL_MARKS);
  return Number.isNaN(begin) ? ALL_MARKS : begin;
}

/** The same shape for a process whose descendants are to be kept: only the process itself is ended. */
export function createLoneProcess(root: TreeRoot, exited: Promise<unknown>): ProcessTree {
  const killRoot = (): number[] => (root.isAlive() && killBlindly(root.pid) ? [root.pid] : []);

  async function kill(deadlineMs: number): Promise<TreeReport> {
    const killed = killRoot();
    const timer = new AbortController();
    const deadline = wait(Math.min(deadlineMs, LONGEST_TIMER_MS), undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([exited, deadline]);
    timer.abort();
    return { killed, survivors: root.isAlive() ? [root.pid] : [] };
  }

  return { kill, killIn: killRoot };
}

/**
 * In the order in which they are killed: those that carry the mark come last, because they lead to the others. A host that is
 * killed meanwhile leaves nobody that the next one could not find (P1).
 */
export function leadsLast(members: readonly ProcessEntry[], mark: string): ProcessEntry[] {
  return [...members.filter((member) => member.mark !== mark), ...members.filter((member) => member.mark === mark)];
}

function groupByParent(table: ProcessTable): ReadonlyMap<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table.entries.values()) {
    const siblings = children.get(entry.parentPid);
    if (siblings === undefined) children.set(entry.parentPid, [entry]);
    else siblings.push(entry);
  }
  return children;
}

/** Whatever a table says, never the host itself and never the first process of the machine. */
function isKillable(pid: number): boolean {
  return pid > 1 && pid !== process.pid;
}

function pidsOf(entries: readonly ProcessEntry[]): number[] {
  return entries.map((entry) => entry.pid);
}

function killEach(members: readonly ProcessEntry[]): number[] {
  return pidsOf(members.filter((member) => isUnchanged(member) && killBlindly(member.pid)));
}

/** The table is a few milliseconds old: looks once more, so that a pid that was reused meanwhile is spared. */
function isUnchanged(member: ProcessEntry): boolean {
  const current = readProcessNow(member.pid);
  return current === 'unknown' || current?.startTime === member.startTime;
}

function killBlindly(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already (ESRCH), or it became somebody else's (EPERM) and the next scan shows it as a survivor.
    return false;
  }
}

function doesExist(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
