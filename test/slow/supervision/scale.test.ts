import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { isAlive, stage } from '../session/stage.ts';

const SESSIONS = 200;
const LINES = 200;
/** A tick is due this often; the longest wait for one says how long the event loop stood still. */
const TICK_MS = 20;

it(`serves ${SESSIONS} sessions with ${LINES} lines each, in order, without blocking, and leaves nothing behind (P9, P10)`, async () => {
  const before = { ...footprint(), listeners: listeners() };
  const frame = {
    type: 'stream_event',
    event: { type: 'content_block_delta', index: '$i' },
    session_id: '$session_id',
  };
  const { start, supervisor, fake } = await stage(
    { rules: [on(when.prompt('go'), step.emitMany({ count: LINES, frame, perWrite: true }), step.echoTurn())] },
    { limits: { maxSessions: SESSIONS, maxStarting: 8 }, timeouts: { admissionMs: 120_000, initializeMs: 60_000 } },
  );
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => start()));
  expect(listeners()).toBeLessThanOrEqual(before.listeners + 10);

  const watched = watchLoop();
  const seen = await Promise.all(sessions.map(linesOf));
  const { longestMs, workedMs } = watched();

  const expected = Array.from({ length: LINES }, (_, index) => index);
  for (const lines of seen) expect(lines).toEqual(expected);
  // The work is done in pieces: none of them is a large part of all of it.
  expect(longestMs / workedMs).toBeLessThan(0.4);

  await supervisor.shutdown();
  expect((await fake.pids()).filter(isAlive)).toEqual([]);
  expect(supervisor.list()).toEqual([]);
  process.off('warning', note);
  expect(warnings).toEqual([]);
  await expect.poll(() => footprint().handles, { timeout: 5_000 }).toBeLessThanOrEqual(before.handles + 2);
  // The last looks at the process table may still hold a few files of /proc open.
  await expect.poll(() => footprint().descriptors, { timeout: 5_000 }).toBeLessThanOrEqual(before.descriptors + 2);
  expect(listeners()).toBe(before.listeners);
}, 180_000);

/** One turn of a session, as its reader sees it. */
async function linesOf(session: Session): Promise<unknown[]> {
  const indexes: unknown[] = [];
  const turn = session.prompt('go');
  for await (const message of turn) {
    if (message.type !== 'stream_event') continue;
    const event = message.value?.['event'] as { index?: unknown } | undefined;
    indexes.push(event?.index);
  }
  expect((await turn.result).outcome).toBe('completed');
  return indexes;
}

/** Starts to watch; the returned function stops and says how long this process worked, and at most in one piece, milliseconds. */
function watchLoop(): () => { longestMs: number; workedMs: number } {
  const begun = process.cpuUsage();
  let longest = 0;
  let wall = performance.now();
  let used = process.cpuUsage();
  const look = () => {
    const waitedMs = performance.now() - wall - TICK_MS;
    const { user, system } = process.cpuUsage(used);
    // With 200 busy neighbours on the same cores, only time in which this process itself worked counts.
    longest = Math.max(longest, Math.min(waitedMs, (user + system) / 1_000));
    wall = performance.now();
    used = process.cpuUsage();
  };
  const timer = setInterval(look, TICK_MS);
  return () => {
    clearInterval(timer);
    look();
    const { user, system } = process.cpuUsage(begun);
    return { longestMs: longest, workedMs: (user + system) / 1_000 };
  };
}

function listeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
}

function footprint(): { descriptors: number; handles: number } {
  const kinds = process.getActiveResourcesInfo().filter((kind) => /Pipe|Process|Timeout/.test(kind));
  return { descriptors: readdirSync('/proc/self/fd').length, handles: kinds.length };
}
