import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fateOfHost, fateOfProcess, ownHostMark } from '../../../src/transport/host-mark.ts';
import { readProcessNow } from '../../../src/transport/process-table.ts';

const OWN = ownHostMark() ?? '';

describe('the name of a host', () => {
  it('is that of this process: pid, start time, boot and namespaces', () => {
    const entry = readProcessNow(process.pid);
    const startTime = entry === 'unknown' ? undefined : entry?.startTime;
    expect(OWN).toMatch(new RegExp(`^${process.pid}:${startTime}:[0-9a-f-]{36}/pid:\\[\\d+\\]/time:`));
    expect(fateOfHost(OWN)).toBe('alive');
  });

  it.each([
    ['a pid that nobody has', OWN.replace(/^\d+/, '5000000')],
    ['a pid that was given to somebody else', OWN.replace(/^(\d+):\d+/, '$1:1')],
  ])('with %s says that the host is gone', (_case, mark) => {
    expect(fateOfHost(mark)).toBe('gone');
  });

  it.each([
    ['of another boot', OWN.replace(/:[0-9a-f-]{36}/, ':00000000-0000-0000-0000-000000000000')],
    ['of another container', OWN.replace(/pid:\[\d+\]/, 'pid:[1]')],
    ['that is none', 'somebody'],
    ['that is empty', ''],
    ['with a pid that is no number', OWN.replace(/^\d+/, '1e3')],
  ])('%s says nothing, also where its pid is free', (_case, mark) => {
    expect(fateOfHost(mark.replace(/^\d+/, '5000000'))).toBe('unknown');
  });
});

describe('the fate of a process', () => {
  it('is to be gone as soon as it has ended, also as a zombie that nobody collects', async () => {
    // The shell becomes a program that never waits for its child.
    const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 300'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [pid] = (await once(parent.stdout, 'data')).map(Number);
    await expect.poll(() => fateOfProcess(pid ?? 0, 'any')).toBe('gone');
    const entry = readProcessNow(parent.pid ?? 0);
    expect(entry).toMatchObject({ pid: parent.pid });
    expect(fateOfProcess(parent.pid ?? 0, entry === 'unknown' ? '' : (entry?.startTime ?? ''))).toBe('alive');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
});
