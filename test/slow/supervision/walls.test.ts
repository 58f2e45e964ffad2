import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { FleetEvent, Session, Supervisor } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type SimulatedClock, simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { ANSWER_INITIALIZE, newSupervisor, processesOf, script, stage, tick } from '../session/stage.ts';

const NOW = Date.UTC(2026, 10, 28);
const RESET = NOW + 3_600_000;
const STAGGER = 5_000;
/** Simulated time passes while real processes start. */
const UNHURRIED = { spawnMs: 7_200_000, initializeMs: 7_200_000 };
const PATIENT = { timeout: 60_000 };

it('six processes meet one wall: nobody works before its reset, one tries, the others follow (R86)', async () => {
  const clock = simulatedClock({ startAt: NOW });
  const info = { status: 'rejected', resetsAt: RESET / 1_000, rateLimitType: 'five_hour' };
  const wall = on(
    when.prompt(),
    step.emit({ type: 'rate_limit_event', rate_limit_info: info, uuid: '$new_uuid', session_id: '$session_id' }),
    step.result({ is_error: true, result: "You've hit your limit · resets 12:50am", terminal_reason: 'api_error' }),
  );
  const { supervisor, fake } = await stage(
    { perStart: [...Array.from({ length: 6 }, () => ({ rules: [wall] })), {}], sessions: 'any' },
    { clock, quota: { jitterMs: 0, skewMs: 0, staggerMs: STAGGER }, limits: { maxStarting: 6 }, timeouts: UNHURRIED },
  );
  const events = eventsOf(supervisor);
  const sessions = await Promise.all(names(6).map((id) => supervisor.start({ id, account: 'shared' })));
  const turns = sessions.map((session) => session.prompt('work'));
  await allReach(sessions, 'parked');
  expect(sessions.flatMap(({ id }) => processesOf(id))).toEqual([]);
  expect(events.filter(({ type }) => type === 'quota.reached')).toHaveLength(1);

  await clock.advance(RESET - NOW - 1);
  expect(await fake.starts()).toHaveLength(6);
  await clock.advance(1);
  await expect.poll(() => supervisor.accounts()[0]?.state, PATIENT).toBe('releasing');
  expect(await fake.starts()).toHaveLength(7);
  const results = await passing(clock, Promise.all(turns.map(({ result }) => result)));
  expect(results.map(({ outcome }) => outcome)).toEqual(sessions.map(() => 'completed'));
  expect(await fake.starts()).toHaveLength(12);
  expect(events.filter(({ type }) => type === 'session.restarting')).toEqual([]);
}, 120_000);

it('twenty start in the same second and half have lost their login: told once, no restart, work goes on after a login (R89)', async () => {
  const configDir = await mkdtemp(join(tmpdir(), 'troupe-login-'));
  onTestFinished(() => rm(configDir, { recursive: true, force: true }));
  const clock = simulatedClock({ startAt: NOW });
  const path = await accountCli();
  const supervisor = newSupervisor({
    pathToClaudeCodeExecutable: path,
    clock,
    limits: { maxSessions: 30, maxStarting: 4 },
    timeouts: UNHURRIED,
    quota: { staggerMs: STAGGER },
  });
  const events = eventsOf(supervisor);
  const sessions = await Promise.all(
    names(20).map((id, index) =>
      supervisor.start({ id, configDir, env: { LOST: index % 2 === 0 ? configDir : undefined } }),
    ),
  );
  const turns = sessions.map((session) => session.prompt('work'));
  const first = await Promise.all(turns.map(({ result }) => result));
  const later = sessions.map((session) => session.prompt('more'));
  await allReach(sessions, 'parked');
  expect(first.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThan(0);
  expect(events.filter(({ type }) => type === 'account.locked')).toHaveLength(1);
  expect(sessions.flatMap(({ id }) => processesOf(id))).toEqual([]);
  const spawned = countOf(events, 'session.started');
  const late = await supervisor.start({ id: 'late', configDir });
  await clock.advance(60_000);
  expect([late.state, countOf(events, 'session.started')]).toEqual(['parked', spawned]);

  await writeFile(join(configDir, '.credentials.json'), '{}');
  const stateOf = () => supervisor.accounts()[0]?.state;
  for (let looks = 0; stateOf() === 'locked' && looks < 20; looks += 1) {
    await clock.advance(15_000);
    // The file is read in real time.
    await tick(50);
  }
  await expect.poll(stateOf, PATIENT).toBe('releasing');
  const results = await passing(clock, Promise.all(later.map(({ result }) => result)));
  expect(results.map(({ outcome }) => outcome)).toEqual(sessions.map(() => 'completed'));
  expect(events.filter(({ type }) => type === 'session.restarting' || type === 'session.quarantined')).toEqual([]);
}, 120_000);

const REFUSED = 'Not logged in · Please run /login';
const lineOf = (frame: object) => `    printf '${JSON.stringify(frame)}\\n' "$uuid"`;
const assistant = (text: string, fields: object = {}) =>
  lineOf({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id: 's',
    ...fields,
  });
const resultOf = (fields: object) =>
  lineOf({ type: 'result', user_message_uuids: ['%s'], num_turns: 1, total_cost_usd: 0, session_id: 's', ...fields });

/** Twenty of them start in the time of one fake. Where `LOST` names a folder, it is logged in once the file is there. */
function accountCli(): Promise<string> {
  return script(
    ...ANSWER_INITIALIZE,
    'while read -r line; do',
    '  uuid=$(printf "%s" "$line" | sed -n \'s/.*"type":"user".*"uuid":"\\([^"]*\\)".*/\\1/p; t; s/.*"uuid":"\\([^"]*\\)".*"type":"user".*/\\1/p\')',
    '  [ -n "$uuid" ] || continue',
    '  if [ -n "$LOST" ] && [ ! -e "$LOST/.credentials.json" ]; then',
    assistant(REFUSED, { error: 'authentication_failed' }),
    resultOf({ subtype: 'success', is_error: true, result: REFUSED, terminal_reason: 'api_error' }),
    '  else',
    assistant('done'),
    resultOf({ subtype: 'success', is_error: false, result: 'done', terminal_reason: 'completed' }),
    '  fi',
    'done',
  );
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `walled-${process.pid}-${index}`);
}

function eventsOf(supervisor: Supervisor): FleetEvent[] {
  const events: FleetEvent[] = [];
  supervisor.on('event', (event) => events.push(event));
  return events;
}

function countOf(events: readonly FleetEvent[], type: FleetEvent['type']): number {
  return events.filter((event) => event.type === type).length;
}

async function allReach(sessions: readonly Session[], state: string): Promise<void> {
  await expect.poll(() => sessions.filter((session) => session.state !== state).length, PATIENT).toBe(0);
}

/** Lets the followers go, each when its time has come, until that is there. */
async function passing<T>(clock: SimulatedClock, wanted: Promise<T>): Promise<T> {
  let isThere = false;
  void wanted.then(() => {
    isThere = true;
  });
  while (!isThere) {
    await clock.advance(STAGGER);
    await tick(20);
  }
  return wanted;
}
