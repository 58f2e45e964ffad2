import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SessionEvent } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { expectNoViolations, isAlive, kept, newFake, processesOf, reaches, stage, tick } from './stage.ts';

/** Signs of life without progress, for longer than any test waits. */
const RETRY = { type: 'system', subtype: 'api_retry', attempt: 1, uuid: '$new_uuid' };
const ALIVE = [step.emit({ type: 'keep_alive' }), step.delay(50), step.emit(RETRY), step.delay(50)];
const NO_PROGRESS = Array.from({ length: 200 }, () => ALIVE).flat();
const LIMITS = { stallMs: 500, stallInterruptMs: 2_000, interruptMs: 400 };

describe('a turn whose process says nothing but keep-alives and retries', () => {
  it('is warned of and interrupted; who ignores that loses the whole tree, and the conversation goes on (P1, P5, P8)', async () => {
    const { start, fake } = await stage({
      perStart: [
        {
          atStart: [step.ignore('SIGTERM')],
          rules: [
            on(when.control('interrupt'), step.hang()),
            on(when.prompt('think'), step.spawnChild({ detached: true, ignoreTerm: true }), ...NO_PROGRESS),
          ],
        },
        {},
      ],
    });
    const session = await start({ id: 'stalled', timeouts: LIMITS });
    const turn = session.prompt('think');
    await reaches(session, 'ready', 2);

    const events = await kept(session);
    const silence = { clock: 'model', epoch: 1 };
    expect(named(events, 'watchdog.warned').at(-1)).toMatchObject(silence);
    expect(named(events, 'watchdog.interrupted')).toMatchObject([silence]);
    expect(named(events, 'session.restarting')).toMatchObject([{ cause: { code: 'STALLED' } }]);
    expect(stepsOf(events).slice(-3)).toEqual(['watchdog.warned', 'watchdog.interrupted', 'session.restarting']);
    expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: { code: 'STALLED' } });

    const [first, second] = await fake.starts();
    expect(second?.argv).toContain(`--resume=${session.conversationId}`);
    const pids = await fake.pids();
    expect(pids.length).toBeGreaterThan(2);
    expect(pids.filter(isAlive)).toEqual([second?.pid]);
    expect(processesOf('stalled')).toEqual([second?.pid]);
    expect(first?.pid).not.toBe(second?.pid);

    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect(endsOf(await kept(session), turn.id)).toEqual(['interrupted']);
    await expectNoViolations(fake);
  });

  it('is interrupted and keeps its process, when the CLI obeys (P5)', async () => {
    const { start, fake } = await stage({ rules: [on(when.prompt('think'), ...NO_PROGRESS)] });
    const session = await start({ timeouts: LIMITS });
    const { pid } = session;
    const turn = session.prompt('think');
    expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: { code: 'STALLED' } });
    expect((await session.prompt('hello').result).outcome).toBe('completed');

    const events = await kept(session);
    expect(stepsOf(events).slice(-2)).toEqual(['watchdog.warned', 'watchdog.interrupted']);
    expect(endsOf(events, turn.id)).toEqual(['interrupted']);
    expect([session.pid, session.incarnation]).toEqual([pid, 1]);
    expect(await fake.starts()).toHaveLength(1);
    await expectNoViolations(fake);
  });

  it('waits for a tool that says nothing longer than the model may be silent (P5)', async () => {
    const { start } = await stage({
      rules: [on(when.prompt('tool'), step.toolTurn({ tool: 'Bash', input: {}, ask: false, runMs: 3_000 }))],
    });
    const session = await start({ timeouts: LIMITS });
    expect((await session.prompt('tool').result).outcome).toBe('completed');
    expect(named(await kept(session), 'watchdog.interrupted')).toEqual([]);
  });
});

describe('a host that was stopped by SIGSTOP', () => {
  it('warns of a turn only when it was silent for long enough while the host ran (P5)', {
    timeout: 180_000,
  }, async () => {
    const stallMs = 30_000;
    const { path } = await newFake({ rules: [on(when.prompt('think'), step.hang())] });
    const host = spawn(process.execPath, [PROGRAM, path, String(stallMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void host.kill('SIGKILL'));
    const told = text(host.stdout);
    await expect.poll(() => stateOf(host.pid), { timeout: 60_000 }).toBe('T');
    // The host's time runs twenty times as fast: for it these are eighty seconds, in which both limits pass.
    await tick(4_000);
    host.kill('SIGCONT');
    await once(host, 'exit');

    const events = (await told)
      .trim()
      .split('\n')
      .map((line): HostEvent => JSON.parse(line));
    const stoodStill = events.filter(({ reason }) => reason === 'host-resumed');
    const gapMs = stoodStill.map(({ detail = '' }) => Number(/\d+/.exec(detail))).reduce((sum, one) => sum + one, 0);
    expect(gapMs).toBeGreaterThan(2 * stallMs);
    const [startedAt = 0] = events.filter(({ type }) => type === 'turn.started').map(({ at }) => at);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, types.indexOf('watchdog.warned'))).not.toContain('prompt.ended');
    const [warned] = events.filter(({ type }) => type === 'watchdog.warned');
    expect(warned?.clock).toBe('model');
    expect((warned?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(stallMs + gapMs - 1_000);
  });
});

interface HostEvent {
  readonly type: string;
  readonly at: number;
  readonly reason?: string;
  readonly detail?: string;
  readonly clock?: string;
}

const PROGRAM = fileURLToPath(new URL('stopping-host.mjs', import.meta.url));

function named(events: readonly SessionEvent[], type: SessionEvent['type']): readonly SessionEvent[] {
  return events.filter((event) => event.type === type);
}

/** What the watchdog did, in order. */
function stepsOf(events: readonly SessionEvent[]): readonly string[] {
  const isStep = (type: string) => type.startsWith('watchdog.') || type === 'session.restarting';
  return events.map(({ type }) => type).filter(isStep);
}

function endsOf(events: readonly SessionEvent[], promptId: string): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'prompt.ended' && event.promptId === promptId ? [event.outcome] : [],
  );
}

function stateOf(pid: number | undefined): string | undefined {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.[0];
}
