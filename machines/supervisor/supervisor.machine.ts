import { assign, enqueueActions, setup } from 'xstate';
import {
  earlier,
  initialSupervisor,
  momentAfter,
  type SupervisorContext,
  type SupervisorInput,
} from './supervisor.context.ts';
import type { SupervisorEvent, SupervisorNotice, SupervisorPhase } from './supervisor.events.ts';
import {
  closeChildren,
  finishTurns,
  flushChildren,
  interruptTurns,
  killChildren,
  settleStarts,
} from './supervisor.ports.ts';

const TIMER = 'phase';

const how = ({ context }: { readonly context: SupervisorContext }) => ({ isHandover: context.isHandover });

/** In a handover nothing is taken back and nothing interrupted. */
const AFTER_TURNS = [{ guard: 'isHandover', target: '#supervisor.stopping' }, { target: 'interrupting' }] as const;

/**
 * The life of a supervisor: running → draining → stopping → stopped, and the phases within. Only a running one admits
 * sessions. Every phase ends by its work or by its deadline, whichever comes first, so that nothing on the way down hangs
 * (P5); asking again can only shorten it.
 */
export const supervisorMachine = setup({
  types: {
    input: {} as SupervisorInput,
    context: {} as SupervisorContext,
    events: {} as SupervisorEvent,
    emitted: {} as SupervisorNotice,
  },
  actors: { settleStarts, finishTurns, interruptTurns, closeChildren, killChildren, flushChildren },
  guards: { isHandover: ({ context }) => context.isHandover },
  actions: {
    beginHandover: assign({ isHandover: true }),
    countIn: assign(({ context }) => ({ children: context.children + 1 })),
    countOut: assign(({ context }) => ({ children: context.children - 1 })),
    allowTurns: assign(({ context }, params: { at: number; withinMs: number | null }) => ({
      turnsUntil: earlier(context.turnsUntil, momentAfter(params.at, params.withinMs ?? context.deadlines.turnsMs)),
    })),
    /** Whoever asks again without a time of their own changes nothing. */
    shortenTurns: assign(({ context }, params: { at: number; withinMs: number | null }) => ({
      turnsUntil:
        params.withinMs === null
          ? context.turnsUntil
          : earlier(context.turnsUntil, momentAfter(params.at, params.withinMs)),
    })),
    allowClose: assign(({ context }, params: { at: number; withinMs: number | null }) => ({
      closeUntil:
        params.withinMs === null
          ? context.closeUntil
          : earlier(context.closeUntil, momentAfter(params.at, params.withinMs)),
    })),
    enter: enqueueActions(({ context, event, enqueue }, params: { phase: SupervisorPhase }) => {
      const at = timeOf(event) ?? context.deadlineAt ?? context.since ?? 0;
      const deadlineAt = deadlineOf(params.phase, at, context);
      enqueue.assign({ since: at, deadlineAt });
      enqueue.cancel(TIMER);
      if (deadlineAt !== null) {
        enqueue.raise({ type: 'deadline.phase' }, { id: TIMER, delay: Math.max(0, deadlineAt - at) });
      }
      enqueue.emit({ type: 'phase.entered', phase: params.phase, at, deadlineAt });
    }),
    /** The deadline of a phase that goes on was brought forward. */
    rearm: enqueueActions(({ context, enqueue }, params: { phase: SupervisorPhase; at: number }) => {
      const deadlineAt = earlier(context.deadlineAt, deadlineOf(params.phase, params.at, context));
      if (deadlineAt === context.deadlineAt || deadlineAt === null) return;
      enqueue.assign({ deadlineAt });
      enqueue.cancel(TIMER);
      enqueue.raise({ type: 'deadline.phase' }, { id: TIMER, delay: Math.max(0, deadlineAt - params.at) });
    }),
  },
}).createMachine({
  id: 'supervisor',
  context: ({ input }) => initialSupervisor(input),
  initial: 'running',
  on: {
    'child.started': { actions: 'countIn' },
    'child.stopped': { actions: 'countOut' },
    // Commands that change nothing in the present phase are heard and have no effect.
    'supervisor.drain': {},
    'supervisor.hurry': {},
    'supervisor.handover': {},
    'supervisor.shutdown': {},
    'deadline.phase': {},
  },
  states: {
    running: {
      on: {
        'supervisor.drain': { target: 'draining', actions: { type: 'allowTurns', params: ({ event }) => event } },
        'supervisor.handover': {
          target: 'draining.finishing-turns',
          actions: ['beginHandover', { type: 'allowTurns', params: ({ event }) => event }],
        },
        'supervisor.shutdown': { target: 'stopping', actions: { type: 'allowClose', params: ({ event }) => event } },
      },
    },
    draining: {
      initial: 'stopping-admission',
      on: {
        'supervisor.hurry': [{ guard: 'isHandover', target: 'stopping' }, { target: '.interrupting' }],
        'supervisor.shutdown': { target: 'stopping', actions: { type: 'allowClose', params: ({ event }) => event } },
      },
      states: {
        'stopping-admission': {
          entry: { type: 'enter', params: { phase: 'stopping-admission' } },
          invoke: { src: 'settleStarts', input: how, onDone: 'finishing-turns', onError: 'finishing-turns' },
          on: {
            'deadline.phase': 'finishing-turns',
            'supervisor.drain': {
              actions: [
                { type: 'shortenTurns', params: ({ event }) => event },
                { type: 'rearm', params: ({ event }) => ({ phase: 'stopping-admission' as const, at: event.at }) },
              ],
            },
          },
        },
        'finishing-turns': {
          entry: { type: 'enter', params: { phase: 'finishing-turns' } },
          invoke: { src: 'finishTurns', input: how, onDone: AFTER_TURNS, onError: AFTER_TURNS },
          on: {
            'deadline.phase': AFTER_TURNS,
            'supervisor.drain': {
              actions: [
                { type: 'shortenTurns', params: ({ event }) => event },
                { type: 'rearm', params: ({ event }) => ({ phase: 'finishing-turns' as const, at: event.at }) },
              ],
            },
            'supervisor.handover': {
              guard: 'isHandover',
              actions: [
                { type: 'shortenTurns', params: ({ event }) => event },
                { type: 'rearm', params: ({ event }) => ({ phase: 'finishing-turns' as const, at: event.at }) },
              ],
            },
          },
        },
        // Passed also when every turn has ended: prompts that nothing could bring to their turn are given back here.
        interrupting: {
          entry: { type: 'enter', params: { phase: 'interrupting' } },
          invoke: {
            src: 'interruptTurns',
            input: how,
            onDone: '#supervisor.stopping',
            onError: '#supervisor.stopping',
          },
          on: { 'deadline.phase': '#supervisor.stopping', 'supervisor.hurry': {} },
        },
      },
    },
    stopping: {
      initial: 'closing',
      states: {
        closing: {
          entry: { type: 'enter', params: { phase: 'closing' } },
          invoke: { src: 'closeChildren', input: how, onDone: 'flushing', onError: 'killing' },
          on: {
            'deadline.phase': 'killing',
            'supervisor.shutdown': {
              actions: [
                { type: 'allowClose', params: ({ event }) => event },
                { type: 'rearm', params: ({ event }) => ({ phase: 'closing' as const, at: event.at }) },
              ],
            },
          },
        },
        killing: {
          entry: { type: 'enter', params: { phase: 'killing' } },
          invoke: { src: 'killChildren', input: how, onDone: 'flushing', onError: 'flushing' },
          on: { 'deadline.phase': 'flushing' },
        },
        flushing: {
          entry: { type: 'enter', params: { phase: 'flushing' } },
          invoke: { src: 'flushChildren', input: how, onDone: '#supervisor.stopped', onError: '#supervisor.stopped' },
          on: { 'deadline.phase': '#supervisor.stopped' },
        },
      },
    },
    stopped: { entry: { type: 'enter', params: { phase: 'stopped' } }, type: 'final' },
  },
});

function deadlineOf(phase: SupervisorPhase, at: number, context: SupervisorContext): number | null {
  const { deadlines, turnsUntil, closeUntil } = context;
  switch (phase) {
    case 'stopping-admission':
      return earlier(momentAfter(at, deadlines.admissionMs), turnsUntil);
    case 'finishing-turns':
      return turnsUntil;
    case 'interrupting':
      return momentAfter(at, deadlines.interruptMs);
    case 'closing':
      return earlier(momentAfter(at, deadlines.closeMs), closeUntil);
    case 'killing':
      return momentAfter(at, deadlines.killMs);
    case 'flushing':
      return momentAfter(at, deadlines.flushMs);
    default:
      return null;
  }
}

/** Commands carry the time, and so does the end of a port's work; a deadline that passed has its own. */
function timeOf(event: unknown): number | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  if ('at' in event && typeof event.at === 'number') return event.at;
  return 'output' in event ? timeOf(event.output) : undefined;
}
