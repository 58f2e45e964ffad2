import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { OBEDIENT_PROGRAM, transportConformance } from '../../../src/testing/transport-conformance.ts';
import { startByExeca, startDirectly } from '../../../src/transport/direct-child.ts';
import { type SpawnerUse, useSpawner } from '../../../src/transport/spawner-use.ts';
import { KEPT_PIPES_MS, openBy, openSubprocess } from '../../../src/transport/subprocess-transport.ts';
import type { LaunchPlan, OpenTransport } from '../../../src/transport/transport.ts';
import { fixturePath, type OpenOptions, open as openFixture, planFor, planOf } from './open-fixture.ts';
import { countSockets, isRunning, runningWithMark } from './process-probe.ts';

const MIB = 1024 * 1024;
let spawner: SpawnerUse | undefined;
const openSpawned: OpenTransport = (...one) => openBy(spawner?.start ?? startDirectly, ...one);
afterAll(() => spawner?.end());

const uncaught: unknown[] = [];
const noteUncaught = (error: unknown): void => void uncaught.push(error);
process.on('uncaughtException', noteUncaught);
process.on('unhandledRejection', noteUncaught);
afterAll(() => {
  process.off('uncaughtException', noteUncaught);
  process.off('unhandledRejection', noteUncaught);
  expect(uncaught).toEqual([]);
});

describe('a transport to a subprocess', () => {
  const plan = () => planOf(process.execPath, ['-e', OBEDIENT_PROGRAM]);
  for (const { name, run } of transportConformance({ open: openSubprocess, plan })) it(name, run);
});

describe('a transport to a subprocess of a spawner', () => {
  beforeAll(() => {
    spawner = useSpawner('always', { folder: tmpdir() });
  });
  afterAll(() => {
    spawner?.end();
    spawner = undefined;
  });

  const plan = () => planOf(process.execPath, ['-e', OBEDIENT_PROGRAM]);
  for (const { name, run } of transportConformance({ open: openSpawned, plan })) it(name, run);
});

describe('a transport to a subprocess that was started as on Windows', () => {
  const plan = () => planOf(process.execPath, ['-e', OBEDIENT_PROGRAM]);
  const open: OpenTransport = (...one) => openBy(startByExeca, ...one);
  for (const { name, run } of transportConformance({ open, plan })) it(name, run);
});

describe.each([
  { way: 'by this process', by: openSubprocess },
  { way: 'by a spawner', by: openSpawned },
])('a subprocess that is started $way', ({ by }) => {
  beforeAll(() => {
    if (by === openSpawned) spawner ??= useSpawner('always', { folder: tmpdir() });
  });

  const open = (plan: LaunchPlan, options: OpenOptions = {}) => openFixture(plan, { by, ...options });

  describe('reading a subprocess', () => {
    it('delivers 20 MiB of a process that exits at once to a reader that was paused (R13)', async () => {
      let tellBegun = (): void => {};
      const begun = new Promise<void>((resolve) => {
        tellBegun = resolve;
      });
      const subject = await open(planFor('flood.mjs', ['1', String(20 * MIB), 'tail']), {
        onStderr: () => tellBegun(),
      });
      subject.pause();
      await begun;
      await new Promise((resolve) => setImmediate(resolve));
      expect(subject.byteCount()).toBe(0);
      subject.resume();
      expect(await subject.finished).toEqual({ exitCode: 0, signal: null });
      expect(subject.byteCount()).toBe(20 * MIB + 4);
      expect(subject.text().endsWith('\ntail')).toBe(true);
    });

    it('delivers nothing to a reader that is paused over the exit, and everything after it (R13)', async () => {
      const subject = await open(planFor('flood.mjs', ['1', String(100 * 1024)]));
      subject.pause();
      await subject.exited;
      await new Promise((resolve) => setImmediate(resolve));
      expect(subject.byteCount()).toBe(0);
      subject.resume();
      await subject.finished;
      expect(subject.byteCount()).toBe(100 * 1024);
    });

    it('delivers a last line without line end and half a frame as they are (R13)', async () => {
      const subject = await open(planOf('/bin/sh', ['-c', `printf '{"type":"result"}'; exit 0`]));
      await subject.finished;
      expect(subject.text()).toBe('{"type":"result"}');
    });

    it('drains 64 MiB of stderr that nobody asked for, in bounded memory (R24)', async () => {
      const plan = planFor('flood.mjs', ['2', String(64 * MIB), 'the end'], { stderrTailBytes: 4096 });
      let lines = 0;
      const before = process.memoryUsage().rss;
      const subject = await by(plan, { output: () => {}, stderr: () => void lines++ });
      onTestFinished(async () => void (await subject.killTree(10_000)));
      await subject.finished;
      expect(process.memoryUsage().rss - before).toBeLessThan(48 * MIB);
      expect(lines).toBe((64 * MIB) / 1024 + 1);
      expect(Buffer.byteLength(subject.stderrTail())).toBe(4096);
      expect(subject.stderrTail().endsWith('\nthe end')).toBe(true);
    });

    it('tells all lines of stderr to a listener that throws at the first (R100)', async () => {
      const plan = planOf('/bin/sh', ['-c', 'for i in 1 2 3 4 5 6 7 8 9 10; do echo "line $i" >&2; done']);
      const subject = await open(plan, {
        onStderr(line) {
          if (line === 'line 1') throw new Error('listener');
        },
      });
      await subject.finished;
      expect(subject.complaints).toHaveLength(10);
    });
  });

  describe('writing to a subprocess', () => {
    it('reads while it writes to a process that talks before it listens (R20)', async () => {
      const subject = await open(planFor('talks-first.mjs'));
      await subject.write(`${'y'.repeat(512 * 1024 - 1)}\n`);
      subject.endInput();
      await subject.finished;
      expect(subject.text().endsWith(`\nread ${512 * 1024}\n`)).toBe(true);
    });

    it('rejects and does not crash when the process exits before it reads (R22)', async () => {
      const subject = await open(planOf('/bin/false'));
      const written = [subject.write(`${'x'.repeat(MIB)}\n`), subject.write('more\n')];
      for (const result of await Promise.allSettled(written)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'CLI_INPUT_CLOSED' } });
      }
      expect(await subject.finished).toEqual({ exitCode: 1, signal: null });
    });

    it('rejects while the process lives on without its input (R22)', async () => {
      const subject = await open(planOf('/bin/sh', [fixturePath('deaf.sh')]));
      await subject.heard('deaf');
      await expect(subject.write(`${'x'.repeat(MIB)}\n`)).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED' });
      expect(isRunning(subject.pid)).toBe(true);
      subject.endInput();
      expect(await subject.finished).toEqual({ exitCode: 0, signal: null });
      expect(subject.stderrTail()).toBe('not logged in\n');
    });

    it('settles every write that is pending when the process is killed (P5)', async () => {
      const subject = await open(planOf('/bin/sleep', ['1000']));
      const written = Promise.allSettled(Array.from({ length: 20 }, () => subject.write(`${'x'.repeat(MIB)}\n`)));
      await subject.killTree(10_000);
      const statuses = (await written).map((result) => result.status);
      expect(statuses).toEqual(Array(20).fill('rejected'));
    });
  });

  describe('ending a subprocess', () => {
    it('ends a process that ignores SIGTERM, SIGINT and the end of its input (R01, R52)', async () => {
      const subject = await open(planFor('stubborn.mjs'));
      await subject.heard('ready');
      subject.endInput();
      subject.signal('SIGTERM');
      subject.signal('SIGINT');
      await Promise.all([subject.heard('end of input'), subject.heard('SIGTERM'), subject.heard('SIGINT')]);
      expect(await subject.killTree(10_000)).toEqual({ killed: [subject.pid], survivors: [] });
      expect(await subject.finished).toEqual({ exitCode: null, signal: 'SIGKILL' });
      expect(isRunning(subject.pid)).toBe(false);
    });

    it('ends the whole tree, whatever group, session or parent its members have (R50, P1)', async () => {
      const stranger = await open(planOf('/bin/sleep', ['1000000']));
      const subject = await open(planFor('family.mjs'));
      await subject.heard('\n');
      const family: Record<string, number> = JSON.parse(subject.text());
      for (const pid of Object.values(family)) expect(isRunning(pid)).toBe(true);

      const report = await subject.killTree(10_000);

      expect(report.survivors).toEqual([]);
      expect(report.killed).toEqual(expect.arrayContaining(Object.values(family)));
      expect(Object.values(family).filter(isRunning)).toEqual([]);
      expect(runningWithMark(subject.plan.mark)).toEqual([]);
      expect(isRunning(stranger.pid)).toBe(true);
      await stranger.killTree(10_000);
    });

    it('ends what a process left behind that was killed before (R50, WIRE §15)', async () => {
      const subject = await open(planFor('family.mjs'));
      await subject.heard('\n');
      const { unmarked, ...marked }: Record<string, number> = JSON.parse(subject.text());
      // Without mark, group and parent nothing tells whose it is: a stated limit, and nobody else will end it here.
      endAtLast(unmarked);
      process.kill(subject.pid, 'SIGKILL');
      await subject.exited;
      expect(runningWithMark(subject.plan.mark).length).toBeGreaterThanOrEqual(4);

      const report = await subject.killTree(10_000);

      expect(report.survivors).toEqual([]);
      expect(Object.values(marked).filter(isRunning)).toEqual([]);
      expect(runningWithMark(subject.plan.mark)).toEqual([]);
      await subject.finished;
    });

    it('finishes although a stranger to the tree holds its pipes open (P5)', async () => {
      const script = `env -i setsid sh -c 'echo $$; exec sleep 1000000' & wait $!`;
      const subject = await open(planOf('/bin/sh', ['-c', `(${script}) & read line; exit 4`]));
      await subject.heard('\n');
      const holder = Number(subject.text());
      endAtLast(holder);
      // Its parent goes first, so that nothing connects it to the tree any more.
      for (const pid of runningWithMark(subject.plan.mark)) if (pid !== subject.pid) process.kill(pid, 'SIGKILL');
      await expect.poll(() => runningWithMark(subject.plan.mark)).toEqual([subject.pid]);
      await subject.write('go\n');
      await subject.exited;
      await subject.killTree(10_000);
      expect(await subject.finished).toEqual({ exitCode: 4, signal: null });
      expect(isRunning(holder)).toBe(true);
    });

    it('keeps descendants when asked to, and lets go of the pipes that they hold', async () => {
      const script = 'setsid sleep 1000000 & echo $!; sleep 1000000 & echo $!';
      const subject = await open(planOf('/bin/sh', ['-c', script], { keepDescendants: true }));
      await subject.exited;
      onTestFinished(() => runningWithMark(subject.plan.mark).forEach(end));
      const startedAt = performance.now();
      expect(await subject.finished).toEqual({ exitCode: 0, signal: null });
      expect(performance.now() - startedAt).toBeLessThan(20 * KEPT_PIPES_MS);

      expect(await subject.killTree(1_000)).toEqual({ killed: [], survivors: [] });
      const kept = runningWithMark(subject.plan.mark);
      expect(kept).toEqual(expect.arrayContaining(subject.text().trim().split('\n').map(Number)));
      expect(kept).toHaveLength(2);
    });

    it('ends the process itself and nobody else when descendants are to be kept', async () => {
      const script = 'sleep 1000000 & echo $!; wait';
      const subject = await open(planOf('/bin/sh', ['-c', script], { keepDescendants: true }));
      await subject.heard('\n');
      const kept = Number(subject.text());
      endAtLast(kept);
      expect(await subject.killTree(10_000)).toEqual({ killed: [subject.pid], survivors: [] });
      expect(await subject.finished).toEqual({ exitCode: null, signal: 'SIGKILL' });
      expect(isRunning(kept)).toBe(true);
    });

    it('shares one sweep among those who ask at the same time', async () => {
      const subject = await open(planOf('/bin/sleep', ['1000']));
      const first = subject.killTree(10_000);
      expect(subject.killTree(10_000)).toBe(first);
      await first;
      expect(subject.killTree(10_000)).not.toBe(first);
    });

    it('removes temporary files once the tree is gone, and after a failed start', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'transport-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const file = join(folder, 'settings.json');
      writeFileSync(file, '{}');
      const subject = await open(planOf('/bin/sleep', ['1000'], { temporaryFiles: [file] }));
      expect(existsSync(file)).toBe(true);
      await subject.killTree(10_000);
      expect(existsSync(file)).toBe(false);

      writeFileSync(file, '{}');
      await expect(open(planOf('/no/such/claude', [], { temporaryFiles: [file] }))).rejects.toThrow();
      expect(existsSync(file)).toBe(false);
    });

    it('leaves no listener, no socket and no process behind fifty at once (R60)', async () => {
      const warm = await open(planOf('/bin/sleep', ['1000']));
      await warm.killTree(10_000);
      const sockets = countSockets();
      const listeners = countListeners();
      const mark = `test:${randomUUID()}`;

      const fifty = await Promise.all(Array.from({ length: 50 }, () => open(planOf('/bin/sleep', ['1000'], { mark }))));
      expect(countSockets()).toBe(sockets + 150);
      // The spawner has the one that serves all.
      expect(countListeners() - listeners).toBe(by === openSpawned ? 0 : 1);
      await Promise.all(fifty.map((one) => one.killTree(20_000)));
      await Promise.all(fifty.map((one) => one.finished));

      expect(countSockets()).toBe(sockets);
      expect(countListeners()).toBe(listeners);
      expect(runningWithMark(mark)).toEqual([]);
    });
  });
});

/** Ends a process that the test itself let loose, also when the test fails. */
function endAtLast(pid = 0): void {
  onTestFinished(() => {
    if (isRunning(pid)) end(pid);
  });
}

function end(pid: number): void {
  process.kill(pid, 'SIGKILL');
}

function countListeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
}
