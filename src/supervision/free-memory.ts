import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { platformFreeMemory } from './host.ts';

/** Reads a small file as text; undefined where there is none. */
export type ReadText = (path: string) => string | undefined;

/**
 * Bytes that new processes may take before the system begins to end some: what the kernel calls available, or what is left
 * under the narrowest limit of the control groups this process is in. What can be given up at once, cached files, counts as free.
 */
export function freeMemory(read: ReadText = readText): number {
  const known = [availableMemory(read), ...groupRests(read)].filter((bytes) => bytes !== undefined);
  return known.length === 0 ? platformFreeMemory() : Math.min(...known);
}

function availableMemory(read: ReadText): number | undefined {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(read('/proc/meminfo') ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** A limit of an outer group binds as much as one of the own. */
function groupRests(read: ReadText): (number | undefined)[] {
  return (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, , path = ''] = line.split(':', 3);
    if (line.startsWith('0::')) return ancestry(path).map((group) => restOf(read, '/sys/fs/cgroup', group, VERSION_2));
    const isMemory = line.split(':')[1]?.split(',').includes('memory') === true;
    if (!isMemory) return [];
    return ancestry(path).map((group) => restOf(read, '/sys/fs/cgroup/memory', group, VERSION_1));
  });
}

/** A group and those around it. In a container the mount shows the own group as the root, whatever the path says. */
function ancestry(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/')).concat('');
}

const VERSION_2 = { limit: 'memory.max', usage: 'memory.current', cache: /^inactive_file (\d+)$/m };
const VERSION_1 = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  cache: /^total_inactive_file (\d+)$/m,
};

function restOf(read: ReadText, mount: string, group: string, names: typeof VERSION_2): number | undefined {
  const textOf = (name: string) => read(posix.join(mount, group, name));
  // Without a limit it says `max`, or a number beyond every machine.
  const limit = Number(textOf(names.limit)?.trim() || Number.NaN);
  const usage = Number(textOf(names.usage)?.trim() || Number.NaN);
  if (!Number.isFinite(limit) || !Number.isFinite(usage)) return undefined;
  const cached = Number(names.cache.exec(textOf('memory.stat') ?? '')?.[1] ?? 0);
  return Math.max(0, limit - usage + cached);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
