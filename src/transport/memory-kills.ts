import { readFileSync } from 'node:fs';

/** Where Linux tells about processes and their control groups; a test has folders of its own. */
export interface KernelFolders {
  readonly processes: string;
  readonly groups: string;
}

const KERNEL: KernelFolders = { processes: '/proc', groups: '/sys/fs/cgroup' };

/**
 * Counts the processes that the kernel ends in the control group of a living process because memory runs out: from now to
 * each call. 0 where nothing counts them: outside Linux, in the root group, and when the group is gone with the process.
 */
export function countMemoryKills(pid: number, { processes, groups }: KernelFolders = KERNEL): () => number {
  const membership = read(`${processes}/${pid}/cgroup`) ?? '';
  for (const file of counters(membership, groups)) {
    const before = readCount(file);
    if (before !== undefined) return countedIn(file, before);
  }
  return () => 0;
}

/** The newest file that counts: the processes of a host are mostly of one group, and share its path. */
let shared = '';

function countedIn(file: string, before: number): () => number {
  if (file !== shared) shared = file;
  const path = shared;
  return () => Math.max(0, (readCount(path) ?? before) - before);
}

function readCount(file: string): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(read(file) ?? '')?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The files that may count, the most exact first: in a container the path of the group is often not mounted, only its content. */
function counters(membership: string, groups: string): readonly string[] {
  const unified = /^0::(.*)$/m.exec(membership)?.[1];
  const memory = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(membership)?.[1];
  return [
    ...(memory === undefined
      ? []
      : [`${groups}/memory${memory}/memory.oom_control`, `${groups}/memory/memory.oom_control`]),
    ...(unified === undefined ? [] : [`${groups}${unified}/memory.events`, `${groups}/memory.events`]),
  ];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
