import { assign, emit, sendTo, setup, spawnChild, stopChild } from 'xstate';
import type { EndCause } from '../session/session.events.ts';
import {
  afterRestart,
  type ChildContext,
  type ChildInput,
  type ChildOutput,
  consequenceOf,
  initialChild,
  type Parking,
  type PauseReason,
  rememberedEnd,
} from './child.context.ts';
import type { ChildEvent, ChildNotice, ChildStateName, IncarnationCommand } from './child.events.ts';
import { admission, incarnation } from './child.ports.ts';
import { endingOf } from './endings.ts';
import type { ComebackState } from './restored-child.ts';

const STOPPED: EndCause = { code: 'closed', message: 'The owner asked for the end.', ending: 'asked' };

const STOP = { target: 'stopped', actions: [{ type: 'blame', params: { cause: STOPPED } }, 'noteWhy'] } as const;

const CLOSE = { type: 'closeIncarnation', params: { mode: 'close' } } as const;

/**
 * A session under supervision: it outlives its incarnations. A restart is a new incarnation that resumes the
 * conversation (P8); too many of them, or an end that would only repeat itself, set the session aside instead of losing it.
 */
export const childMachine = setup({
  types: {
    input: {} as ChildInput,
    context: {} as ChildContext,
    events: {} as ChildEvent,
    emitted: {} as ChildNotice,
    output: {} as ChildOutput,
  },
  actors: { admission, incarnation },
  actions: {
    announce: emit((_, params: { state: ChildStateName }) => ({ type: 'state.entered' as const, state: params.state })),
    countIncarnation: assign(({ context }) => ({ incarnation: context.incarnation + 1, readyAt: null })),
    spawnIncarnation: spawnChild('incarnation', {
      id: 'incarnation',
      input: ({ context }) => ({ id: context.id, incarnation: context.incarnation }),
    }),
    forgetIncarnation: stopChild('incarnation'),
    closeIncarnation: sendTo('incarnation', (_, params: { mode: 'close' | 'kill' }) => {
      return { type: `incarnation.${params.mode}` } satisfies IncarnationCommand;
    }),
    /** A session comes back to ready after each question; its uptime counts from the first time. */
    markReady: assign(({ context }, params: { at: number }) => ({
      wasEverReady: true,
      readyAt: context.readyAt ?? params.at,
    })),
    blame: assign((_, params: { cause: EndCause }) => ({ cause: params.cause })),
    /** Why somebody ends it, where that says more than that somebody does. */
    noteWhy: assign(({ context, event }) => ({
      stoppedFor: context.stoppedFor ?? (event.type === 'child.stop' ? (event.cause ?? null) : null),
    })),
    blameWhy: assign(({ context }) => ({ cause: context.stoppedFor ?? context.cause })),
    rememberEnd: assign(({ context }, params: { cause: EndCause; at: number }) =>
      rememberedEnd(context, params.cause, params.at),
    ),
    planRestart: assign(({ context }, params: { cause: EndCause; at: number; chance: number }) =>
      afterRestart(context, params),
    ),
    forgetRetry: assign({ retriedFor: null }),
    pardon: assign({ restarts: [], failures: 0, failed: [], retriedFor: null }),
    pauseFor: assign((_, params: { reason: PauseReason }) => ({ pausedFor: params.reason })),
    park: assign((_, params: Parking) => ({ parking: params, wasAsleep: false })),
    repark: assign((_, params: Parking) => ({ parking: params })),
    parkAsleep: assign((_, params: Parking) => ({ parking: params, wasAsleep: true })),
    wakeLater: assign({ wasAsleep: false }),
    unpark: assign({ parking: null, wasAsleep: false }),
  },
  guards: {
    comesBack: ({ context }, params: { to: ComebackState }) => context.comeback === params.to,
    mayTryAgain: ({ context }) => context.wasEverReady || !context.autoStart || context.comeback !== null,
    isStartedByHand: ({ context }) => !context.autoStart,
    isMember: ({ context }) => context.isMember,
    isToBeHeld: ({ context }) => context.pausedFor === 'hold',
    isToBeParked: ({ context }) => context.pausedFor === 'park',
    wasAsleep: ({ context }) => context.wasAsleep,
    isToBeRestarted: ({ context }) => context.pausedFor === 'restart',
    leftSurvivors: (_, params: { cause: EndCause }) => params.cause.ending === 'survivors',
    meansHold: ({ context }, params: { cause: EndCause; at: number }) =>
      consequenceOf(context, params.cause, params.at) === 'hold',
    meansRestart: ({ context }, params: { cause: EndCause; at: number }) =>
      consequenceOf(context, params.cause, params.at) === 'restart',
    meansQuarantine: ({ context }, params: { cause: EndCause; at: number }) =>
      consequenceOf(context, params.cause, params.at) === 'quarantine',
  },
  delays: { backoff: ({ context }) => context.backoffMs },
}).createMachine({
  id: 'child',
  context: ({ input }) => initialChild(input),
  initial: 'registered',
  on: {
    // Commands that change nothing in the present state are heard and have no effect.
    'child.start': {},
    'child.hibernate': {},
    'child.hold': {},
    'child.restart': {},
    'child.quarantine': {},
    'child.park': {},
    'child.unpark': {},
    'incarnation.ready': {},
    'incarnation.progressed': {},
    'incarnation.ended': {},
  },
  states: {
    registered: {
      always: [
        comeback('hibernated'),
        comeback('waiting'),
        comeback('held'),
        comeback('parked'),
        comeback('backing-off'),
        comeback('quarantined'),
        comeback('stopped'),
        { guard: 'isStartedByHand', target: 'hibernated' },
        { target: 'waiting' },
      ],
    },
    hibernated: {
      entry: { type: 'announce', params: { state: 'hibernated' } },
      on: {
        'child.start': 'waiting',
        'child.hold': 'held',
        'child.park': { target: 'parked', actions: { type: 'parkAsleep', params: ({ event }) => parkingOf(event) } },
        'child.stop': STOP,
      },
    },
    waiting: {
      entry: { type: 'announce', params: { state: 'waiting' } },
      invoke: {
        src: 'admission',
        input: ({ context }) => ({ id: context.id, incarnation: context.incarnation + 1 }),
        onDone: 'running',
        onError: [
          {
            guard: 'isMember',
            target: 'held',
            actions: { type: 'blame', params: ({ event }) => ({ cause: causeOf(event.error) }) },
          },
          {
            // A session with a conversation, with a first prompt to come, or from another host is not lost when there is no room (P8).
            guard: 'mayTryAgain',
            target: 'hibernated',
            actions: { type: 'blame', params: ({ event }) => ({ cause: causeOf(event.error) }) },
          },
          {
            target: 'stopped',
            actions: { type: 'blame', params: ({ event }) => ({ cause: causeOf(event.error) }) },
          },
        ],
      },
      on: {
        'child.hold': 'held',
        'child.park': { target: 'parked', actions: { type: 'park', params: ({ event }) => parkingOf(event) } },
        'child.stop': STOP,
      },
    },
    running: {
      entry: [{ type: 'announce', params: { state: 'running' } }, 'countIncarnation', 'spawnIncarnation'],
      on: {
        'incarnation.ready': { actions: { type: 'markReady', params: ({ event }) => ({ at: event.at }) } },
        'incarnation.progressed': { actions: 'forgetRetry' },
        'incarnation.ended': [
          {
            guard: { type: 'meansHold', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            target: 'held',
            actions: [
              'forgetIncarnation',
              { type: 'rememberEnd', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            ],
          },
          {
            guard: { type: 'meansRestart', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            target: 'backing-off',
            actions: [
              'forgetIncarnation',
              {
                type: 'planRestart',
                params: ({ event }) => ({ cause: event.cause, at: event.at, chance: event.chance }),
              },
              { type: 'rememberEnd', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            ],
          },
          {
            guard: { type: 'meansQuarantine', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            target: 'quarantined',
            actions: [
              'forgetIncarnation',
              { type: 'rememberEnd', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            ],
          },
          {
            target: 'stopped',
            actions: [
              'forgetIncarnation',
              { type: 'rememberEnd', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            ],
          },
        ],
        'child.hibernate': {
          target: 'pausing',
          actions: [{ type: 'pauseFor', params: { reason: 'hibernate' } }, CLOSE],
        },
        'child.hold': { target: 'pausing', actions: [{ type: 'pauseFor', params: { reason: 'hold' } }, CLOSE] },
        'child.restart': { target: 'pausing', actions: [{ type: 'pauseFor', params: { reason: 'restart' } }, CLOSE] },
        'child.park': {
          target: 'pausing',
          actions: [
            { type: 'pauseFor', params: { reason: 'park' } },
            { type: 'park', params: ({ event }) => parkingOf(event) },
            CLOSE,
          ],
        },
        'child.stop': {
          target: 'stopping',
          actions: ['noteWhy', { type: 'closeIncarnation', params: ({ event }) => ({ mode: event.mode }) }],
        },
      },
    },
    // The process is asked to end, and the session stays. What is asked meanwhile decides what follows.
    pausing: {
      entry: { type: 'announce', params: { state: 'pausing' } },
      on: {
        // A group says itself when a session that it holds goes on, and who parked one when that does.
        'child.start': [
          { guard: 'isToBeHeld' },
          { guard: 'isToBeParked' },
          { actions: { type: 'pauseFor', params: { reason: 'restart' } } },
        ],
        'child.restart': [{ guard: 'isToBeParked' }, { actions: { type: 'pauseFor', params: { reason: 'restart' } } }],
        'child.park': [
          { guard: 'isToBeHeld' },
          {
            actions: [
              { type: 'pauseFor', params: { reason: 'park' } },
              { type: 'park', params: ({ event }) => parkingOf(event) },
            ],
          },
        ],
        'child.unpark': {
          guard: 'isToBeParked',
          actions: ['unpark', { type: 'pauseFor', params: { reason: 'restart' } }],
        },
        'child.hold': { actions: { type: 'pauseFor', params: { reason: 'hold' } } },
        'child.stop': {
          target: 'stopping',
          actions: ['noteWhy', { type: 'closeIncarnation', params: ({ event }) => ({ mode: event.mode }) }],
        },
        'incarnation.ended': [
          {
            // No process may be started beside survivors of the old one (WIRE §25.14).
            guard: { type: 'leftSurvivors', params: ({ event }) => ({ cause: event.cause }) },
            target: 'quarantined',
            actions: [
              'forgetIncarnation',
              { type: 'rememberEnd', params: ({ event }) => ({ cause: event.cause, at: event.at }) },
            ],
          },
          { guard: 'isToBeRestarted', target: 'waiting', actions: 'forgetIncarnation' },
          { guard: 'isToBeHeld', target: 'held', actions: 'forgetIncarnation' },
          { guard: 'isToBeParked', target: 'parked', actions: 'forgetIncarnation' },
          { target: 'hibernated', actions: 'forgetIncarnation' },
        ],
      },
    },
    held: {
      entry: { type: 'announce', params: { state: 'held' } },
      on: {
        'child.start': 'waiting',
        'child.quarantine': 'quarantined',
        'child.stop': STOP,
      },
    },
    // No process, and no slot held. Only who parked it says when it goes on; its prompts wait.
    parked: {
      entry: { type: 'announce', params: { state: 'parked' } },
      on: {
        'child.park': {
          target: 'parked',
          reenter: true,
          actions: { type: 'repark', params: ({ event }) => parkingOf(event) },
        },
        'child.unpark': [
          { guard: 'wasAsleep', target: 'hibernated', actions: 'unpark' },
          { target: 'waiting', actions: 'unpark' },
        ],
        // Somebody wants it with a process: a prompt, or its group.
        'child.start': { actions: 'wakeLater' },
        'child.hold': { target: 'held', actions: 'unpark' },
        'child.stop': STOP,
      },
    },
    'backing-off': {
      entry: { type: 'announce', params: { state: 'backing-off' } },
      on: {
        'child.start': 'waiting',
        'child.park': { target: 'parked', actions: { type: 'park', params: ({ event }) => parkingOf(event) } },
        'child.stop': STOP,
      },
      after: { backoff: 'waiting' },
    },
    quarantined: {
      entry: { type: 'announce', params: { state: 'quarantined' } },
      on: {
        'child.start': { target: 'waiting', actions: 'pardon' },
        'child.hold': { target: 'held', actions: 'pardon' },
        'child.stop': { target: 'stopped', actions: 'noteWhy' },
      },
    },
    stopping: {
      entry: { type: 'announce', params: { state: 'stopping' } },
      on: {
        'child.stop': {
          actions: ['noteWhy', { type: 'closeIncarnation', params: ({ event }) => ({ mode: event.mode }) }],
        },
        'incarnation.ended': {
          target: 'stopped',
          actions: ['forgetIncarnation', { type: 'blame', params: ({ event }) => ({ cause: event.cause }) }],
        },
      },
    },
    stopped: { entry: ['blameWhy', { type: 'announce', params: { state: 'stopped' } }], type: 'final' },
  },
  output: ({ context }) => ({ cause: context.cause ?? STOPPED }),
});

/** Where another host had it before, it goes on where that left it. */
function comeback<S extends ComebackState>(to: S) {
  return { guard: { type: 'comesBack', params: { to } }, target: to } as const;
}

function parkingOf({ reason, until, note }: Parking): Parking {
  return { reason, until, note };
}

/** Ports reject with plain causes; anything else is a programming error and named as such. */
function causeOf(error: unknown): EndCause {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    const message = 'reason' in error && typeof error.reason === 'string' ? error.reason : '';
    const details = 'details' in error && isRecord(error.details) ? { details: error.details } : {};
    return { code: error.code, message, ending: endingOf(error.code), ...details };
  }
  return { code: 'SPAWN_FAILED', message: String(error), ending: 'start-refused' };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
