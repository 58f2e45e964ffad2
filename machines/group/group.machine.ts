import { assign, emit, enqueueActions, sendTo, setup } from 'xstate';
import { backoffMs } from '../child/child-spec.ts';
import type { EndCause } from '../session/session.events.ts';
import { type GroupContext, type GroupInput, type GroupOutput, initialGroup } from './group.context.ts';
import type { GroupEvent, GroupNotice, GroupStateName, MembersCommand } from './group.events.ts';
import { endMembers, holdMembers, members, startMembers } from './group.ports.ts';
import { type GroupVerdict, type MemberEnd, verdictOn, withStatus } from './strategy.ts';

const STOPPED: EndCause = { code: 'closed', message: 'The owner asked for the end.', ending: 'asked' };
const SHUT_DOWN: EndCause = { code: 'closed', message: 'Its significant members have ended.', ending: 'asked' };

type Ended = MemberEnd & { readonly chance: number };

/**
 * Sessions, and groups of them, that stand or fall together (DESIGN, strategies; SEMANTICS, OTP). Started in order, stopped
 * in reverse. More restarts than the intensity allows, and the group gives up: a nested one tells the group above it, the
 * outermost is set aside, with everything in it kept.
 */
export const groupMachine = setup({
  types: {
    input: {} as GroupInput,
    context: {} as GroupContext,
    events: {} as GroupEvent,
    emitted: {} as GroupNotice,
    output: {} as GroupOutput,
  },
  actors: { startMembers, holdMembers, endMembers, members },
  actions: {
    announce: emit((_, params: { state: GroupStateName }) => ({ type: 'state.entered' as const, state: params.state })),
    pardon: assign(({ context }) => ({
      restarts: [],
      startsAt: null,
      cause: null,
      isShuttingDown: false,
      members: context.members.map((member) =>
        member.status === 'terminated' ? member : { ...member, status: 'up' as const },
      ),
    })),
    beAsked: assign({ isShuttingDown: false }),
    blame: assign((_, params: { cause: EndCause }) => ({ cause: params.cause })),
    /** The member's end as its verdict says. */
    answer: enqueueActions(({ context, enqueue }, params: Ended) => {
      const verdict = verdictFor(context, params);
      if (verdict.kind === 'give-up') {
        enqueue.assign({ restarts: verdict.restarts, cause: params.cause });
        return;
      }
      enqueue.assign({ members: verdict.members });
      if (verdict.kind === 'shut-down') enqueue.assign({ cause: SHUT_DOWN, isShuttingDown: true });
      if (verdict.kind === 'set-aside') {
        enqueue.sendTo('members', { type: 'members.set-aside', ids: [params.id] } satisfies MembersCommand);
      }
      if (verdict.kind !== 'restart') return;
      const { hold, start, restarts } = verdict;
      const delayMs = backoffMs(context.backoff, restarts.length, params.chance);
      enqueue.assign({ restarts, startsAt: params.at + delayMs });
      enqueue.emit({
        type: 'member.restarting',
        id: params.id,
        cause: params.cause,
        start,
        delayMs,
        restarts: restarts.length,
      });
      enqueue.sendTo('members', { type: 'members.restart', hold, start, delayMs } satisfies MembersCommand);
    }),
    markUp: assign(({ context }, params: { id: string }) => ({
      members: context.members.map((member) =>
        member.id === params.id && member.status !== 'terminated' ? { ...member, status: 'up' as const } : member,
      ),
      startsAt: null,
    })),
    add: assign(({ context, event }) =>
      event.type === 'member.added'
        ? { members: [...context.members, { ...event.member, status: 'up' as const }] }
        : {},
    ),
    terminate: assign(({ context, event }) =>
      event.type === 'member.terminated' ? { members: withStatus(context.members, [event.id], 'terminated') } : {},
    ),
    want: assign(({ context, event }) =>
      event.type === 'member.wanted' ? { members: withStatus(context.members, [event.id], 'up') } : {},
    ),
    remove: assign(({ context, event }) =>
      event.type === 'member.deleted' ? { members: context.members.filter(({ id }) => id !== event.id) } : {},
    ),
    /** Members that another host had begun to start again; first those are stopped that came back by themselves. */
    restartAgain: sendTo('members', ({ context }) => {
      const start = context.members.filter(({ status }) => status === 'restarting').map(({ id }) => id);
      return {
        type: 'members.restart',
        hold: start.toReversed(),
        start,
        delayMs: context.leftMs,
      } satisfies MembersCommand;
    }),
    recall: sendTo('members', { type: 'members.restart', hold: [], start: [], delayMs: 0 } satisfies MembersCommand),
  },
  guards: {
    comesBack: ({ context }, params: { to: GroupStateName }) => context.comeback === params.to,
    isRestarting: ({ context }) =>
      context.comeback === 'running' && context.members.some(({ status }) => status === 'restarting'),
    isNested: ({ context }) => context.isNested,
    /** What the end of a nested group means is for the group above it to say. */
    endedByItself: ({ context }) => context.isNested && context.isShuttingDown,
    meansEnd: ({ context }, params: Ended) => verdictFor(context, params).kind === 'shut-down',
    meansGivingUp: ({ context }, params: Ended) => verdictFor(context, params).kind === 'give-up',
  },
}).createMachine({
  id: 'group',
  context: ({ input }) => initialGroup(input),
  initial: 'known',
  invoke: { id: 'members', src: 'members' },
  on: {
    // Commands and news that change nothing in the present state are heard and have no effect.
    'group.start': {},
    'group.hold': {},
    'group.quarantine': {},
    'group.stop': { target: '.stopping', actions: 'beAsked' },
    'member.ended': {},
    'member.started': { actions: { type: 'markUp', params: ({ event }) => ({ id: event.id }) } },
    'member.added': { actions: 'add' },
    'member.terminated': { actions: 'terminate' },
    'member.wanted': { actions: 'want' },
    'member.deleted': { actions: 'remove' },
  },
  states: {
    // Another host may have left it anywhere.
    known: {
      always: [
        { guard: 'isRestarting', target: 'running', actions: 'restartAgain' },
        comeback('running'),
        comeback('giving-up'),
        comeback('holding'),
        comeback('held'),
        comeback('quarantined'),
        comeback('stopping'),
        comeback('stopped'),
        { target: 'starting' },
      ],
    },
    starting: {
      entry: { type: 'announce', params: { state: 'starting' } },
      invoke: {
        src: 'startMembers',
        input: ({ context }) => ({ ids: startable(context) }),
        onDone: 'running',
        onError: [
          {
            guard: 'isNested',
            target: 'held',
            actions: { type: 'blame', params: ({ event }) => ({ cause: causeOf(event.error) }) },
          },
          {
            target: 'stopping',
            actions: { type: 'blame', params: ({ event }) => ({ cause: causeOf(event.error) }) },
          },
        ],
      },
      on: { 'group.hold': 'holding' },
    },
    running: {
      entry: { type: 'announce', params: { state: 'running' } },
      on: {
        'member.ended': [
          {
            guard: { type: 'meansEnd', params: ({ event }) => event },
            target: 'stopping',
            actions: { type: 'answer', params: ({ event }) => event },
          },
          {
            guard: { type: 'meansGivingUp', params: ({ event }) => event },
            target: 'giving-up',
            actions: { type: 'answer', params: ({ event }) => event },
          },
          { actions: { type: 'answer', params: ({ event }) => event } },
        ],
        'group.hold': 'holding',
      },
    },
    'giving-up': {
      entry: [{ type: 'announce', params: { state: 'giving-up' } }, 'recall'],
      invoke: {
        src: 'holdMembers',
        input: ({ context }) => ({ ids: reversed(context) }),
        onDone: [{ guard: 'isNested', target: 'held' }, { target: 'quarantined' }],
        onError: [{ guard: 'isNested', target: 'held' }, { target: 'quarantined' }],
      },
    },
    holding: {
      entry: [{ type: 'announce', params: { state: 'holding' } }, 'recall'],
      invoke: {
        src: 'holdMembers',
        input: ({ context }) => ({ ids: reversed(context) }),
        onDone: 'held',
        onError: 'held',
      },
    },
    held: {
      entry: { type: 'announce', params: { state: 'held' } },
      on: { 'group.start': { target: 'starting', actions: 'pardon' }, 'group.quarantine': 'quarantined' },
    },
    quarantined: {
      entry: [
        { type: 'announce', params: { state: 'quarantined' } },
        sendTo('members', ({ context }) => {
          return { type: 'members.set-aside', ids: reversed(context) } satisfies MembersCommand;
        }),
      ],
      on: { 'group.start': { target: 'starting', actions: 'pardon' }, 'group.hold': 'held' },
    },
    stopping: {
      entry: [{ type: 'announce', params: { state: 'stopping' } }, 'recall'],
      on: { 'group.stop': { actions: 'beAsked' } },
      invoke: {
        src: 'endMembers',
        input: ({ context }) => ({ ids: reversed(context) }),
        onDone: [{ guard: 'endedByItself', target: 'held' }, { target: 'stopped' }],
        onError: [{ guard: 'endedByItself', target: 'held' }, { target: 'stopped' }],
      },
    },
    stopped: { entry: { type: 'announce', params: { state: 'stopped' } }, type: 'final' },
  },
  output: ({ context }) => ({ cause: context.cause ?? STOPPED }),
});

function comeback<S extends GroupStateName>(to: S) {
  return { guard: { type: 'comesBack', params: { to } }, target: to } as const;
}

function verdictFor(context: GroupContext, end: Ended): GroupVerdict {
  return verdictOn(end, context.members, context.restarts, context);
}

/** Who was taken down, or has ended for good, is not started with the others. */
function startable({ members }: GroupContext): readonly string[] {
  return members.filter(({ status }) => status === 'up').map(({ id }) => id);
}

function reversed({ members }: GroupContext): readonly string[] {
  return members.map(({ id }) => id).reverse();
}

/** Ports reject with plain causes; anything else is a programming error and named as such. */
function causeOf(error: unknown): EndCause {
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error && 'ending' in error) {
    return error as EndCause;
  }
  return { code: 'SPAWN_FAILED', message: String(error), ending: 'start-refused' };
}
