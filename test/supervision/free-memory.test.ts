import { describe, expect, it } from 'vitest';
import { freeMemory } from '../../src/supervision/free-memory.ts';

const GIB = 2 ** 30;
const MEMINFO = `MemTotal: ${16 * 2 ** 20} kB\nMemFree: 1 kB\nMemAvailable:    ${8 * 2 ** 20} kB\n`;

describe('the free memory of the host', () => {
  it('is what the kernel calls available, not what it has left unused', () => {
    expect(freeMemory(files({ '/proc/meminfo': MEMINFO }))).toBe(8 * GIB);
  });

  it('is bound by the limit of a control group of version 2; cached files count as free', () => {
    const read = files({
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/system.slice/troupe.service\n',
      '/sys/fs/cgroup/system.slice/troupe.service/memory.max': `${3 * GIB}\n`,
      '/sys/fs/cgroup/system.slice/troupe.service/memory.current': `${2 * GIB}\n`,
      '/sys/fs/cgroup/system.slice/troupe.service/memory.stat': `anon 1\ninactive_file ${GIB / 2}\n`,
    });
    expect(freeMemory(read)).toBe(1.5 * GIB);
  });

  it('is bound by the limit of a group around the own one', () => {
    const read = files({
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/limited/own\n',
      '/sys/fs/cgroup/limited/own/memory.max': 'max\n',
      '/sys/fs/cgroup/limited/own/memory.current': '1\n',
      '/sys/fs/cgroup/limited/memory.max': `${2 * GIB}\n`,
      '/sys/fs/cgroup/limited/memory.current': `${1.75 * GIB}\n`,
    });
    expect(freeMemory(read)).toBe(0.25 * GIB);
  });

  it('is bound inside a container, where the mount shows the own group as the root', () => {
    const read = files({
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/../../docker/4711\n',
      '/sys/fs/cgroup/memory.max': `${GIB}\n`,
      '/sys/fs/cgroup/memory.current': `${2 * GIB}\n`,
    });
    expect(freeMemory(read)).toBe(0);
  });

  it('is bound by a control group of version 1, also beside an empty tree of version 2', () => {
    const read = files({
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '5:cpu:/\n4:hugetlb,memory:/docker/4711\n0::/\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${4 * GIB}\n`,
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': `${3 * GIB}\n`,
      '/sys/fs/cgroup/memory/memory.stat': `inactive_file 1\ntotal_inactive_file ${GIB}\n`,
    });
    expect(freeMemory(read)).toBe(2 * GIB);
  });

  it('is not bound by a group without a limit', () => {
    const read = files({
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '4:memory:/\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': `${9 * GIB}\n`,
    });
    expect(freeMemory(read)).toBe(8 * GIB);
  });

  it('is what the system says where none of these files is, as on macOS and Windows', () => {
    const free = freeMemory(files({}));
    expect(free).toBeGreaterThan(0);
    expect(Number.isInteger(free)).toBe(true);
  });

  it('can be read on this machine', () => {
    expect(freeMemory()).toBeGreaterThan(0);
  });
});

function files(contents: Readonly<Record<string, string>>): (path: string) => string | undefined {
  return (path) => contents[path];
}
