import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SupervisorOptions } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type HostProgram, startHost } from '../../chaos/host-program.ts';
import { isAlive, newFake, processesOf } from '../session/stage.ts';

const DEAF = { atStart: [step.ignore('eof'), step.ignore('SIGTERM')] };
const SUPERVISOR: SupervisorOptions = { onHostSignal: 'shutdown', reap: 'off' };

describe('a host with onHostSignal: shutdown (P1, R52)', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('closes its sessions at %s and dies of it', async (signal) => {
    const { host, pids, temporary } = await running({});
    host.kill(signal);

    expect(await host.ended).toEqual({ code: null, signal });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(host.facts.filter(({ type }) => type === 'ended')).toEqual([
      expect.objectContaining({ reason: 'closed' }),
      expect.objectContaining({ reason: 'closed' }),
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('lets a prompt have its outcome before it dies (P2)', async () => {
    const { host } = await running({ rules: [on(when.prompt('hello'), step.hang())] }, { prompt: 'hello' });
    await host.heard('accepted');
    host.kill('SIGTERM');
    await host.ended;
    expect(host.facts.filter(({ type }) => type === 'outcome')).toHaveLength(2);
  });

  it('kills after hostSignalMs what is left (P5)', async () => {
    const timeouts = { closeGraceMs: 60_000, hostSignalMs: 300 };
    const { host, pids } = await running(DEAF, { supervisor: { ...SUPERVISOR, timeouts } });
    host.kill('SIGTERM');
    expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('kills what is left at once when it is told twice, and dies of the second', async () => {
    const timeouts = { closeGraceMs: 60_000, hostSignalMs: 60_000 };
    const { host, pids } = await running(DEAF, { supervisor: { ...SUPERVISOR, timeouts } });
    host.kill('SIGTERM');
    await host.heard('closing');
    host.kill('SIGINT');
    expect(await host.ended).toEqual({ code: null, signal: 'SIGINT' });
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

describe("a host with onHostSignal: 'drain' (P2, R49)", () => {
  const DRAIN: SupervisorOptions = { onHostSignal: 'drain', reap: 'off' };

  it('lets the turns that run be completed, then dies of the signal, and leaves no process (P1)', async () => {
    const rules = [on(when.prompt('hello'), step.delay(700), step.fallThrough())];
    const { host, pids } = await running({ rules }, { prompt: 'hello', supervisor: DRAIN });
    await host.heard('accepted');
    host.kill('SIGTERM');

    expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' });
    const outcomes = host.facts.flatMap((fact) => (fact.type === 'outcome' ? [fact.outcome] : []));
    expect(outcomes).toEqual(['completed', 'completed']);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('interrupts after drainMs what hangs, and is gone by its deadlines (P5)', async () => {
    const timeouts = { drainMs: 100, drainInterruptMs: 200, drainCloseMs: 200, closeGraceMs: 60_000 };
    const hang = { ...DEAF, rules: [on(when.prompt('hello'), step.hang())] };
    const { host, pids } = await running(hang, { prompt: 'hello', supervisor: { ...DRAIN, timeouts } });
    await host.heard('accepted');
    host.kill('SIGTERM');

    expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' });
    const outcomes = host.facts.flatMap((fact) => (fact.type === 'outcome' ? [fact.outcome] : []));
    expect(outcomes).toEqual(['interrupted', 'interrupted']);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('kills what is left at the second signal, in the middle of a turn', async () => {
    const hang = { ...DEAF, rules: [on(when.prompt('hello'), step.hang())] };
    const { host, pids } = await running(hang, { prompt: 'hello', supervisor: DRAIN });
    await host.heard('accepted');
    host.kill('SIGTERM');
    await host.heard('phase', ({ phase }) => phase === 'finishing-turns');
    host.kill('SIGINT');

    expect(await host.ended).toEqual({ code: null, signal: 'SIGINT' });
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

describe('a host without it', () => {
  it('dies of the signal at once, as if Troupe were not there; its CLIs read the end of their input', async () => {
    const { host, ids } = await running({}, { supervisor: { reap: 'off' } });
    host.kill('SIGTERM');
    expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' });
    await expect.poll(() => ids.flatMap(processesOf), { timeout: 20_000 }).toEqual([]);
  });
});

interface Setting {
  readonly supervisor?: SupervisorOptions;
  readonly prompt?: string;
}

/** A host with two ready sessions of such a CLI. */
async function running(scenario: Parameters<typeof newFake>[0], { supervisor = SUPERVISOR, prompt }: Setting = {}) {
  const { path } = await newFake(scenario);
  const temporary = mkdtempSync(join(tmpdir(), 'host-signals-'));
  const ids = ['a', 'b'].map((name) => `${name}-${temporary.slice(-6)}`);
  const sessions = ids.map((id) => ({
    options: { id, pathToClaudeCodeExecutable: path, settings: { env: {} } },
    prompts: prompt === undefined ? [] : [{ id: crypto.randomUUID(), text: prompt }],
  }));
  const host: HostProgram = startHost({ supervisor, sessions }, { PATH: process.env['PATH'], TMPDIR: temporary });
  onTestFinished(async () => {
    host.kill('SIGKILL');
    await host.ended;
    rmSync(temporary, { recursive: true, force: true });
  });
  const ready = await Promise.all(ids.map((id) => host.heard('ready', ({ sessionId }) => sessionId === id)));
  return { host, ids, temporary, pids: ready.map(({ pid }) => pid) };
}
