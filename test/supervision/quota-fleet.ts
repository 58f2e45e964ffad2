import type { SessionOptions } from '../../src/launch/session-options.ts';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryCli, type MemoryPrompt, memoryFleet } from './memory-cli.ts';

export const HOUR = 3_600_000;
export const START = Date.UTC(2026, 10, 28);
/** When the window of these tests opens again. */
export const RESET = START + 2 * HOUR;
export const SKEW = 60_000;
export const STAGGER = 5_000;

/** A fleet of one account, in memory and in simulated time. `answer` hears each prompt. */
export function quotaFleet(answer: (prompt: MemoryPrompt) => void, { quota = {}, ...options }: SupervisorOptions = {}) {
  const clock = simulatedClock({ startAt: START });
  const fleet = memoryFleet((prompt) => {
    sent.push({ at: clock.now(), sessionId: prompt.cli.sessionId, text: prompt.text });
    answer(prompt);
  });
  const sent: { readonly at: number; readonly sessionId: string; readonly text: string }[] = [];
  const events: FleetEvent[] = [];
  const supervisor = createSupervisor({
    clock,
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    limits: { maxSessions: 100, maxStarting: 100 },
    ...options,
    quota: { jitterMs: 0, skewMs: SKEW, staggerMs: STAGGER, ...quota },
  });
  supervisor.on('event', (event) => events.push(event));
  const start = async (id: string, own: SessionOptions = {}) => {
    const session = await supervisor.start({ id, account: 'shared', ...own });
    await clock.advance(0);
    return session;
  };
  return {
    clock,
    fleet,
    supervisor,
    start,
    /** Every prompt that reached a CLI, with the time. */
    sent,
    sentSince: (at: number) => sent.filter((prompt) => prompt.at >= at),
    told: (type: string) => events.filter((event) => event.type === type),
    account: (key = 'shared') => supervisor.accounts().find((account) => account.key === key),
  };
}

/** What a CLI of a subscription says at its limit; without `resetsAt` the words of the result are all there is. */
export function meetWall(prompt: MemoryPrompt, resetsAt?: number, window = 'five_hour'): void {
  if (resetsAt !== undefined) prompt.cli.say(rateLimit('rejected', resetsAt, window));
  prompt.fail("You've hit your limit · resets 12:50am");
}

export function rateLimit(status: string, resetsAt: number, rateLimitType = 'five_hour') {
  return {
    type: 'rate_limit_event',
    rate_limit_info: { status, resetsAt: resetsAt / 1_000, rateLimitType },
    uuid: 'e0000000-0000-4000-8000-000000000001',
    session_id: 's',
  };
}

export function answerWell(prompt: MemoryPrompt): void {
  speak(prompt.cli);
  prompt.complete();
}

/** One block of the model. */
export function speak(cli: MemoryCli): void {
  cli.say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] } });
}
