import { assign, emit, sendTo, setup } from 'xstate';
import {
  initialWatch,
  isPast,
  leftUntil,
  silenceOf,
  type WatchdogContext,
  type WatchdogInput,
  withReport,
} from './watchdog.context.ts';
import type { SignsCommand, Silence, WatchdogEvent, WatchdogNotice, WatchReport } from './watchdog.events.ts';
import { signs } from './watchdog.ports.ts';

/**
 * Watches the work of one process: progress of the turn is told from mere signs of life, and the waits for the model, for a
 * tool, a hook or a call of this program have limits of their own (P5). It decides on what was reported; the frames that
 * show life never go through it: when a limit has passed it asks whether there was any meanwhile.
 */
export const watchdogMachine = setup({
  types: {
    input: {} as WatchdogInput,
    context: {} as WatchdogContext,
    events: {} as WatchdogEvent,
    emitted: {} as WatchdogNotice,
  },
  actors: { signs },
  actions: {
    note: assign(({ context }, params: { report: WatchReport }) => withReport(context, params.report)),
    ask: sendTo('signs', { type: 'signs.ask' } satisfies SignsCommand),
    rememberWarning: assign(({ context }) => ({ warned: silenceOf(context) })),
    forgetWarning: assign({ warned: null }),
    tellWarning: emit(({ context }) => {
      const interruptMs = leftUntil(context, 'interruptMs');
      const interruptAt = Number.isFinite(interruptMs) ? context.report.at + interruptMs : null;
      return { type: 'watchdog.warned' as const, ...silence(context), interruptAt };
    }),
    tellRecovery: emit(({ context }) => ({ type: 'watchdog.recovered' as const, ...recovered(context) })),
    tellInterrupt: emit(({ context }) => ({ type: 'watchdog.interrupted' as const, ...silence(context) })),
  },
  guards: {
    isQuiet: ({ context }) => silenceOf(context) === null,
    mayWarn: ({ context }) => isPast(context, 'warnMs'),
    mustInterrupt: ({ context }) => isPast(context, 'interruptMs'),
    wasWarned: ({ context }) => context.warned !== null,
    isNewSilence: ({ context }) => context.warned !== null && !isSame(silenceOf(context), context.warned),
    goesOn: ({ context }, params: { report: WatchReport }) =>
      isSame(silenceOf(withReport(context, params.report)), silenceOf(context)),
  },
  delays: {
    untilNextLimit: ({ context }) => leftUntil(context, 'warnMs', 'interruptMs'),
    untilInterrupt: ({ context }) => leftUntil(context, 'interruptMs'),
  },
}).createMachine({
  id: 'watchdog',
  context: ({ input }) => initialWatch(input),
  invoke: { id: 'signs', src: 'signs' },
  initial: 'resting',
  on: {
    'watch.reported': {
      target: '.deciding',
      actions: { type: 'note', params: ({ event }) => ({ report: event.report }) },
    },
  },
  states: {
    // Each report is judged as a whole: nothing depends on the way to it.
    deciding: {
      always: [
        { guard: 'isQuiet', target: 'resting' },
        { guard: 'mustInterrupt', target: 'interrupting' },
        { guard: 'isNewSilence', actions: ['tellRecovery', 'forgetWarning'] },
        { guard: 'wasWarned', target: 'warned' },
        { guard: 'mayWarn', target: 'warned', actions: ['rememberWarning', 'tellWarning'] },
        { target: 'watching' },
      ],
    },
    // Nothing is owed, or a person is asked.
    resting: {
      always: { guard: 'wasWarned', actions: ['tellRecovery', 'forgetWarning'] },
    },
    watching: { after: { untilNextLimit: 'asking' } },
    warned: { after: { untilInterrupt: 'asking' } },
    asking: { entry: 'ask' },
    // The session machine guards what follows: a turn that does not end in time costs the process.
    interrupting: {
      entry: ['forgetWarning', 'tellInterrupt'],
      on: {
        'watch.reported': [
          {
            guard: { type: 'goesOn', params: ({ event }) => ({ report: event.report }) },
            actions: { type: 'note', params: ({ event }) => ({ report: event.report }) },
          },
          { target: 'deciding', actions: { type: 'note', params: ({ event }) => ({ report: event.report }) } },
        ],
      },
    },
  },
});

const NONE: Silence = { clock: 'model', since: 0, silentMs: 0 };

function silence(context: WatchdogContext): Silence {
  return silenceOf(context) ?? NONE;
}

function isSame(one: Silence | null, other: Silence | null): boolean {
  return one !== null && one.clock === other?.clock && one.since === other.since;
}

/** The silence that was warned of lasted until the next one began, or until there was none. */
function recovered(context: WatchdogContext): Silence {
  const { clock, since } = context.warned ?? NONE;
  return { clock, since, silentMs: (silenceOf(context)?.since ?? context.report.at) - since };
}
