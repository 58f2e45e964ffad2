import { createActor, fromCallback } from 'xstate';
import type { WatchLimits } from '../../machines/watchdog/watchdog.context.ts';
import type {
  SignsCommand,
  WatchClock,
  WatchdogEvent,
  WatchdogNotice,
  WatchReport,
} from '../../machines/watchdog/watchdog.events.ts';
import { watchdogMachine } from '../../machines/watchdog/watchdog.machine.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { stateOf } from './state-name.ts';

const TOOL = { warnMs: 600_000, interruptMs: 900_000 };

export const LIMITS: Record<WatchClock, WatchLimits> = {
  model: { warnMs: 60_000, interruptMs: 120_000 },
  tool: TOOL,
  hook: TOOL,
  mcp: TOOL,
  background: { warnMs: 3_600_000, interruptMs: 7_200_000 },
};

/** A watchdog whose reports are in the hands of the test: what is true at the moment, told at once or when it is asked. */
export function openWatchdog(limits: Partial<typeof LIMITS> = {}) {
  const clock = simulatedClock();
  const notices: WatchdogNotice[] = [];
  let asked = 0;
  let now: Omit<WatchReport, 'at'> = {
    isOwed: false,
    background: 0,
    waits: { human: 0, hook: 0, mcp: 0, tool: 0 },
    progressAt: 0,
    livedAt: 0,
  };
  const report = (): WatchdogEvent => ({ type: 'watch.reported', report: { ...now, at: clock.now() } });
  const signs = fromCallback<SignsCommand | WatchdogEvent>(({ receive, sendBack }) => {
    receive(() => {
      asked += 1;
      sendBack(report());
    });
  });
  const machine = watchdogMachine.provide({ actors: { signs } });
  const actor = createActor(machine, {
    clock,
    input: { id: 'review', incarnation: 1, limits: { ...LIMITS, ...limits } },
  });
  actor.on('*', (notice) => notices.push(notice));
  actor.start();
  return {
    actor,
    clock,
    notices,
    told: () => notices.map(({ type }) => type.replace('watchdog.', '')),
    asked: () => asked,
    state: () => stateOf(actor.getSnapshot()),
    /** Changes what is true, and reports it. */
    tell: (change: Partial<Omit<WatchReport, 'at' | 'waits'>> & { waits?: Partial<WatchReport['waits']> } = {}) => {
      now = { ...now, ...change, waits: { ...now.waits, ...change.waits } };
      actor.send(report());
    },
    /** A frame comes: only the moment is kept. */
    sign: (kind: 'progress' | 'liveness' = 'progress') => {
      const at = clock.now();
      now = { ...now, livedAt: at, ...(kind === 'progress' ? { progressAt: at } : {}) };
    },
  };
}
