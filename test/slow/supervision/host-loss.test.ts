import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SupervisorOptions } from '../../../src/index.ts';
import { startHost } from '../../chaos/host-program.ts';
import { ANSWER_INITIALIZE, isAlive, newSupervisor, processesOf, script } from '../session/stage.ts';

const STUBBORN = ["trap '' TERM", ...ANSWER_INITIALIZE, 'while :; do sleep 1; done'];
const WATCHED: SupervisorOptions = { reap: 'off', onHostLost: 'end' };
const GONE = { timeout: 30_000 };

describe('a host with onHostLost: end (P1, R49)', () => {
  it('has what it leaves behind ended as soon as it is killed, and its watch goes, too', async () => {
    const { host, id, watch } = await watchedHost();
    host.kill('SIGKILL');
    await host.ended;
    await expect.poll(() => processesOf(id), GONE).toEqual([]);
    await expect.poll(() => watch.filter(isAlive), GONE).toEqual([]);
  });

  it.each(['shutdown', 'exit'] as const)('leaves no watch when it ends by %s', async (way) => {
    const { host, watch } = await watchedHost();
    host.say(way);
    expect(await host.ended).toEqual({ code: way === 'exit' ? 3 : 0, signal: null });
    await expect.poll(() => watch.filter(isAlive), GONE).toEqual([]);
  });

  it('has one watch, however many supervisors it has, and none after the last', async () => {
    const supervisors = Array.from({ length: 3 }, () => newSupervisor(WATCHED));
    expect(watchesOf(process.pid)).toHaveLength(1);
    const [first, ...others] = supervisors;
    await Promise.all(others.map((one) => one.shutdown()));
    expect(watchesOf(process.pid)).toHaveLength(1);
    await first?.shutdown();
    await expect.poll(() => watchesOf(process.pid), GONE).toEqual([]);

    const again = newSupervisor(WATCHED);
    expect(watchesOf(process.pid)).toHaveLength(1);
    await again.shutdown();
  });

  it('has a watch that the end of a terminal does not end', async () => {
    const { watch } = await watchedHost();
    const [pid = 0] = watch;
    // The signals are ignored by its first command, which may still be to come.
    await expect.poll(() => ignoredBy(pid), GONE).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM']);
  });
});

async function watchedHost() {
  const id = `watched-${crypto.randomUUID()}`;
  const options = { id, pathToClaudeCodeExecutable: await script(...STUBBORN) };
  const supervisor = { ...WATCHED, timeouts: { closeGraceMs: 200, terminateGraceMs: 200 } };
  const host = startHost({ supervisor, sessions: [{ options }] }, process.env);
  onTestFinished(async () => {
    host.kill('SIGKILL');
    await host.ended;
  });
  await host.heard('ready');
  const watch = watchesOf(host.pid);
  expect(watch).toHaveLength(1);
  return { host, id, watch };
}

function watchesOf(host: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => isAlive(pid) && parentOf(pid) === host && textOf(pid, 'cmdline').includes('lost-host'));
}

function parentOf(pid: number): number {
  return Number(textOf(pid, 'stat').split(') ').at(-1)?.split(' ')[1]);
}

/** From the mask of ignored signals, where the n-th bit stands for signal n + 1. */
function ignoredBy(pid: number): string[] {
  const mask = BigInt(`0x${/^SigIgn:\s+(\w+)$/m.exec(textOf(pid, 'status'))?.[1] ?? '0'}`);
  const numbers = { SIGHUP: 1n, SIGINT: 2n, SIGTERM: 15n };
  return Object.entries(numbers).flatMap(([name, number]) => ((mask >> (number - 1n)) & 1n ? [name] : []));
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
