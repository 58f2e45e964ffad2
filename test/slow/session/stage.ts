import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { Session, SessionEvent, SessionOptions, Supervisor, SupervisorOptions } from '../../../src/index.ts';
import { createSupervisor, TroupeError } from '../../../src/index.ts';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import type { Scenario } from '../../../src/testing/fake-cli/scenario.ts';

/** A supervisor whose sessions are processes of one fake CLI. */
export interface Stage {
  readonly supervisor: Supervisor;
  readonly fake: FakeClaude;
  start(options?: SessionOptions): Promise<Session>;
}

/** Short waits, so that a test of the last step of a ladder takes no longer than it must. */
export const SHORT = {
  initializeMs: 20_000,
  mcpServerMs: 5_000,
  controlMs: 10_000,
  interruptMs: 10_000,
  closeGraceMs: 300,
  terminateGraceMs: 300,
  killGraceMs: 10_000,
  admissionMs: 20_000,
} as const;

export const QUICK_RESTART = { type: 'transient', backoff: { minMs: 10, maxMs: 20, jitter: 0 } } as const;

const struck: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const strike of struck.splice(0).reverse()) await strike();
});

/** Builds a stage; it is struck after the test, which must leave no process behind. */
export async function stage(scenario: Scenario = {}, options: SupervisorOptions = {}): Promise<Stage> {
  const fake = await newFake(scenario);
  const supervisor = newSupervisor({ pathToClaudeCodeExecutable: fake.path, ...options });
  return { supervisor, fake, start: (more = {}) => supervisor.start(more) };
}

/** A fake that is disposed after the test. */
export async function newFake(scenario: Scenario = {}): Promise<FakeClaude> {
  const fake = await fakeClaude(scenario);
  struck.push(() => fake.dispose());
  return fake;
}

/** A supervisor with short waits that is shut down after the test. */
export function newSupervisor(options: SupervisorOptions = {}): Supervisor {
  const supervisor = createSupervisor({
    restart: QUICK_RESTART,
    ...options,
    timeouts: { ...SHORT, ...options.timeouts },
  });
  struck.push(() => supervisor.shutdown());
  return supervisor;
}

/** A shell script that stands for a CLI: it starts in milliseconds, where a fake needs tenths of a second. */
export async function script(...lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-script-'));
  struck.push(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'claude');
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o700);
  return path;
}

/** Lines of a script that answer the initialize request. */
export const ANSWER_INITIALIZE = [
  'read -r line',
  'id=$(printf "%s" "$line" | sed \'s/.*"request_id":"\\([^"]*\\)".*/\\1/\')',
  'printf \'{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n\' "$id"',
];

/** Live processes that carry the mark of a session, read independently of the code under test. */
export function processesOf(sessionId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOf(name, sessionId))
    .map(Number);
}

function isOf(pid: string, sessionId: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TROUPE_SESSION=${sessionId}:`)) return false;
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.[0] !== 'Z';
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.[0] !== 'Z';
  } catch {
    return false;
  }
}

/** Resolves with the first event of that type that fits, from the beginning of the log. */
export async function eventOf<T extends SessionEvent['type']>(
  session: Session,
  type: T,
  fits: (event: Extract<SessionEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<SessionEvent, { type: T }>> {
  for await (const event of session.events()) {
    if (event.type === type && fits(event as Extract<SessionEvent, { type: T }>)) {
      return event as Extract<SessionEvent, { type: T }>;
    }
  }
  throw new Error(`The session ended without the event ${type}.`);
}

/** Resolves when the session enters the state, now or later. */
export async function reaches(session: Session, state: string, epoch = 0): Promise<void> {
  await eventOf(session, 'session.state-changed', (event) => event.state === state && event.epoch >= epoch);
}

/** The events that are kept, up to now. */
export async function kept(session: Session): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if ('epoch' in event) events.push(event);
  }
  return events;
}

/** The error a promise rejects with; fails when it resolves or is none of ours. */
export async function errorFrom(promise: Promise<unknown>): Promise<TroupeError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome) || !TroupeError.is(outcome.error)) {
    throw new Error(`expected a TroupeError, got ${JSON.stringify(outcome)}`, { cause: outcome });
  }
  return outcome.error;
}

/** The lines the host wrote to the fake, as messages. */
export async function linesTo(fake: FakeClaude): Promise<Record<string, unknown>[]> {
  return (await fake.journal()).flatMap((entry) =>
    entry.kind === 'line' && entry.message !== undefined ? [entry.message as Record<string, unknown>] : [],
  );
}

/** The payloads of the host's successful control responses, in order. */
export async function answersTo(fake: FakeClaude): Promise<Record<string, unknown>[]> {
  return (await linesTo(fake)).flatMap((line) => {
    const response = line['response'] as Record<string, unknown> | undefined;
    return line['type'] === 'control_response' && response !== undefined ? [response] : [];
  });
}

export async function expectNoViolations(fake: FakeClaude): Promise<void> {
  expect(await fake.violations()).toEqual([]);
}

export function tick(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
