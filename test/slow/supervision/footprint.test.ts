import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { ANSWER_INITIALIZE, newSupervisor, script, stage } from '../session/stage.ts';

const quickCli = () => script(...ANSWER_INITIALIZE, 'cat >/dev/null');

function listeners(): Record<string, number> {
  return Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Collects everything that nobody holds, then says how much is left, bytes. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

it('is a constant number of process listeners for 100 sessions, and no warning (R60)', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const before = total(listeners());
  const supervisor = newSupervisor({
    pathToClaudeCodeExecutable: await quickCli(),
    limits: { maxSessions: 100, maxStarting: 8 },
  });
  const shared = new AbortController();
  const one = await supervisor.start();
  const withOne = total(listeners());
  await Promise.all(Array.from({ length: 99 }, () => supervisor.start({ signal: shared.signal })));
  expect(total(listeners())).toBe(withOne);
  expect(one.state).toBe('ready');
  await supervisor.shutdown();
  expect(total(listeners())).toBe(before);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

it('does not grow with the turns of a session that share one signal (R60)', async () => {
  const { start } = await stage();
  const session = await start();
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const { signal } = new AbortController();
  for (let turn = 0; turn < 300; turn += 1) {
    await session.prompt(`turn ${turn}`).result;
    if (turn % 10 === 0) await session.control('mcp_status', {}, { signal });
  }
  process.off('warning', note);
  expect(warnings).toEqual([]);
  expect(session.usage().turns).toBe(300);
});

it('returns to its base after 300 short sessions, some of which fail in each phase (R77)', async () => {
  const healthy = await quickCli();
  const dying = await script(...ANSWER_INITIALIZE, 'exit 3');
  const supervisor = newSupervisor({ limits: { maxSessions: 16, maxStarting: 8 }, restart: { type: 'temporary' } });
  const ways: SessionOptions[] = [
    { pathToClaudeCodeExecutable: healthy },
    { pathToClaudeCodeExecutable: healthy, systemPrompt: 's'.repeat(100_000) },
    { pathToClaudeCodeExecutable: '/bin/false' },
    { pathToClaudeCodeExecutable: '/nowhere/claude' },
    { pathToClaudeCodeExecutable: dying },
  ];
  const live = async (options: SessionOptions | undefined) => {
    const session = await supervisor.start(options).catch(() => undefined);
    await session?.close();
  };
  const round = async (count: number) => {
    const lanes = Array.from({ length: 8 }, async () => {
      for (let index = 0; index < count / 8; index += 1) await live(ways[index % ways.length]);
    });
    await Promise.all(lanes);
  };
  await round(80);
  const before = heapUsed();
  const descriptors = readdirSync('/proc/self/fd').length;
  await round(240);
  const after = heapUsed();
  expect(supervisor.list()).toEqual([]);
  expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(descriptors + 3);
  // A session that is kept costs 100 KB of system prompt and more; 48 of the 240 have one.
  expect(after - before).toBeLessThan(3_000_000);
});

it('of a closed session that is still held is small (R77)', async () => {
  const frame = {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(1_000) }] },
  };
  const { start, supervisor } = await stage({
    rules: [on(when.prompt('go'), step.emitMany({ count: 2_000, frame }), step.echoTurn())],
  });
  const session = await start();
  await session.prompt('go').result;
  await session.close();
  expect(supervisor.session(session.id)).toBeUndefined();
  expect(session.snapshot()).toMatchObject({ id: session.id, state: 'closed', queued: [], outstanding: [] });
  expect(session.status).toBe('idle');
  expect(session.pid).toBeUndefined();
});
