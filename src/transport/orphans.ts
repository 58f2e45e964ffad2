import type { HostFate } from './host-mark.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** A process of a session whose host is gone. */
export interface Orphan {
  readonly entry: ProcessEntry;
  /** The mark of the session it belongs to, also where it dropped its own. */
  readonly mark: string;
}

export interface OrphanFinder {
  /** Everybody in the table who belongs to a session of a host that is gone. */
  find(table: ProcessTable): Orphan[];
}

/**
 * Finds the trees of sessions that lost their host: who carries the mark of one, the descendants of those (remembered, so
 * that one whose parent died still counts), and who is in a group or session of theirs. Spared are this process with all it
 * lives in, and whoever names a host that is alive or that nothing is known of: the walk ends there.
 */
export function createOrphanFinder(fateOf: (host: string) => HostFate, ownPid: number): OrphanFinder {
  const remembered = new Map<number, { readonly startTime: string; readonly mark: string }>();

  function find(table: ProcessTable): Orphan[] {
    const fates = new Map<string, HostFate>();
    const fate = (host: string): HostFate => {
      const known = fates.get(host) ?? fateOf(host);
      fates.set(host, known);
      return known;
    };
    const orphans = new Map<number, Orphan>();
    const kin = kinIn(table);
    for (const seed of table.entries.values()) {
      const mark = markOf(seed, fate);
      if (mark !== undefined) collect(seed, mark);
    }

    function collect(seed: ProcessEntry, mark: string): void {
      const queue = [seed];
      for (const entry of queue) {
        if (entry.pid <= 1 || orphans.has(entry.pid) || isSpared(entry, fate)) continue;
        const ownMark = entry.host === undefined ? mark : (entry.mark ?? mark);
        orphans.set(entry.pid, { entry, mark: ownMark });
        queue.push(...kin.childrenOf(entry), ...kin.matesOf(entry));
      }
    }

    const found = withoutOurHome([...orphans.values()], table, ownPid);
    // A table with holes may only hide somebody.
    if (table.unreadable === 0) remembered.clear();
    for (const { entry, mark } of found) remembered.set(entry.pid, { startTime: entry.startTime, mark });
    return found;
  }

  function markOf(entry: ProcessEntry, fate: (host: string) => HostFate): string | undefined {
    if (entry.host !== undefined) return fate(entry.host) === 'gone' ? entry.mark : undefined;
    const known = remembered.get(entry.pid);
    return known?.startTime === entry.startTime ? known.mark : undefined;
  }

  return { find };
}

function isSpared(entry: ProcessEntry, fate: (host: string) => HostFate): boolean {
  return entry.host !== undefined && fate(entry.host) !== 'gone';
}

/**
 * Who runs inside the tree of an orphan (a tool of a lost agent that itself uses Troupe) leaves that whole tree alone: to
 * end it would be to end oneself.
 */
function withoutOurHome(orphans: readonly Orphan[], table: ProcessTable, ownPid: number): Orphan[] {
  const home = new Set([ownPid]);
  for (let entry = table.entries.get(ownPid); entry !== undefined; entry = table.entries.get(entry.parentPid)) {
    if (home.has(entry.parentPid)) break;
    home.add(entry.parentPid);
  }
  const ourMarks = new Set(orphans.filter(({ entry }) => home.has(entry.pid)).map(({ mark }) => mark));
  const own = table.entries.get(ownPid);
  if (own?.mark !== undefined) ourMarks.add(own.mark);
  return orphans.filter(({ mark }) => !ourMarks.has(mark));
}

interface Kin {
  childrenOf(entry: ProcessEntry): readonly ProcessEntry[];
  /**
   * Who is in a group or session that the entry leads, or whose leader is gone: the entry carries the mark of a session
   * that began with a session of its own, so nobody else can have founded it. A living leader speaks for himself.
   */
  matesOf(entry: ProcessEntry): readonly ProcessEntry[];
}

function kinIn({ entries, unreadable }: ProcessTable): Kin {
  const all = [...entries.values()];
  const children = groupedBy(all, (entry) => entry.parentPid);
  const groups = groupedBy(all, (entry) => entry.groupId);
  const sessions = groupedBy(all, (entry) => entry.sessionId);

  function isOurs(id: number, pid: number): boolean {
    // In a table with holes a leader that is not there may live.
    return id > 1 && (id === pid || (unreadable === 0 && !entries.has(id)));
  }

  return {
    childrenOf: ({ pid }) => children.get(pid) ?? [],
    matesOf: ({ pid, groupId, sessionId }) => [
      ...(isOurs(groupId, pid) ? (groups.get(groupId) ?? []) : []),
      ...(isOurs(sessionId, pid) ? (sessions.get(sessionId) ?? []) : []),
    ],
  };
}

function groupedBy(all: readonly ProcessEntry[], keyOf: (entry: ProcessEntry) => number): Map<number, ProcessEntry[]> {
  const groups = new Map<number, ProcessEntry[]>();
  for (const entry of all) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return groups;
}
