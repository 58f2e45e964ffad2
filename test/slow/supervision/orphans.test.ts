import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FleetEvent, OrphanEvent, SessionOptions } from '../../../src/index.ts';
import { reapOrphans } from '../../../src/index.ts';
import { type HostProgram, startHost } from '../../chaos/host-program.ts';
import { ANSWER_INITIALIZE, isAlive, newSupervisor, processesOf, script } from '../session/stage.ts';

/** By the seconds they sleep the members of all these families are known, also those without a mark. */
const SLEEP = `sleep 300.${process.pid}`;
/** Neither the end of its input nor SIGTERM ends it, and it has a family: in its group, and far away from it. */
const STUBBORN = [
  "trap '' TERM",
  ...ANSWER_INITIALIZE,
  `${SLEEP} &`,
  `( setsid sh -c 'env -i setsid ${SLEEP} & wait' & ) </dev/null >/dev/null 2>&1`,
  `env -i ${SLEEP} &`,
  'while :; do sleep 1; done',
];

/** Whoever sweeps first on this machine ends the orphans; a test that is about one sweeper tries until it was that one. */
const ATTEMPTS = 8;

describe('what a killed host left behind (P1, R49)', () => {
  it('is ended and told before the first session of the next supervisor starts', async () => {
    const cli = await script(...STUBBORN);
    for (let attempt = 1; ; attempt += 1) {
      const lost = await lostSession(cli);
      const { told, live } = await nextSupervisor(await script(...ANSWER_INITIALIZE, 'read -r x'), lost.id);

      expect(live).toEqual([]);
      expect(lost.family.filter(isAlive)).toEqual([]);
      const own = told.find(({ pid }) => pid === lost.pid);
      // Another one was first, or came between the look and the signal.
      if (!(own?.type === 'orphan.reaped' && own.signal === 'SIGKILL') && attempt < ATTEMPTS) continue;
      expect(own).toMatchObject({
        type: 'orphan.reaped',
        sessionId: lost.id,
        mark: expect.stringMatching(new RegExp(`^${lost.id}:1:`)),
        command: expect.stringMatching(/^\/.*\/(ba|da)?sh$/),
        signal: 'SIGKILL',
      });
      break;
    }
  });

  it('is ended by reapOrphans(), the temporary folder with its secrets too (P11)', async () => {
    const temporary = folder();
    const options = { settings: { env: { API_KEY: 'secret' } } };
    const lost = await lostSession(await script(...STUBBORN), { temporary, options });
    expect(readdirSync(temporary).filter((name) => name.startsWith('troupe-h'))).toHaveLength(1);

    await reapIn(temporary);
    expect(lost.family.filter(isAlive)).toEqual([]);
    expect(processesOf(lost.id)).toEqual([]);
    expect(readdirSync(temporary).filter((name) => name.startsWith('troupe-'))).toEqual([]);
  });

  it('is left alone as long as its host lives, by a second host and by a second supervisor', async () => {
    const temporary = folder();
    const options = { settings: { env: {} } };
    const { host, pid, id, family } = await liveSession(await script(...STUBBORN), { temporary, options });
    const { told } = await nextSupervisor(await script(...ANSWER_INITIALIZE, 'read -r x'), id);
    await reapIn(temporary);

    expect(told).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(readdirSync(temporary).filter((name) => name.startsWith('troupe-h'))).toHaveLength(1);
    host.kill('SIGKILL');
    await host.ended;
    await reapOrphans({ terminateGraceMs: 200 });
    expect([pid, ...family].filter(isAlive)).toEqual([]);
  });

  it('is kept where the session keeps its descendants', async () => {
    const cli = await script(...ANSWER_INITIALIZE, `setsid ${SLEEP} </dev/null >/dev/null 2>&1 &`, 'read -r x');
    const lost = await lostSession(cli, { options: { keepDescendants: true } });
    await reapOrphans({ terminateGraceMs: 200 });
    const [kept] = lost.family.filter(isAlive);
    expect(kept).toBeDefined();
    process.kill(kept ?? 0, 'SIGKILL');
  });

  it('stays where sweeping is off, until somebody asks for it', async () => {
    const lost = await liveSession(await script(...STUBBORN));
    const supervisor = newSupervisor({ reap: 'off' });
    const told = orphansTold(supervisor, lost.id);
    lost.host.kill('SIGKILL');
    await lost.host.ended;
    await supervisor.start({ pathToClaudeCodeExecutable: await script(...ANSWER_INITIALIZE, 'read -r x') });
    expect(told).toEqual([]);

    await supervisor.reapOrphans({ terminateGraceMs: 200, killGraceMs: 10_000 });
    expect(isAlive(lost.pid)).toBe(false);
    await expect(supervisor.reapOrphans({ terminateGraceMs: -1 })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'options.terminateGraceMs' },
    });
  });
});

interface LostOptions {
  readonly temporary?: string;
  readonly options?: SessionOptions;
}

interface LiveSession {
  readonly host: HostProgram;
  readonly id: string;
  readonly pid: number;
  /** The processes that it started, marked or not. */
  readonly family: readonly number[];
}

/** A session in a host of its own, with its whole family there. */
async function liveSession(
  cli: string,
  { temporary = folder(), options = {} }: LostOptions = {},
): Promise<LiveSession> {
  const id = `lost-${randomUUID()}`;
  const session = { options: { id, pathToClaudeCodeExecutable: cli, ...options } };
  const host = startHost({ supervisor: { reap: 'off' }, sessions: [session] }, { ...process.env, TMPDIR: temporary });
  onTestFinished(async () => {
    host.kill('SIGKILL');
    await host.ended;
    await reapOrphans({ terminateGraceMs: 100 });
  });
  const { pid } = await host.heard('ready');
  const size = options.keepDescendants === true ? 1 : 3;
  await expect.poll(() => sleepers().length, { timeout: 10_000 }).toBe(size);
  return { host, id, pid, family: sleepers() };
}

async function lostSession(cli: string, options: LostOptions = {}): Promise<LiveSession> {
  const session = await liveSession(cli, options);
  session.host.kill('SIGKILL');
  await session.host.ended;
  return session;
}

/** Starts one session under a new supervisor: what it told of the lost one, and who of that one was there when it was ready. */
async function nextSupervisor(cli: string, lostId: string) {
  const supervisor = newSupervisor({ timeouts: { terminateGraceMs: 300 } });
  const told = orphansTold(supervisor, lostId);
  await supervisor.start({ pathToClaudeCodeExecutable: cli });
  return { told, live: processesOf(lostId) };
}

function orphansTold(supervisor: ReturnType<typeof newSupervisor>, sessionId: string): OrphanEvent[] {
  const told: OrphanEvent[] = [];
  const isOrphan = (event: FleetEvent): event is OrphanEvent => event.type.startsWith('orphan.');
  supervisor.on('event', (event) => {
    if (isOrphan(event) && event.sessionId === sessionId) told.push(event);
  });
  return told;
}

/** Sweeps as a process that has its temporary files there. */
async function reapIn(temporary: string): Promise<void> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  try {
    await reapOrphans({ terminateGraceMs: 200 });
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

function sleepers(): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => commandLineOf(pid) === `${SLEEP.replace(' ', '\0')}\0` && isAlive(pid));
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'orphans-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
