import { assign, emit, enqueueActions, setup } from 'xstate';
import {
  type AccountContext,
  type AccountInput,
  AT_REST,
  initialAccount,
  type LimitReached,
  walledBy,
  walledBySilence,
  withoutWaiting,
  withWaiting,
} from './account.context.ts';
import type { AccountEvent, AccountNotice, AccountStateName } from './account.events.ts';
import { moment, newLogin } from './account.ports.ts';
import type { AccountComeback } from './restored-account.ts';

/**
 * One account that many sessions share: its limits and its login (R86, R89). A wall is met once: no session works until the
 * reset, then one tries, and when the API answers that one the others follow, one after the other.
 */
export const accountMachine = setup({
  types: {
    input: {} as AccountInput,
    context: {} as AccountContext,
    events: {} as AccountEvent,
    emitted: {} as AccountNotice,
  },
  actors: { moment, newLogin },
  actions: {
    announce: emit((_, params: { state: AccountStateName }) => ({
      type: 'state.entered' as const,
      state: params.state,
    })),
    rest: assign({ ...AT_REST, probe: null }),
    meetWall: enqueueActions(({ context, enqueue }, params: LimitReached & { isWalled: boolean }) => {
      const changes = walledBy(context, params, params.isWalled);
      const { resumeAt = context.resumeAt } = changes;
      enqueue.assign(changes);
      // Everybody who met the same wall reports it, and it is told once.
      const { window, resetsAt } = params;
      const isKnown = context.walls.some((wall) => wall.window === window && wall.resetsAt === resetsAt);
      if (Object.keys(changes).length === 0 || (isKnown && params.isWalled)) return;
      enqueue.emit({ type: 'wall.changed', window, resetsAt, resumeAt });
    }),
    meetSilence: assign(({ context }) => walledBySilence(context)),
    lock: assign((_, params: { message: string }) => ({ lock: params.message, probe: null })),
    unlock: assign({ lock: null }),
    beginProbing: assign((_, params: { at: number }) => ({ probedAt: params.at, walls: [], resumeAt: null })),
    enqueueSession: assign(({ context }, params: { id: string; hasWork: boolean }) => ({
      waiting: withWaiting(context, { id: params.id, hasWork: params.hasWork }),
    })),
    dequeueSession: assign(({ context }, params: { id: string }) => ({ waiting: withoutWaiting(context, params.id) })),
    forgetProbe: assign({ probe: null }),
    /** Who has nothing to ask the API may start; of the others the oldest tries. */
    chooseProbe: enqueueActions(({ context, enqueue }) => {
      const probe = context.probe ?? context.waiting.find(({ hasWork }) => hasWork)?.id ?? null;
      const idle = context.waiting.filter(({ hasWork }) => !hasWork);
      enqueue.assign({ probe, waiting: context.waiting.filter(({ id, hasWork }) => hasWork && id !== probe) });
      if (probe !== null && probe !== context.probe) {
        enqueue.emit({ type: 'session.released', id: probe, isProbe: true });
      }
      for (const { id } of idle) enqueue.emit({ type: 'session.released', id, isProbe: false });
    }),
    releaseNext: enqueueActions(({ context, enqueue }) => {
      const [next, ...waiting] = context.waiting;
      if (next === undefined) return;
      enqueue.assign({ waiting });
      enqueue.emit({ type: 'session.released', id: next.id, isProbe: false });
    }),
    release: emit((_, params: { id: string }) => ({
      type: 'session.released' as const,
      id: params.id,
      isProbe: false,
    })),
  },
  guards: {
    comesBack: ({ context }, params: { to: AccountComeback }) => context.comeback === params.to,
    isProbe: ({ context }, params: { id: string }) => context.probe === params.id,
    isProbed: ({ context }) => context.probe !== null,
    nobodyWaits: ({ context }) => context.waiting.length === 0,
    isStillWalled: ({ context }, params: { at: number }) =>
      context.walls.length > 0 && (context.resumeAt === null || context.resumeAt > params.at),
  },
  delays: {
    stagger: ({ context }) => context.policy.staggerMs,
    probeDeadline: ({ context }) => context.policy.probeMs,
  },
}).createMachine({
  id: 'account',
  context: ({ input }) => initialAccount(input),
  initial: 'known',
  on: {
    // What changes nothing in the present state is heard and has no effect.
    'limit.reached': {
      target: '.walled',
      actions: { type: 'meetWall', params: ({ event }) => ({ ...event, isWalled: false }) },
    },
    'login.failed': {
      target: '.locked',
      actions: { type: 'lock', params: ({ event }) => ({ message: event.message }) },
    },
    'login.renewed': {},
    'account.resume': {},
    'session.waiting': { actions: { type: 'enqueueSession', params: ({ event }) => event } },
    'session.left': { actions: { type: 'dequeueSession', params: ({ event }) => ({ id: event.id }) } },
    'session.passed': {},
  },
  states: {
    // Another host may have left it anywhere.
    known: {
      always: [
        { guard: { type: 'comesBack', params: { to: 'walled' } }, target: 'walled' },
        { guard: { type: 'comesBack', params: { to: 'probing' } }, target: 'probing' },
        { target: 'open' },
      ],
    },
    open: {
      entry: [{ type: 'announce', params: { state: 'open' } }, 'rest'],
      on: { 'session.waiting': { actions: { type: 'release', params: ({ event }) => ({ id: event.id }) } } },
    },
    walled: {
      entry: [{ type: 'announce', params: { state: 'walled' } }, 'forgetProbe'],
      invoke: {
        src: 'moment',
        input: ({ context }) => ({ at: context.resumeAt }),
        onDone: {
          target: 'probing',
          actions: { type: 'beginProbing', params: ({ event }) => ({ at: event.output }) },
        },
        // A clock that cannot be waited for leaves it to people.
        onError: {},
      },
      on: {
        'limit.reached': {
          target: 'walled',
          reenter: true,
          actions: { type: 'meetWall', params: ({ event }) => ({ ...event, isWalled: true }) },
        },
        'account.resume': {
          target: 'probing',
          actions: { type: 'beginProbing', params: ({ event }) => ({ at: event.at }) },
        },
      },
    },
    // Without anybody to try it stays: the first that comes tries.
    probing: {
      entry: [{ type: 'announce', params: { state: 'probing' } }, 'chooseProbe'],
      on: {
        'session.waiting': [
          {
            guard: 'isProbed',
            actions: [{ type: 'enqueueSession', params: ({ event }) => event }, 'chooseProbe'],
          },
          {
            target: 'probing',
            reenter: true,
            actions: [
              { type: 'enqueueSession', params: ({ event }) => event },
              { type: 'beginProbing', params: ({ event }) => ({ at: event.at }) },
            ],
          },
        ],
        'session.left': [
          {
            guard: { type: 'isProbe', params: ({ event }) => ({ id: event.id }) },
            target: 'probing',
            reenter: true,
            actions: ['forgetProbe', { type: 'beginProbing', params: ({ event }) => ({ at: event.at }) }],
          },
          { actions: { type: 'dequeueSession', params: ({ event }) => ({ id: event.id }) } },
        ],
        'session.passed': {
          guard: { type: 'isProbe', params: ({ event }) => ({ id: event.id }) },
          target: 'releasing',
          actions: 'forgetProbe',
        },
      },
      after: { probeDeadline: { guard: 'isProbed', target: 'walled', actions: 'meetSilence' } },
    },
    releasing: {
      entry: { type: 'announce', params: { state: 'releasing' } },
      always: { guard: 'nobodyWaits', target: 'open' },
      after: { stagger: { target: 'releasing', reenter: true, actions: 'releaseNext' } },
    },
    // Only other credentials, or somebody, can help.
    locked: {
      entry: { type: 'announce', params: { state: 'locked' } },
      invoke: {
        src: 'newLogin',
        input: ({ context }) => ({ key: context.key }),
        onDone: [
          {
            guard: { type: 'isStillWalled', params: ({ event }) => ({ at: event.output }) },
            target: 'walled',
            actions: 'unlock',
          },
          {
            target: 'probing',
            actions: ['unlock', { type: 'beginProbing', params: ({ event }) => ({ at: event.output }) }],
          },
        ],
        // Where nobody can tell, somebody has to say so.
        onError: {},
      },
      on: {
        'login.failed': {},
        'limit.reached': { actions: { type: 'meetWall', params: ({ event }) => ({ ...event, isWalled: true }) } },
        'login.renewed': [
          {
            guard: { type: 'isStillWalled', params: ({ event }) => ({ at: event.at }) },
            target: 'walled',
            actions: 'unlock',
          },
          {
            target: 'probing',
            actions: ['unlock', { type: 'beginProbing', params: ({ event }) => ({ at: event.at }) }],
          },
        ],
        'account.resume': {
          target: 'probing',
          actions: ['unlock', { type: 'beginProbing', params: ({ event }) => ({ at: event.at }) }],
        },
      },
    },
  },
});
