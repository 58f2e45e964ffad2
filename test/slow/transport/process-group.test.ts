import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProcessTree } from '../../../src/transport/process-tree.ts';

const EMPTY = { entries: new Map(), vanished: 0, unreadable: 0 };

describe('a host that exits where the process table cannot be read', () => {
  it('ends the process group of the CLI (P1)', async () => {
    const { child, pid, isAlive } = await startGroup();
    const tree = createProcessTree({ pid, startTime: undefined, mark: 'test:group', isAlive });
    expect(tree.killIn(EMPTY)).toEqual([pid]);
    // The pipe ends with the last member of the group: its leader alone holds it no longer.
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
  });

  it('signals nobody when the CLI has ended: its number may be that of another group by now', async () => {
    const { child, pid } = await startGroup();
    const tree = createProcessTree({ pid, startTime: undefined, mark: 'test:group', isAlive: () => false });
    expect(tree.killIn(EMPTY)).toEqual([]);
    expect(child.signalCode).toBeNull();
    process.kill(-pid, 'SIGKILL');
    await once(child, 'close');
  });
});

/** A shell that leads a group with a child in it; both hold its output. */
async function startGroup() {
  const child = spawn('/bin/sh', ['-c', 'sleep 300 & echo ready; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  return { child, pid: child.pid ?? 0, isAlive: () => child.exitCode === null && child.signalCode === null };
}
