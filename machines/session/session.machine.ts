import { assign, cancel, emit, enqueueActions, raise, sendTo, setup } from 'xstate';
import { ASKED, KILLED, overdue, requiredServerMissing, survived, unseen, withSurvivors } from './session.causes.ts';
import {
  awaitedServers,
  degradedServers,
  endIsSeen,
  endWasAskedAndSeen,
  initialContext,
  isSettled,
  type McpStatus,
  NO_TURN,
  newsOf,
  type SessionContext,
  type SessionInput,
  type SessionOutput,
  withServer,
} from './session.context.ts';
import { sessionDelays } from './session.delays.ts';
import type { EndCause, LinkCommand, SessionEvent, SessionNotice, SessionStateName } from './session.events.ts';
import { cliLink } from './session.ports.ts';

const INTERRUPTING = ['markInterrupting', 'armInterruptDeadline'] as const;

/**
 * One incarnation of a session: one CLI process from spawn to the seen end of its process tree.
 * Ready means that `initialize` was answered: `system/init` opens each turn and is no start-up signal (WIRE §0.1, §25.1).
 */
export const sessionMachine = setup({
  types: {
    input: {} as SessionInput,
    context: {} as SessionContext,
    events: {} as
      | SessionEvent
      | { type: 'deadline.initialize' }
      | { type: 'deadline.interrupt' }
      | { type: 'deadline.turn' },
    emitted: {} as SessionNotice,
    /** `unmoved-by-passage`: a question that was asked and settled in one moment is told, and changes nothing. */
    tags: {} as 'unmoved-by-passage',
    output: {} as SessionOutput,
  },
  actors: { cliLink },
  actions: {
    announce: emit((_, params: { state: SessionStateName }) => ({
      type: 'state.entered' as const,
      state: params.state,
    })),
    announcePassage: emit({ type: 'state.passed' }),
    tellIdle: emit({ type: 'idle.overdue' }),
    tellTurnOverdue: emit({ type: 'turn.overdue' }),
    tellInterruptOverdue: emit({ type: 'interrupt.overdue' }),
    initialize: sendTo('link', { type: 'link.initialize' } satisfies LinkCommand),
    interrupt: sendTo('link', { type: 'link.interrupt' } satisfies LinkCommand),
    endInput: sendTo('link', { type: 'link.end-input' } satisfies LinkCommand),
    terminate: sendTo('link', { type: 'link.terminate' } satisfies LinkCommand),
    reap: sendTo('link', { type: 'link.reap' } satisfies LinkCommand),
    armInitializeDeadline: raise({ type: 'deadline.initialize' }, { delay: 'initializeDeadline', id: 'initialize' }),
    disarmInitializeDeadline: cancel('initialize'),
    // A second delayed event of one id leaves the first one running: it has to be cancelled.
    armInterruptDeadline: enqueueActions(({ enqueue }) => {
      enqueue.cancel('interrupt');
      enqueue.raise({ type: 'deadline.interrupt' }, { delay: 'interruptDeadline', id: 'interrupt' });
    }),
    armTurnDeadline: enqueueActions(({ enqueue }) => {
      enqueue.cancel('turn');
      enqueue.raise({ type: 'deadline.turn' }, { delay: 'turnDeadline', id: 'turn' });
    }),
    disarmTurnDeadline: cancel('turn'),
    dropInterrupt: enqueueActions(({ enqueue }) => {
      enqueue.assign({ isInterrupting: false });
      enqueue.cancel('interrupt');
    }),
    disarmTurnDeadlines: enqueueActions(({ enqueue }) => {
      enqueue.cancel('turn');
      enqueue.cancel('interrupt');
    }),
    startTurnClock: assign((_, params: { at: number }) => ({
      isTurnOpen: true,
      turnWorkedMs: 0,
      turnWorksSince: params.at,
    })),
    /** Waiting for a human is no work of the turn (P5). */
    pauseTurnClock: assign(({ context }, params: { at: number }) =>
      context.turnWorksSince === null
        ? {}
        : { turnWorkedMs: context.turnWorkedMs + params.at - context.turnWorksSince, turnWorksSince: null },
    ),
    resumeTurnClock: assign((_, params: { at: number }) => ({ turnWorksSince: params.at })),
    rememberPid: assign((_, params: { pid: number }) => ({ pid: params.pid })),
    rememberSpeech: assign((_, params: { at: number }) => ({ spokeAt: params.at })),
    rememberExit: assign((_, params: { exit: SessionContext['exit'] }) => ({ exit: params.exit })),
    rememberTreeGone: assign((_, { survivors }: { survivors: readonly number[] }) => ({ treeIsGone: true, survivors })),
    rememberForce: assign({ wasForced: true }),
    /** The first cause wins; the exit only fills it when nobody knew better. */
    blame: assign(({ context }, params: { cause: EndCause }) => ({
      endedBecause: context.endedBecause ?? params.cause,
    })),
    blameSurvivors: assign(({ context }) =>
      context.survivors.length === 0
        ? {}
        : { endedBecause: withSurvivors(context.endedBecause, survived(context.survivors)) },
    ),
    blameUnseenEnd: assign(({ context }) => ({
      endedBecause: withSurvivors(context.endedBecause, unseen(context.timeouts.killGraceMs)),
    })),
    countTasks: assign(({ event }) => ('count' in event ? { backgroundTasks: event.count } : {})),
    startWork: assign({ isWorking: true }),
    endWork: assign({ isWorking: false, ...NO_TURN }),
    markInterrupting: assign(({ event }) => ({
      isInterrupting: true,
      interruptCause: event.type === 'session.interrupt' ? (event.cause ?? null) : null,
    })),
    closeTurn: assign(NO_TURN),
    openPermission: assign(({ context }, params: { requestId: string }) => ({
      openPermissions: context.openPermissions.includes(params.requestId)
        ? context.openPermissions
        : [...context.openPermissions, params.requestId],
    })),
    settlePermission: assign(({ context }, params: { requestId: string }) => ({
      openPermissions: context.openPermissions.filter((requestId) => requestId !== params.requestId),
    })),
    forgetPermissions: assign({ openPermissions: [] }),
    noteServer: assign(({ context }, params: { server: string; status: McpStatus; reason?: string }) => ({
      mcp: withServer(context.mcp, params.server, params.status, params.reason),
    })),
    blameSlowSpawn: assign(({ context }) => ({
      endedBecause: context.endedBecause ?? overdue('SPAWN_TIMEOUT', context.timeouts.spawnMs),
    })),
    blameSilentStart: assign(({ context }) => ({
      endedBecause: context.endedBecause ?? overdue('INITIALIZE_TIMEOUT', context.timeouts.initializeMs),
    })),
    blameInterrupt: assign(({ context }) => ({
      endedBecause:
        context.endedBecause ?? context.interruptCause ?? overdue('INTERRUPT_TIMEOUT', context.timeouts.interruptMs),
    })),
    blameRequiredServer: assign(({ context }) => ({
      endedBecause: context.endedBecause ?? requiredServerMissing(degradedServers(context)),
    })),
  },
  guards: {
    hasServers: ({ context }) => awaitedServers(context).length > 0,
    requiredServerFailed: ({ context }) => context.mcp.some((server) => server.required && server.status === 'failed'),
    requiredServerMissing: ({ context }) =>
      degradedServers(context).some(({ required, status }) => required && status !== 'untold'),
    allServersSettled: ({ context }) => awaitedServers(context).every(isSettled),
    noHandshakeStarted: ({ context }) => awaitedServers(context).every(({ status }) => status === 'waiting'),
    hasOpenPermission: ({ context }) => context.openPermissions.length > 0,
    lastPermission: ({ context }, params: { requestId: string }) =>
      context.openPermissions.every((requestId) => requestId === params.requestId),
    lastPermissionOfTurn: ({ context }, params: { requestId: string }) =>
      context.isTurnOpen && context.openPermissions.every((requestId) => requestId === params.requestId),
    isInterrupting: ({ context }) => context.isInterrupting,
    hasNoTasks: ({ context }) => context.backgroundTasks === 0,
    isWorking: ({ context }) => context.isWorking,
    endIsSeen: ({ context }) => endIsSeen(context),
    endWasAskedAndSeen: ({ context }) => endWasAskedAndSeen(context),
    wasAsked: ({ context }) => context.endedBecause?.code === 'closed',
  },
  delays: sessionDelays,
}).createMachine({
  id: 'session',
  context: ({ input }) => initialContext(input),
  invoke: {
    id: 'link',
    src: 'cliLink',
    input: ({ context }) => ({ id: context.id, incarnation: context.incarnation }),
  },
  initial: 'spawning',
  on: {
    // MCP handshakes, work and permissions may be reported in every state (WIRE §25.1): nothing of it may be dropped.
    'mcp.handshake-started': { actions: { type: 'noteServer', params: ({ event }) => newsOf(event) } },
    'mcp.connected': { actions: { type: 'noteServer', params: ({ event }) => newsOf(event) } },
    'mcp.failed': { actions: { type: 'noteServer', params: ({ event }) => newsOf(event) } },
    'mcp.untold': { actions: { type: 'noteServer', params: ({ event }) => newsOf(event) } },
    'work.started': { actions: 'startWork' },
    'background.changed': { actions: 'countTasks' },
    'work.ended': { actions: ['endWork', 'disarmTurnDeadlines'] },
    'turn.started': {
      actions: [{ type: 'startTurnClock', params: ({ event }) => ({ at: event.at }) }, 'armTurnDeadline'],
    },
    'turn.ended': { actions: ['closeTurn', 'disarmTurnDeadlines'] },
    'permission.requested': {
      actions: { type: 'openPermission', params: ({ event }) => ({ requestId: event.requestId }) },
    },
    'permission.settled': {
      actions: { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) },
    },
    // While others are open, or nothing is asked any more, it is no state of its own.
    'permission.passed': {},
    'session.close': { target: '.closing', actions: { type: 'blame', params: { cause: ASKED } } },
    'session.kill': {
      target: '.closing.reaping',
      actions: [{ type: 'blame', params: { cause: KILLED } }, 'rememberForce'],
    },
    'cli.faulted': {
      target: '.closing.reaping',
      actions: [{ type: 'blame', params: ({ event }) => ({ cause: event.cause }) }, 'rememberForce'],
    },
    'cli.exited': {
      target: '.closing.reaping',
      actions: [
        { type: 'rememberExit', params: ({ event }) => ({ exit: event.exit }) },
        { type: 'blame', params: ({ event }) => ({ cause: event.cause }) },
      ],
    },
    'cli.tree-gone': { actions: { type: 'rememberTreeGone', params: ({ event }) => ({ survivors: event.survivors }) } },
    'session.interrupt-refused': { actions: 'dropInterrupt' },
    // An interrupt outside a turn stops nothing and waits for nothing.
    'session.interrupt': {},
    'cli.spoke': {},
    'cli.spawned': { actions: { type: 'rememberPid', params: ({ event }) => ({ pid: event.pid }) } },
    'cli.spawn-failed': {
      target: '.failed',
      actions: { type: 'blame', params: ({ event }) => ({ cause: event.cause }) },
    },
    // A late answer changes nothing: the state that asked is gone.
    'cli.initialized': {},
    'cli.initialize-failed': {},
  },
  states: {
    spawning: {
      entry: { type: 'announce', params: { state: 'spawning' } },
      on: {
        'cli.spawned': {
          target: 'initializing',
          actions: { type: 'rememberPid', params: ({ event }) => ({ pid: event.pid }) },
        },
      },
      after: { spawnDeadline: { target: 'closing.reaping', actions: 'blameSlowSpawn' } },
    },
    initializing: {
      entry: [{ type: 'announce', params: { state: 'initializing' } }, 'initialize', 'armInitializeDeadline'],
      exit: 'disarmInitializeDeadline',
      on: {
        'cli.spoke': {
          actions: [
            { type: 'rememberSpeech', params: ({ event }) => ({ at: event.at }) },
            'disarmInitializeDeadline',
            'armInitializeDeadline',
          ],
        },
        'cli.initialized': [{ guard: 'hasServers', target: 'mcp-setup' }, { target: 'ready' }],
        'cli.initialize-failed': {
          target: 'closing',
          actions: { type: 'blame', params: ({ event }) => ({ cause: event.cause }) },
        },
        // It ignored the handshake: it will not obey a polite end either.
        'deadline.initialize': { target: 'closing.reaping', actions: ['blameSilentStart', 'rememberForce'] },
      },
      after: { startCeiling: { target: 'closing.reaping', actions: ['blameSilentStart', 'rememberForce'] } },
    },
    'mcp-setup': {
      entry: { type: 'announce', params: { state: 'mcp-setup' } },
      always: [
        { guard: 'requiredServerFailed', target: 'closing', actions: 'blameRequiredServer' },
        { guard: 'allServersSettled', target: 'ready' },
      ],
      after: {
        // Such a CLI starts MCP with the first prompt: holding the prompt back would wait for ever (WIRE §0.4).
        handshakeGrace: { guard: 'noHandshakeStarted', target: 'ready' },
        mcpDeadline: [
          { guard: 'requiredServerMissing', target: 'closing', actions: 'blameRequiredServer' },
          { target: 'ready' },
        ],
      },
    },
    ready: {
      entry: { type: 'announce', params: { state: 'ready' } },
      initial: 'deciding',
      on: {
        'permission.requested': {
          target: 'awaiting-permission',
          actions: [
            { type: 'openPermission', params: ({ event }) => ({ requestId: event.requestId }) },
            { type: 'pauseTurnClock', params: ({ event }) => ({ at: event.at }) },
            'disarmTurnDeadline',
          ],
        },
        'permission.passed': { actions: 'announcePassage' },
      },
      states: {
        deciding: {
          always: [
            { guard: 'hasOpenPermission', target: '#session.awaiting-permission' },
            { guard: 'isInterrupting', target: 'interrupting' },
            { guard: 'isWorking', target: 'running' },
            { target: 'idle' },
          ],
        },
        idle: {
          on: {
            'work.started': { target: 'running', actions: 'startWork' },
            'background.changed': { target: 'idle', reenter: true, actions: 'countTasks' },
            // Whoever asks is not idle: the limit begins again.
            'permission.passed': { target: 'idle', reenter: true, actions: 'announcePassage' },
          },
          after: { idleDeadline: { guard: 'hasNoTasks', actions: 'tellIdle' } },
        },
        running: {
          tags: 'unmoved-by-passage',
          on: {
            'work.ended': { target: 'idle', actions: ['endWork', 'disarmTurnDeadlines'] },
            'session.interrupt': { target: 'interrupting', actions: [...INTERRUPTING] },
            'deadline.turn': { target: 'interrupting', actions: ['tellTurnOverdue', 'interrupt', ...INTERRUPTING] },
          },
        },
        interrupting: {
          tags: 'unmoved-by-passage',
          on: {
            'work.ended': { target: 'idle', actions: ['endWork', 'disarmTurnDeadlines'] },
            // A prompt that waited for the end of the interrupted turn runs now (WIRE §8).
            'turn.ended': {
              target: 'running',
              actions: ['closeTurn', 'disarmTurnDeadlines'],
            },
            'session.interrupt-refused': { target: 'running', actions: 'dropInterrupt' },
            // A second interrupt must not restart the deadline of the first.
            'session.interrupt': {},
            'deadline.interrupt': {
              target: '#session.closing.terminating',
              actions: ['tellInterruptOverdue', 'blameInterrupt'],
            },
          },
        },
      },
    },
    'awaiting-permission': {
      entry: { type: 'announce', params: { state: 'awaiting-permission' } },
      on: {
        'permission.settled': [
          {
            guard: { type: 'lastPermissionOfTurn', params: ({ event }) => ({ requestId: event.requestId }) },
            target: 'ready',
            actions: [
              { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) },
              { type: 'resumeTurnClock', params: ({ event }) => ({ at: event.at }) },
              'armTurnDeadline',
            ],
          },
          {
            guard: { type: 'lastPermission', params: ({ event }) => ({ requestId: event.requestId }) },
            target: 'ready',
            actions: { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) },
          },
          { actions: { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) } },
        ],
        // Where nothing works an interrupt ends nothing, so no end may be waited for (WIRE §8).
        'session.interrupt': [{ guard: 'isInterrupting' }, { guard: 'isWorking', actions: [...INTERRUPTING] }],
        // The CLI took the interrupt and still waits for an answer that nobody is meant to give any more (R41).
        'deadline.interrupt': { target: 'closing.terminating', actions: ['tellInterruptOverdue', 'blameInterrupt'] },
      },
    },
    closing: {
      entry: [{ type: 'announce', params: { state: 'closing' } }, 'forgetPermissions'],
      initial: 'draining',
      on: {
        // Closing twice must not restart the grace period.
        'session.close': {},
        'cli.faulted': { target: '.reaping', actions: 'rememberForce' },
        'permission.requested': {},
        'session.kill': { target: '.reaping', actions: 'rememberForce' },
        'cli.exited': {
          target: '.reaping',
          actions: { type: 'rememberExit', params: ({ event }) => ({ exit: event.exit }) },
        },
        'cli.spawn-failed': [
          { guard: 'wasAsked', target: 'closed' },
          { target: 'failed', actions: { type: 'blame', params: ({ event }) => ({ cause: event.cause }) } },
        ],
      },
      states: {
        draining: { entry: 'endInput', after: { closeGrace: 'terminating' } },
        terminating: { entry: ['terminate', 'rememberForce'], after: { terminateGrace: 'reaping' } },
        // Kills what is left and waits until the end of the whole tree was seen (P1). After a natural exit it finds nothing.
        reaping: {
          entry: 'reap',
          on: {
            'session.kill': {},
            'cli.faulted': {},
            'cli.exited': { actions: { type: 'rememberExit', params: ({ event }) => ({ exit: event.exit }) } },
          },
          always: [
            { guard: 'endWasAskedAndSeen', target: '#session.closed' },
            { guard: 'endIsSeen', target: '#session.failed', actions: 'blameSurvivors' },
          ],
          after: { killGrace: { target: '#session.failed', actions: 'blameUnseenEnd' } },
        },
      },
    },
    closed: { entry: { type: 'announce', params: { state: 'closed' } }, type: 'final' },
    failed: { entry: { type: 'announce', params: { state: 'failed' } }, type: 'final' },
  },
  output: ({ context }) => ({
    cause: context.endedBecause ?? ASKED,
    exit: context.exit,
    wasForced: context.wasForced,
    survivors: context.survivors,
  }),
});
