import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixturePath, open, planOf } from './open-fixture.ts';
import { isRunning, runningWithMark } from './process-probe.ts';

describe('a host that goes down', () => {
  it.each([
    ['by process.exit', 'exit', 0],
    ['by an uncaught exception', 'throw', 1],
  ])('%s leaves nobody of its sessions behind (P1)', async (_case, way, code) => {
    const mark = `test:${randomUUID()}`;
    const folder = mkdtempSync(join(tmpdir(), 'host-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'settings.json');
    writeFileSync(file, '{}');

    const host = await runHost([way, mark, file]);

    expect(host.code).toBe(code);
    const family: Record<string, number> = JSON.parse(host.output);
    expect(Object.keys(family)).toHaveLength(6);
    // A killed process needs a moment to go, and nobody is left who waits for it.
    await expect.poll(() => [...Object.values(family).filter(isRunning), ...runningWithMark(mark)]).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it('stays answerable for a process that was not seen gone in time, and no longer than that (PEER test_close_cancellation)', async () => {
    const listeners = process.listenerCount('exit');
    const subject = await open(planOf('/bin/sleep', ['1000']));
    expect(process.listenerCount('exit')).toBe(listeners + 1);

    expect((await subject.killTree(0)).survivors).toEqual([subject.pid]);
    expect(process.listenerCount('exit')).toBe(listeners + 1);

    expect((await subject.killTree(10_000)).survivors).toEqual([]);
    expect(process.listenerCount('exit')).toBe(listeners);
  });
});

function runHost(args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [fixturePath('host.mjs'), ...args], (error, output) => {
      resolve({ code: error === null ? 0 : Number(error.code), output });
    });
  });
}
