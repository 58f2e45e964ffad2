import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startDirectly } from '../../../src/transport/direct-child.ts';
import { livingRoot } from '../../../src/transport/living-roots.ts';
import {
  ALL_MARKS,
  NO_MARKS,
  readProcessNow,
  readProcessTable,
  readProcessTableNow,
} from '../../../src/transport/process-table.ts';
import { readPsTable } from '../../../src/transport/ps-table.ts';
import { planOf } from './open-fixture.ts';

describe('the process table', () => {
  it('shows a process with its parent, group, session, start time and mark', async () => {
    const child = await startSleeper();
    const { entries, unreadable } = await readProcessTable(ALL_MARKS);
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
    const { entries } = await readProcessTable(NO_MARKS);
    expect(entries.get(child.pid)?.mark).toBeUndefined();
    await child.end();
  });

  it('has the marks of those who did not begin before the time that is asked for: a child is no older than its parent (P1)', async () => {
    const child = await startSleeper();
    const began = Number((await readProcessTable(NO_MARKS)).entries.get(child.pid)?.startTime);
    expect((await readProcessTable(began)).entries.get(child.pid)?.mark).toBe('test:table');
    expect((await readProcessTable(began + 1)).entries.get(child.pid)?.mark).toBeUndefined();
    await child.end();
  });

  it('shows the roots that this process started without a look at them, until their status was collected (P1)', async () => {
    const env = { TROUPE_SESSION: 'test:root', TROUPE_HOST: 'test:host' };
    const child = await startDirectly(planOf('/bin/sleep', ['1000']), env);
    const known = livingRoot(child.pid);
    expect((await readProcessTable(NO_MARKS)).entries.get(child.pid)).toBe(known);
    expect(readProcessTableNow().entries.get(child.pid)).toEqual(known);
    process.kill(child.pid, 'SIGKILL');
    await child.exited;
    expect(livingRoot(child.pid)).toBeUndefined();
    expect((await readProcessTable(ALL_MARKS)).entries.has(child.pid)).toBe(false);
  });

  it('does not show a process that has ended', async () => {
    const child = await startSleeper();
    await child.end();
    expect((await readProcessTable(ALL_MARKS)).entries.has(child.pid)).toBe(false);
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
