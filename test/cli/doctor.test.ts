import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkCli, checkLogin, checkRelease } from '../../src/cli/doctor/cli-checks.ts';
import { type Finding, findingText } from '../../src/cli/doctor/finding.ts';
import { checkMcpFiles, checkPort, checkStoreFile } from '../../src/cli/doctor/place-checks.ts';
import { checkLimits, checkMemory, checkNode } from '../../src/cli/doctor/system-checks.ts';
import { COLORLESS } from '../../src/cli/terminal/style.ts';
import { TroupeError } from '../../src/errors.ts';

/** Stands for every secret: it must be in no finding. */
const CANARY = 'sk-ant-canary-0123456789';
const GIB = 2 ** 30;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-doctor-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const statusOf = (findings: Finding | readonly Finding[]) =>
  [findings].flat().map(({ check, status }) => `${check} ${status}`);

describe('troupe doctor', () => {
  it('looks for the CLI, and says how to get one', async () => {
    const host = { env: { PATH: folder }, cwd: folder, execPath: process.execPath };
    const [finding] = await checkCli(undefined, host);

    expect(finding).toMatchObject({ check: 'cli', status: 'problem', remedy: expect.stringContaining('npm install') });
  });

  it.each([
    ['1.0.10', 'problem'],
    ['1.0.60', 'ok'],
    ['2.1.250', 'ok'],
    ['2.1.332', 'ok'],
    ['2.2.0', 'warning'],
    ['10.0.0', 'warning'],
  ])('says whether release %s is known: %s', (version, status) => {
    expect(checkRelease(version).status).toBe(status);
  });

  it('says whether there is a login, by the name of its variable or by its file, and reads neither (P11)', () => {
    const home = { HOME: folder };
    expect(checkLogin({ ...home, ANTHROPIC_API_KEY: CANARY })).toMatchObject({
      status: 'ok',
      message: 'ANTHROPIC_API_KEY is set',
    });
    expect(checkLogin({ ...home, ANTHROPIC_API_KEY: '' }).status).not.toBe('ok');

    const path = join(folder, '.claude/.credentials.json');
    mkdirSync(join(folder, '.claude'));
    writeFileSync(path, CANARY, { mode: 0o600 });
    expect(checkLogin(home)).toMatchObject({ status: 'ok', message: expect.stringContaining(path) });
    expect(JSON.stringify(checkLogin(home))).not.toContain(CANARY);
    chmodSync(path, 0o644);
    expect(checkLogin(home)).toMatchObject({ status: 'warning', remedy: `chmod 600 ${path}` });
    writeFileSync(path, '');
    expect(checkLogin(home).status).toBe('problem');
  });

  it('finds servers of type sdk without a name, which the CLI drops or ends with (WIRE §3)', () => {
    const path = join(folder, '.mcp.json');
    expect(checkMcpFiles([], folder)).toEqual([]);
    writeFileSync(path, JSON.stringify({ mcpServers: { calc: { type: 'sdk' }, good: { type: 'sdk', name: 'good' } } }));
    expect(checkMcpFiles([], folder)).toEqual([
      expect.objectContaining({ status: 'problem', message: expect.stringMatching(/without a "name": calc$/) }),
    ]);
    writeFileSync(path, JSON.stringify({ mcpServers: { calc: { type: 'stdio', env: { KEY: CANARY } } } }));
    expect(statusOf(checkMcpFiles([], folder))).toEqual(['mcp ok']);
    expect(JSON.stringify(checkMcpFiles([], folder))).not.toContain(CANARY);
    writeFileSync(path, 'none');
    expect(statusOf(checkMcpFiles([path, join(folder, 'missing')], folder))).toEqual(['mcp problem', 'mcp problem']);
  });

  it('sets free memory against the sessions that may run', () => {
    const memory = (free: number) =>
      checkMemory({
        maxSessions: 20,
        inotifyInUse: () => 0,
        read: (path) => (path === '/proc/meminfo' ? `MemAvailable: ${free / 1024} kB\n` : undefined),
      });

    expect([memory(8 * GIB), memory(GIB), memory(GIB / 8)].map(({ status }) => status)).toEqual([
      'ok',
      'warning',
      'problem',
    ]);
    expect(memory(GIB).remedy).toContain('--max-sessions 5');
  });

  it('sets the limits of files, processes and inotify against them, and leaves out what the system does not tell', () => {
    const limits = (files: string, pids: string, instances: string, inotifyInUse = 0) =>
      checkLimits({
        maxSessions: 20,
        inotifyInUse: () => inotifyInUse,
        read: (path) =>
          ({
            '/proc/self/limits': `Max processes             unlimited            unlimited  processes\nMax open files            ${files}                 4096  files\n`,
            '/sys/fs/cgroup/pids.max': pids,
            '/proc/sys/fs/inotify/max_user_instances': instances,
          })[path],
      });

    expect(statusOf(limits('4096', 'max\n', '128\n'))).toEqual(['files ok', 'processes ok', 'inotify ok']);
    expect(statusOf(limits('256', '100\n', '128\n', 120))).toEqual([
      'files warning',
      'processes warning',
      'inotify warning',
    ]);
    expect(statusOf(limits('unlimited', '100000', '128\n', 128))).toEqual([
      'files ok',
      'processes ok',
      'inotify problem',
    ]);
    expect(
      checkLimits({ maxSessions: 20, inotifyInUse: () => 0, read: () => undefined }).filter(
        ({ check }) => check !== 'processes',
      ),
    ).toEqual([]);
  });

  it('knows the oldest Node, and says what is missing without a driver of the store', () => {
    const none = () => {
      throw new TroupeError('STORE_DRIVER_MISSING');
    };
    expect(statusOf(checkNode('20.18.3', () => {}))).toEqual(['node problem']);
    expect(statusOf(checkNode('20.19.0', () => {}))).toEqual(['node ok']);
    expect(statusOf(checkNode('24.1.0', none))).toEqual(['node ok', 'sqlite warning']);
  });

  it('says whether the port is free, and which run files are of no use', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    const env = { HOME: folder };
    expect(statusOf(await checkPort(port, env))).toEqual(['port warning']);
    await new Promise((resolve) => taken.close(resolve));
    const runs = join(folder, '.local/state/troupe/run');
    mkdirSync(runs, { recursive: true, mode: 0o700 });
    const file = { version: 1, url: `http://127.0.0.1:${port}`, token: CANARY, startedAt: 0 };
    writeFileSync(join(runs, 'serve-1.json'), JSON.stringify({ ...file, pid: 2 ** 30 }), { mode: 0o600 });
    expect(statusOf(await checkPort(port, env))).toEqual(['port ok', 'run-file warning']);
    writeFileSync(join(runs, 'serve-2.json'), JSON.stringify({ ...file, pid: process.pid }), { mode: 0o600 });
    const findings = await checkPort(port, env);
    expect(findings[0]?.message).toContain(`pid ${process.pid}`);
    expect(JSON.stringify(findings)).not.toContain(CANARY);
  });

  it('says what is wrong with the file of a store', () => {
    const path = join(folder, 'none.db');
    expect(checkStoreFile(path)).toMatchObject({ status: 'problem', message: expect.stringContaining(path) });
    writeFileSync(path, 'no database at all, but long enough to be looked at: '.repeat(50));
    expect(checkStoreFile(path).status).toBe('problem');
  });

  it('shows what to do below each finding that is not well', () => {
    expect(
      findingText({ check: 'cli', status: 'problem', message: 'none\u001b[2J', remedy: 'get one' }, COLORLESS),
    ).toBe('✗ cli        none\ufffd[2J\n             → get one');
  });
});
