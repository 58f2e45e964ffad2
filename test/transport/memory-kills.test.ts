import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { countMemoryKills } from '../../src/transport/memory-kills.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('the kills that the kernel counts', () => {
  it.each([
    [
      'cgroup v2',
      '0::/user/cli.scope\n',
      'user/cli.scope/memory.events',
      'low 0\noom 3\noom_kill 3\noom_group_kill 0\n',
    ],
    ['cgroup v2, its own root in a container', '0::/../elsewhere\n', 'memory.events', 'oom 3\noom_kill 3\n'],
    [
      'cgroup v1',
      '8:pids:/a\n4:cpu,memory:/a/b\n0::/\n',
      'memory/a/b/memory.oom_control',
      'oom_kill_disable 0\noom_kill 3\n',
    ],
    ['cgroup v1 in a container', '4:memory:/docker/x\n', 'memory/memory.oom_control', 'under_oom 0\noom_kill 3\n'],
  ])('are those since the process began: %s', (_, membership, file, content) => {
    const kernel = machine({ 'proc/7/cgroup': membership, [`groups/${file}`]: content });

    const kills = countMemoryKills(7, kernel.folders);
    expect(kills()).toBe(0);

    kernel.write(`groups/${file}`, content.replace('oom_kill 3', 'oom_kill 5'));
    expect(kills()).toBe(2);
  });

  it('are those of its own group, not of another one', () => {
    const kernel = machine({
      'proc/7/cgroup': '0::/mine\n',
      'groups/mine/memory.events': 'oom_kill 1\n',
      'groups/memory.events': 'oom_kill 1\n',
    });
    const kills = countMemoryKills(7, kernel.folders);
    kernel.write('groups/memory.events', 'oom_kill 9\n');
    expect(kills()).toBe(0);
  });

  it('are none where nothing counts, where the process is gone, and when its group went with it', () => {
    const uncounted = machine({ 'proc/7/cgroup': '0::/\n' });
    expect(countMemoryKills(7, uncounted.folders)()).toBe(0);
    expect(countMemoryKills(8, uncounted.folders)()).toBe(0);

    const scope = machine({ 'proc/7/cgroup': '0::/scope\n', 'groups/scope/memory.events': 'oom_kill 4\n' });
    const kills = countMemoryKills(7, scope.folders);
    rmSync(join(scope.folders.groups, 'scope'), { recursive: true });
    expect(kills()).toBe(0);
  });
});

function machine(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'troupe-kernel-'));
  made.push(root);
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { folders: { processes: join(root, 'proc'), groups: join(root, 'groups') }, write };
}
