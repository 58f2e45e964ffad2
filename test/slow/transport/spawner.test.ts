import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeAbandonedFolders } from '../../../src/transport/owned-folder.ts';
import { readProcEntryNow } from '../../../src/transport/proc-files.ts';
import { type SpawnerUse, useSpawner } from '../../../src/transport/spawner-use.ts';
import { openBy } from '../../../src/transport/subprocess-transport.ts';
import type { LaunchPlan } from '../../../src/transport/transport.ts';
import { fixturePath, open, planOf } from './open-fixture.ts';
import { isRunning, runningWithMark } from './process-probe.ts';

const NOTHING_SEEN = { exitCode: null, signal: null, isUnseen: true };

describe('a spawner that is lost', () => {
  it('leaves whom it started at work, and their end is told as one that nobody saw (P1, P5)', async () => {
    const { start } = use();
    const subject = await start(planOf('/bin/cat'));
    end(spawnerOf(subject.pid));

    await subject.write('still here\n');
    await subject.heard('still here\n');
    subject.endInput();

    expect(await subject.finished).toEqual(NOTHING_SEEN);
    expect(await subject.killTree(10_000)).toEqual({ killed: [], survivors: [] });
  });

  it('is followed by another one for the next start', async () => {
    const { start } = use();
    const first = await start(planOf('/bin/cat'));
    const lost = spawnerOf(first.pid);
    end(lost);
    await expect.poll(() => isRunning(lost)).toBe(false);
    // This process may hear of the loss a little later than it is to be seen, and does such a start itself.
    const spawnerOfNext = async () => {
      const next = await start(planOf('/bin/cat'));
      const spawner = spawnerOf(next.pid);
      next.endInput();
      expect(await next.finished).toEqual({ exitCode: 0, signal: null });
      return spawner;
    };
    await expect.poll(spawnerOfNext).toSatisfy((spawner) => spawner !== lost && spawner !== process.pid);
  });

  it('does not keep the tree of a process from being ended (P1)', async () => {
    const { start } = use();
    const subject = await start(planOf('/bin/sh', ['-c', 'setsid sleep 1000 & exec sleep 1000']));
    end(spawnerOf(subject.pid));
    await expect.poll(() => runningWithMark(subject.plan.mark).length).toBe(2);
    const { survivors } = await subject.killTree(10_000);
    expect(survivors).toEqual([]);
    expect(await subject.finished).toEqual(NOTHING_SEEN);
    expect(runningWithMark(subject.plan.mark)).toEqual([]);
  });

  it('is one loss, however many starts were under way: the next ones have another', async () => {
    const { start } = use();
    const first = await start(planOf('/bin/cat'));
    const lost = spawnerOf(first.pid);
    const many = Array.from({ length: 12 }, () => start(planOf('/bin/cat')));
    end(lost);
    for (const one of await Promise.all(many)) expect(runningWithMark(one.plan.mark)).toEqual([one.pid]);
    const next = await start(planOf('/bin/cat'));
    expect([lost, process.pid]).not.toContain(spawnerOf(next.pid));
  });

  it('is not one whose host stood still itself, nor one that has much to do (P5)', async () => {
    const { start } = use({ answerMs: 1_500 });
    const first = await start(planOf('/bin/cat'));
    const spawner = spawnerOf(first.pid);
    const many = Array.from({ length: 150 }, () => start(planOf('/bin/cat')));
    await new Promise((resolve) => setImmediate(resolve));
    for (const until = performance.now() + 2_000; performance.now() < until; );
    const parents = (await Promise.all(many)).map(({ pid }) => spawnerOf(pid));
    expect(new Set(parents)).toEqual(new Set([spawner]));
  });

  it('does not keep a start waiting: it is done without it, once (P5)', async () => {
    const { start } = use({ answerMs: 3_000 });
    const first = await start(planOf('/bin/cat'));
    const stopped = spawnerOf(first.pid);
    process.kill(stopped, 'SIGSTOP');

    const second = await start(planOf('/bin/cat'));

    expect(spawnerOf(second.pid)).toBe(process.pid);
    expect(runningWithMark(second.plan.mark)).toEqual([second.pid]);
    await expect.poll(() => isRunning(stopped)).toBe(false);
    second.endInput();
    expect(await second.finished).toEqual({ exitCode: 0, signal: null });
  });

  it('does not keep an end waiting that it does not tell (P5)', async () => {
    const { start } = use({ answerMs: 3_000 });
    const subject = await start(planOf('/bin/cat'));
    process.kill(spawnerOf(subject.pid), 'SIGSTOP');
    expect((await subject.killTree(10_000)).survivors).toEqual([]);
    expect(await subject.finished).toEqual(NOTHING_SEEN);
  });
});

describe('a spawner', () => {
  it('passes on what this process would: after a change of it there is another one, and both tell how theirs end', async () => {
    const { start } = use();
    const before = await start(planOf('/bin/sh', ['-c', 'read line; exit 7']));
    const mask = process.umask(0o027);
    onTestFinished(() => void process.umask(mask));
    const after = await start(planOf('/bin/sh', ['-c', 'umask; read line; exit 8']));
    await after.heard('\n');
    expect(Number.parseInt(after.text(), 8)).toBe(0o027);
    expect(spawnerOf(after.pid)).not.toBe(spawnerOf(before.pid));
    await Promise.all([before.write('go\n'), after.write('go\n')]);
    expect(await before.finished).toEqual({ exitCode: 7, signal: null });
    expect(await after.finished).toEqual({ exitCode: 8, signal: null });
  });

  it('tells why a program cannot be started as this process would', async () => {
    const { start } = use();
    const folder = mkdtempSync(join(tmpdir(), 'spawner-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const script = join(folder, 'claude');
    writeFileSync(script, '#!/no/such/interpreter\n');
    chmodSync(script, 0o755);
    await expect(start(planOf(script))).rejects.toMatchObject({ code: 'CLI_WRONG_FORMAT' });
    // And goes on with the next.
    const next = await start(planOf('/bin/true'));
    expect(await next.finished).toEqual({ exitCode: 0, signal: null });
  });

  it('starts forty at once, each with its own pipes', async () => {
    const { start } = use();
    const forty = await Promise.all(Array.from({ length: 40 }, (_, n) => start(planOf('/bin/echo', [`number ${n}`]))));
    const ends = await Promise.all(forty.map((one) => one.finished));
    expect(forty.map((one) => one.text())).toEqual(forty.map((_, n) => `number ${n}\n`));
    expect(new Set(ends.map(({ exitCode }) => exitCode))).toEqual(new Set([0]));
  });

  it('keeps its variables to those it starts: it has none itself (P11)', async () => {
    const { start } = use();
    const subject = await start(planOf('/bin/cat', [], { env: { SECRET_OF_ONE: 'x' } }));
    expect(readFileSync(`/proc/${subject.pid}/environ`, 'utf8')).toContain('SECRET_OF_ONE=x');
    // What Node itself tells it: where its channel is.
    const own = readFileSync(`/proc/${spawnerOf(subject.pid)}/environ`, 'utf8').split('\0');
    expect(own.filter((one) => one !== '' && !one.startsWith('NODE_CHANNEL_'))).toEqual([]);
  });

  it('ends with the last one who uses it, and its folder with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spawner-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [one, other] = [use({ folder }), use({ folder })];
    const subject = await one.start(planOf('/bin/cat'));
    const pid = spawnerOf(subject.pid);
    subject.endInput();
    await subject.finished;
    one.end();
    expect(isRunning(pid)).toBe(true);
    other.end();
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the host of a spawner', () => {
  it('is left by nobody when it is killed: the process reads the end of its input, the spawner goes (P1)', async () => {
    const { host, told, mark, folder } = await hostThat('always', 'stay');
    const [{ pid, parent, isOurs }] = told;
    expect(isOurs).toBe(false);
    host.kill('SIGKILL');
    await expect.poll(() => [pid, parent].filter(isRunning)).toEqual([]);
    expect(runningWithMark(mark)).toEqual([]);
    expect(await removeAbandonedFolders(folder)).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes everybody along by process.exit (P1)', async () => {
    const { told, mark, folder, left } = await hostThat('always', 'exit');
    expect(await left).toBe(3);
    await expect.poll(() => told.flatMap(({ pid, parent }) => [pid, parent]).filter(isRunning)).toEqual([]);
    expect(runningWithMark(mark)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes those along whose start was under way (P1)', async () => {
    const { mark, left } = await hostThat('always', 'exit-midway');
    expect(await left).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(runningWithMark(mark)).toEqual([]);
  });

  it('is not kept alive by a spawner with nothing to tell', async () => {
    const { left } = await hostThat('always', 'leave');
    expect(await left).toBe(0);
  });

  it('starts processes itself while it is small, and by a spawner once it is big (auto)', async () => {
    const { told, left } = await hostThat('auto', 'grow');
    expect(told.map(({ isOurs }) => isOurs)).toEqual([true, false]);
    expect(await left).toBe(0);
  });
});

interface Told {
  readonly pid: number;
  readonly parent: number;
  readonly isOurs: boolean;
}

async function hostThat(mode: string, then: string) {
  const folder = mkdtempSync(join(tmpdir(), 'spawner-'));
  const mark = `test:${randomUUID()}`;
  const host = spawn(process.execPath, [fixturePath('spawner-host.mjs'), mode, mark, folder, then]);
  onTestFinished(() => {
    host.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const left = new Promise<number | null>((resolve) => host.once('exit', resolve));
  const line = await new Promise<string>((resolve, reject) => {
    let said = '';
    host.stderr.on('data', (bytes) => reject(new Error(String(bytes))));
    host.stdout.on('data', (bytes) => {
      said += String(bytes);
      if (said.endsWith('\n')) resolve(said);
    });
  });
  const told: [Told, ...Told[]] = JSON.parse(line).filter((one: Told | null) => one !== null);
  return { host, told, mark, folder, left };
}

function use(options: { folder?: string; answerMs?: number } = {}) {
  const spawner: SpawnerUse = useSpawner('always', { folder: tmpdir(), ...options });
  onTestFinished(spawner.end);
  const start = (plan: LaunchPlan) => open(plan, { by: (...one) => openBy(spawner.start, ...one) });
  return { start, end: spawner.end };
}

function spawnerOf(pid: number): number {
  return readProcEntryNow(pid)?.parentPid ?? 0;
}

function end(pid: number): void {
  process.kill(pid, 'SIGKILL');
}
