import type { HostFate } from '../../src/transport/host-mark.ts';
import { type SweepReport, sweep } from '../../src/transport/orphan-sweep.ts';
import type { ProcessEntry, ProcessTable } from '../../src/transport/process-table.ts';

/** No real process has such a pid (they end at 2^22): nothing outside can be hit. */
const FIRST_PID = 2 ** 22 + 100_000;

export interface BirthCertificate {
  readonly parentPid: number;
  /** It leads a session and a group of its own, as the tools of the CLI do. */
  readonly isDetached: boolean;
  /** Undefined where it has dropped it from its environment. */
  readonly mark: string | undefined;
  readonly host: string | undefined;
  /** It is gone. */
  readonly onEnd?: () => void;
}

/** The processes of a machine that is not there. It outlives the hosts. */
export class ProcessWorld {
  readonly #entries = new Map<number, ProcessEntry>();
  readonly #onEnd = new Map<number, () => void>();
  readonly #goneHosts = new Set<string>();
  /** Who has nothing to do with any session. */
  readonly #strangers = new Set<number>();
  #nextPid = FIRST_PID;

  constructor() {
    for (let count = 0; count < 3; count += 1) {
      this.#strangers.add(this.start({ parentPid: 1, isDetached: true, mark: undefined, host: undefined }));
    }
  }

  start({ parentPid, isDetached, mark, host, onEnd }: BirthCertificate): number {
    const pid = this.#nextPid++;
    const parent = this.#entries.get(parentPid);
    const groupId = isDetached || parent === undefined ? pid : parent.groupId;
    const sessionId = isDetached || parent === undefined ? pid : parent.sessionId;
    this.#entries.set(pid, { pid, parentPid, groupId, sessionId, startTime: String(pid), mark, host });
    if (onEnd !== undefined) this.#onEnd.set(pid, onEnd);
    return pid;
  }

  /** Its children go on as those of the first process. */
  end(pid: number): void {
    if (!this.#entries.delete(pid)) return;
    for (const entry of [...this.#entries.values()]) {
      if (entry.parentPid === pid) this.#entries.set(entry.pid, { ...entry, parentPid: 1 });
    }
    const onEnd = this.#onEnd.get(pid);
    this.#onEnd.delete(pid);
    onEnd?.();
  }

  isAlive(pid: number): boolean {
    return this.#entries.has(pid);
  }

  /** Everybody whose mark begins so. */
  marked(prefix: string): readonly ProcessEntry[] {
    return [...this.#entries.values()].filter(({ mark }) => mark?.startsWith(prefix) === true);
  }

  /** Everybody who is no stranger. */
  ours(): readonly ProcessEntry[] {
    return [...this.#entries.values()].filter(({ pid }) => !this.#strangers.has(pid));
  }

  get strangersAlive(): number {
    return [...this.#strangers].filter((pid) => this.isAlive(pid)).length;
  }

  /** As `createProcessTree` does it: by parent links, by group and session, and by the mark. */
  killTree(root: number, mark: string): number[] {
    const killed: number[] = [];
    for (;;) {
      const members = [...this.#entries.values()].filter(
        (one) =>
          one.pid === root ||
          one.mark === mark ||
          one.groupId === root ||
          one.sessionId === root ||
          this.#descendsFrom(one, root),
      );
      if (members.length === 0) return killed;
      for (const { pid } of members) {
        killed.push(pid);
        this.end(pid);
      }
    }
  }

  loseHost(name: string): void {
    this.#goneHosts.add(name);
  }

  /** What a new host does about those that are gone, by the sweep of Troupe itself. */
  async sweep(): Promise<SweepReport> {
    let now = 0;
    return sweep(
      { terminateGraceMs: 1_000, killGraceMs: 1_000 },
      {
        scan: async () => this.#table(),
        fateOf: (host): HostFate => (this.#goneHosts.has(host) ? 'gone' : 'alive'),
        send: ({ entry }, signal) => {
          // Some only go by force.
          if (signal === 'SIGKILL' || entry.pid % 3 !== 0) this.end(entry.pid);
          return true;
        },
        commandOf: () => 'simulated',
        ownPid: 1,
        now: () => now,
        wait: async (ms) => {
          now += ms;
        },
      },
    );
  }

  #table(): ProcessTable {
    return { entries: new Map(this.#entries), vanished: 0, unreadable: 0 };
  }

  #descendsFrom(entry: ProcessEntry, root: number): boolean {
    for (let at: ProcessEntry | undefined = entry; at !== undefined; at = this.#entries.get(at.parentPid)) {
      if (at.parentPid === root) return true;
    }
    return false;
  }
}
