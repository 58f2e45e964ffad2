import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readProcessNow, readProcessTable, readProcessTableNow } from '../../../src/transport/process-table.ts';
import { readPsTable } from '../../../src/transport/ps-table.ts';

describe('the process table', () => {
  it('shows a process with its parent, group, session, start time and mark', async () => {
    const child = await startSleeper();
    const { entries, unreadable } = await readProcessTable(true);
    expect(unreadable).toBe(0);
    expect(entries.get(child.pid)).toMatchObject({
      pid: child.pid,
      parentPid: process.pid,
      groupId: child.pid,
      sessionId: child.pid,
      mark: 'test:table',
    });
    expect(readProcessTableNow().entries.get(child.pid)).toMatchObject(entries.get(child.pid) ?? {});
    expect(readProcessNow(child.pid)).toMatchObject({ startTime: entries.get(child.pid)?.startTime });
    await child.end();
  });

  it('has no marks when none were asked for', async () => {
    const child = await startSleeper();
    const { entries } = await readProcessTable(false);
    expect(entries.get(child.pid)?.mark).toBeUndefined();
    await child.end();
  });

  it('does not show a process that has ended', async () => {
    const child = await startSleeper();
    await child.end();
    expect((await readProcessTable(true)).entries.has(child.pid)).toBe(false);
    expect(readProcessNow(child.pid)).toBeUndefined();
  });

  it('says the same by ps, without marks', async () => {
    const child = await startSleeper();
    const { entries } = await readPsTable();
    expect(entries.get(child.pid)).toMatchObject({ parentPid: process.pid, groupId: child.pid, mark: undefined });
    await child.end();
  });
});

async function startSleeper(): Promise<{ pid: number; end(): Promise<void> }> {
  const env = { ...process.env, TROUPE_SESSION: 'test:table' };
  const child = spawn('/bin/sleep', ['1000'], { detached: true, stdio: 'ignore', env });
  await once(child, 'spawn');
  const end = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { pid: child.pid ?? 0, end };
}
