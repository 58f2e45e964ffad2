import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Group, Supervisor } from '../../src/index.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { type SimulatedClock, simulatedClock } from '../../src/testing/simulated-clock.ts';
import { runs } from '../fixed-chance.ts';
import { type OtpAnswer, type OtpFlags, OtpSupervisor } from '../machines/otp.ts';
import { type MemoryFleet, memoryFleet } from './memory-cli.ts';

/** Ends come on whole steps, and periods end between them: what the restarts themselves take decides nothing. */
const STEP_MS = 1_000;

const flags = fc.record({
  strategy: fc.constantFrom('one_for_one' as const, 'one_for_all' as const, 'rest_for_one' as const),
  autoShutdown: fc.constantFrom('never' as const, 'any_significant' as const, 'all_significant' as const),
  intensity: fc.integer({ min: 0, max: 4 }),
  periodMs: fc.integer({ min: 0, max: 20 }).map((steps) => steps * STEP_MS + STEP_MS / 2),
});
const children = fc.array(
  fc.record({
    restart: fc.constantFrom('permanent' as const, 'transient' as const, 'temporary' as const),
    isSignificant: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);
const trace = fc.array(
  fc.record({ member: fc.nat(9), isNormal: fc.boolean(), waitSteps: fc.integer({ min: 1, max: 12 }) }),
  { minLength: 1, maxLength: 12 },
);

describe('a group of sessions under a supervisor', () => {
  it('stops and starts what OTP would, in its order, for any trace of ends of their processes (SEMANTICS, OTP)', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(flags, children, trace, async (rules, kinds, ends) => {
        const specs = kinds.map(({ restart, isSignificant }, index) => {
          // `significant` is refused where it would ask nobody.
          const significant = isSignificant && restart !== 'permanent' && rules.autoShutdown !== 'never';
          return { id: `m${index}`, restart, significant };
        });
        const otp = new OtpSupervisor(rules, specs);
        const { supervisor, clock, group, happened, end, settle } = await stage(rules, specs);
        for (const { member, isNormal, waitSteps } of ends) {
          const living = otp.children.filter(({ pid }) => pid !== undefined);
          const victim = living[member % Math.max(1, living.length)];
          if (victim === undefined) break;
          await clock.advance(waitSteps * STEP_MS - (clock.now() % STEP_MS));
          const expected = otp.exited(victim.id, isNormal, clock.now());
          end(victim.id, isNormal);
          await settle();
          seen.add(expected.did);

          expect(happened(victim.id)).toEqual(expected);
          if (expected.did === 'gave-up' || expected.did === 'shutdown') break;
          expect(group.children().map(({ id, status }) => [id, status === 'up'])).toEqual(
            otp.children.map(({ id, pid }) => [id, pid !== undefined]),
          );
        }
        const stopped = supervisor.shutdown();
        await clock.advance(60_000);
        await stopped;
      }),
      { numRuns: runs(150) },
    );
    expect([...seen].toSorted()).toEqual(['gave-up', 'nothing', 'restarted', 'shutdown']);
  }, 300_000);
});

describe('two members that crash in one instant', () => {
  it('lead to the children that OTP would have, also where the one goes down with the restart of the other (SEMANTICS, OTP)', async () => {
    const seen = new Set<string>();
    const pair = fc.record({ first: fc.nat(9), second: fc.nat(9), waitSteps: fc.integer({ min: 1, max: 12 }) });
    await fc.assert(
      fc.asyncProperty(flags, children, fc.array(pair, { minLength: 1, maxLength: 6 }), async (rules, kinds, pairs) => {
        const specs = kinds.map(({ restart, isSignificant }, index) => {
          const significant = isSignificant && restart !== 'permanent' && rules.autoShutdown !== 'never';
          return { id: `m${index}`, restart, significant };
        });
        const otp = new OtpSupervisor(rules, specs);
        const { supervisor, clock, group, end, settle } = await stage(rules, specs);
        for (const { first, second, waitSteps } of pairs) {
          const living = otp.children.filter(({ pid }) => pid !== undefined).map(({ id }) => id);
          const one = living[first % Math.max(1, living.length)];
          const other = living.filter((id) => id !== one)[second % Math.max(1, living.length - 1)];
          if (one === undefined || other === undefined) break;
          await clock.advance(waitSteps * STEP_MS - (clock.now() % STEP_MS));
          let expected = otp.exited(one, false, clock.now());
          const wentAlong = expected.did === 'restarted' && expected.stopped.includes(other);
          if (!wentAlong && (expected.did === 'restarted' || expected.did === 'nothing'))
            expected = otp.exited(other, false, clock.now());
          end(one, false);
          end(other, false);
          await settle();
          seen.add(wentAlong ? 'went-along' : expected.did);

          const hasEnded = expected.did === 'gave-up' || expected.did === 'shutdown';
          if (hasEnded) {
            expect(group.state).toBe(expected.did === 'shutdown' ? 'stopped' : 'quarantined');
            break;
          }
          expect(group.children().map(({ id, status }) => [id, status === 'up'])).toEqual(
            otp.children.map(({ id, pid }) => [id, pid !== undefined]),
          );
        }
        const stopped = supervisor.shutdown();
        await clock.advance(60_000);
        await stopped;
      }),
      { numRuns: runs(60) },
    );
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['gave-up', 'restarted', 'went-along']));
  }, 300_000);
});

async function stage(
  { strategy, autoShutdown, intensity, periodMs }: OtpFlags,
  specs: readonly {
    readonly id: string;
    readonly restart: 'permanent' | 'transient' | 'temporary';
    readonly significant: boolean;
  }[],
) {
  const clock = simulatedClock({ startAt: 1_700_000_000_000 });
  const fleet = memoryFleet();
  const supervisor = createSupervisor({
    pathToClaudeCodeExecutable: process.execPath,
    spawn: fleet.open,
    clock,
    limits: { maxSessions: 10, maxStarting: 10 },
  });
  const started = supervisor.group({
    strategy,
    autoShutdown,
    intensity,
    periodMs,
    backoff: { minMs: 1, maxMs: 1, factor: 1, jitter: 0 },
    children: specs.map(({ id, restart, significant }) => ({ id, restart: { type: restart }, significant })),
  });
  await clock.advance(10);
  const group = await started;
  return { supervisor, clock, group, ...watch(supervisor, fleet, group, clock) };
}

/** What processes do, seen from the processes and from the events of their sessions, not from the verdict. */
function watch(supervisor: Supervisor, fleet: MemoryFleet, group: Group, clock: SimulatedClock) {
  const left: string[] = [];
  supervisor.on('event', (event) => {
    // Who is forgotten ends, the others are held.
    const isLeft = (event.type === 'session.state-changed' && event.state === 'held') || event.type === 'session.ended';
    if (isLeft && !left.includes(event.sessionId)) left.push(event.sessionId);
  });
  let known = fleet.started.length;

  const runningIds = () => fleet.running().map(({ sessionId }) => sessionId);
  const isAtRest = (): boolean => {
    if (group.state === 'quarantined' || group.state === 'stopped') return true;
    const isReady = ({ status, state }: { status: string; state: string }) => status !== 'up' || state === 'ready';
    return (
      group.state === 'running' && group.children().every((child) => child.status !== 'restarting' && isReady(child))
    );
  };

  return {
    end(id: string, isNormal: boolean): void {
      left.length = 0;
      known = fleet.started.length;
      if (isNormal) void group.session(id)?.close();
      else
        fleet
          .running()
          .find(({ sessionId }) => sessionId === id)
          ?.exit(1);
    },
    async settle(): Promise<void> {
      // The end itself has to be heard before anybody is at rest again.
      await clock.advance(5);
      for (let tries = 0; !isAtRest() && tries < 20; tries += 1) await clock.advance(5);
    },
    happened(victim: string): OtpAnswer {
      if (group.state === 'quarantined' || group.state === 'stopped') {
        expect(runningIds()).toEqual([]);
        return { did: group.state === 'stopped' ? 'shutdown' : 'gave-up' };
      }
      const begun = fleet.started.slice(known).map(({ sessionId }) => sessionId);
      const stopped = left.filter((id) => id !== victim);
      const living = group.children().flatMap(({ id, status }) => (status === 'up' ? [id] : []));
      expect(runningIds().toSorted()).toEqual(living.toSorted());
      return begun.length === 0 ? { did: 'nothing' } : { did: 'restarted', stopped, started: begun };
    },
  };
}
