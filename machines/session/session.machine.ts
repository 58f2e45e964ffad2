import { assign, cancel, emit, raise, sendTo, setup } from 'xstate';
import type { SessionOutput } from './session.context.ts';
import {
  degradedServers,
  initialContext,
  isSettled,
  type SessionContext,
  type SessionInput,
  withServer,
} from './session.context.ts';
import type { EndCause, LinkCommand, SessionEvent, SessionNotice, SessionStateName } from './session.events.ts';
import { cliLink } from './session.ports.ts';

const ASKED: EndCause = { code: 'closed', message: 'The owner asked for the end.', permanent: true };

/**
 * One incarnation of a session: one CLI process from spawn to the seen end of its process tree.
 * Ready means that `initialize` was answered: `system/init` opens each turn and is no start-up signal (WIRE §0.1, §25.1).
 */
export const sessionMachine = setup({
  types: {
    input: {} as SessionInput,
    context: {} as SessionContext,
    events: {} as SessionEvent | { type: 'deadline.initialize' } | { type: 'deadline.interrupt' },
    emitted: {} as SessionNotice,
    output: {} as SessionOutput,
  },
  actors: { cliLink },
  actions: {
    announce: emit((_, params: { state: SessionStateName }) => ({
      type: 'state.entered' as const,
      state: params.state,
    })),
    tellTurnOverdue: emit({ type: 'turn.overdue' }),
    tellInterruptOverdue: emit({ type: 'interrupt.overdue' }),
    initialize: sendTo('link', { type: 'link.initialize' } satisfies LinkCommand),
    interrupt: sendTo('link', { type: 'link.interrupt' } satisfies LinkCommand),
    endInput: sendTo('link', { type: 'link.end-input' } satisfies LinkCommand),
    terminate: sendTo('link', { type: 'link.terminate' } satisfies LinkCommand),
    reap: sendTo('link', { type: 'link.reap' } satisfies LinkCommand),
    armInitializeDeadline: raise({ type: 'deadline.initialize' }, { delay: 'initializeDeadline', id: 'initialize' }),
    disarmInitializeDeadline: cancel('initialize'),
    armInterruptDeadline: raise({ type: 'deadline.interrupt' }, { delay: 'interruptDeadline', id: 'interrupt' }),
    disarmInterruptDeadline: cancel('interrupt'),
    rememberPid: assign((_, params: { pid: number }) => ({ pid: params.pid })),
    rememberExit: assign((_, params: { exit: SessionContext['exit'] }) => ({ exit: params.exit })),
    rememberTreeGone: assign((_, params: { survivors: readonly number[] }) => ({
      treeIsGone: true,
      survivors: params.survivors,
    })),
    rememberForce: assign({ wasForced: true }),
    /** The first cause wins; the exit only fills it when nobody knew better. */
    blame: assign(({ context }, params: { cause: EndCause }) => ({
      endedBecause: context.endedBecause ?? params.cause,
    })),
    /** Being asked to end explains no failure, so what survived is the first cause of it (P1). */
    blameSurvivors: assign(({ context }, params: { cause: EndCause }) => ({
      endedBecause: context.endedBecause?.code === 'closed' ? params.cause : (context.endedBecause ?? params.cause),
    })),
    startWork: assign({ isWorking: true }),
    endWork: assign({ isWorking: false, isInterrupting: false }),
    markInterrupting: assign({ isInterrupting: true }),
    forgetInterrupt: assign({ isInterrupting: false }),
    openPermission: assign(({ context }, params: { requestId: string }) => ({
      openPermissions: context.openPermissions.includes(params.requestId)
        ? context.openPermissions
        : [...context.openPermissions, params.requestId],
    })),
    settlePermission: assign(({ context }, params: { requestId: string }) => ({
      openPermissions: context.openPermissions.filter((requestId) => requestId !== params.requestId),
    })),
    forgetPermissions: assign({ openPermissions: [] }),
    markConnecting: assign(({ context }, params: { server: string }) => ({
      mcp: withServer(context.mcp, params.server, 'connecting'),
    })),
    markConnected: assign(({ context }, params: { server: string }) => ({
      mcp: withServer(context.mcp, params.server, 'connected'),
    })),
    markFailed: assign(({ context }, params: { server: string; reason: string }) => ({
      mcp: withServer(context.mcp, params.server, 'failed', params.reason),
    })),
    blameInterrupt: assign(({ context }) => ({
      endedBecause: context.endedBecause ?? overdue('INTERRUPT_TIMEOUT', context.timeouts.interruptMs),
    })),
    blameRequiredServer: assign(({ context }) => {
      const server = degradedServers(context).find(({ required }) => required);
      const message = `The required MCP server "${server?.name}" is not ready: ${server?.reason ?? 'unknown reason'}.`;
      const cause: EndCause = { code: 'MCP_SERVER_FAILED', message, permanent: false };
      return { endedBecause: context.endedBecause ?? cause };
    }),
  },
  guards: {
    hasServers: ({ context }) => context.mcp.length > 0,
    requiredServerFailed: ({ context }) => context.mcp.some((server) => server.required && server.status === 'failed'),
    requiredServerMissing: ({ context }) => degradedServers(context).some(({ required }) => required),
    allServersSettled: ({ context }) => context.mcp.every(isSettled),
    noHandshakeStarted: ({ context }) => context.mcp.every((server) => server.status === 'waiting'),
    hasOpenPermission: ({ context }) => context.openPermissions.length > 0,
    lastPermission: ({ context }, params: { requestId: string }) =>
      context.openPermissions.every((requestId) => requestId === params.requestId),
    isInterrupting: ({ context }) => context.isInterrupting,
    isWorking: ({ context }) => context.isWorking,
    endIsSeen: ({ context }) => context.exit !== null && context.treeIsGone,
    endWasAskedAndSeen: ({ context }) =>
      context.exit !== null &&
      context.treeIsGone &&
      context.survivors.length === 0 &&
      context.endedBecause?.code === 'closed',
    wasAsked: ({ context }) => context.endedBecause?.code === 'closed',
  },
  delays: {
    spawnDeadline: ({ context }) => context.timeouts.spawnMs,
    initializeDeadline: ({ context }) => context.timeouts.initializeMs,
    /** A CLI that starts MCP at once does so before it answers `initialize`; later ones wait for a prompt (WIRE §0.2, §0.4). */
    handshakeGrace: 250,
    mcpDeadline: ({ context }) => context.timeouts.mcpServerMs,
    turnDeadline: ({ context }) => context.timeouts.turnMs,
    interruptDeadline: ({ context }) => context.timeouts.interruptMs,
    idleDeadline: ({ context }) => context.timeouts.idleMs,
    closeGrace: ({ context }) => context.timeouts.closeGraceMs,
    terminateGrace: ({ context }) => context.timeouts.terminateGraceMs,
    killGrace: ({ context }) => context.timeouts.killGraceMs,
  },
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
    'mcp.handshake-started': { actions: { type: 'markConnecting', params: ({ event }) => ({ server: event.server }) } },
    'mcp.connected': { actions: { type: 'markConnected', params: ({ event }) => ({ server: event.server }) } },
    'mcp.failed': {
      actions: { type: 'markFailed', params: ({ event }) => ({ server: event.server, reason: event.reason }) },
    },
    'work.started': { actions: 'startWork' },
    'work.ended': { actions: ['endWork', 'disarmInterruptDeadline'] },
    'turn.started': {},
    'turn.ended': { actions: ['forgetInterrupt', 'disarmInterruptDeadline'] },
    'permission.requested': {
      actions: { type: 'openPermission', params: ({ event }) => ({ requestId: event.requestId }) },
    },
    'permission.settled': {
      actions: { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) },
    },
    'session.close': {
      target: '.closing',
      actions: { type: 'blame', params: { cause: ASKED } },
    },
    'session.kill': {
      target: '.closing.reaping',
      actions: [{ type: 'blame', params: { cause: ASKED } }, 'rememberForce'],
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
    'cli.tree-gone': {
      actions: { type: 'rememberTreeGone', params: ({ event }) => ({ survivors: event.survivors }) },
    },
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
      after: {
        spawnDeadline: {
          target: 'closing.reaping',
          actions: {
            type: 'blame',
            params: ({ context }) => ({ cause: overdue('SPAWN_TIMEOUT', context.timeouts.spawnMs) }),
          },
        },
      },
    },
    initializing: {
      entry: [{ type: 'announce', params: { state: 'initializing' } }, 'initialize', 'armInitializeDeadline'],
      exit: 'disarmInitializeDeadline',
      on: {
        'cli.spoke': { actions: ['disarmInitializeDeadline', 'armInitializeDeadline'] },
        'cli.initialized': [{ guard: 'hasServers', target: 'mcp-setup' }, { target: 'ready' }],
        'cli.initialize-failed': {
          target: 'closing',
          actions: { type: 'blame', params: ({ event }) => ({ cause: event.cause }) },
        },
        'deadline.initialize': {
          // It ignored the handshake: it will not obey a polite end either.
          target: 'closing.reaping',
          actions: [
            {
              type: 'blame',
              params: ({ context }) => ({ cause: overdue('INITIALIZE_TIMEOUT', context.timeouts.initializeMs) }),
            },
            'rememberForce',
          ],
        },
      },
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
          actions: { type: 'openPermission', params: ({ event }) => ({ requestId: event.requestId }) },
        },
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
          on: { 'work.started': { target: 'running', actions: 'startWork' } },
          after: {
            idleDeadline: { target: '#session.closing', actions: { type: 'blame', params: { cause: ASKED } } },
          },
        },
        running: {
          on: {
            'work.ended': { target: 'idle', actions: ['endWork', 'disarmInterruptDeadline'] },
            'session.interrupt': { target: 'interrupting', actions: ['markInterrupting', 'armInterruptDeadline'] },
            // The next turn of a busy session has a deadline of its own.
            'turn.started': { target: 'running', reenter: true },
          },
          // Waiting for a human leaves this state, so it never counts against the turn (P5).
          after: {
            turnDeadline: {
              target: 'interrupting',
              actions: ['tellTurnOverdue', 'interrupt', 'markInterrupting', 'armInterruptDeadline'],
            },
          },
        },
        interrupting: {
          on: {
            'work.ended': { target: 'idle', actions: ['endWork', 'disarmInterruptDeadline'] },
            // A prompt that waited for the end of the interrupted turn runs now (WIRE §8).
            'turn.ended': { target: 'running', actions: ['forgetInterrupt', 'disarmInterruptDeadline'] },
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
            guard: { type: 'lastPermission', params: ({ event }) => ({ requestId: event.requestId }) },
            target: 'ready',
            actions: { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) },
          },
          { actions: { type: 'settlePermission', params: ({ event }) => ({ requestId: event.requestId }) } },
        ],
        // Where nothing works an interrupt ends nothing, so no end may be waited for (WIRE §8).
        'session.interrupt': [
          { guard: 'isInterrupting' },
          { guard: 'isWorking', actions: ['markInterrupting', 'armInterruptDeadline'] },
        ],
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
        'cli.faulted': {
          target: '.reaping',
          actions: 'rememberForce',
        },
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
        draining: {
          entry: 'endInput',
          after: { closeGrace: 'terminating' },
        },
        terminating: {
          entry: ['terminate', 'rememberForce'],
          after: { terminateGrace: 'reaping' },
        },
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
            {
              guard: 'endIsSeen',
              target: '#session.failed',
              actions: { type: 'blameSurvivors', params: ({ context }) => ({ cause: survived(context.survivors) }) },
            },
          ],
          after: {
            killGrace: {
              target: '#session.failed',
              actions: {
                type: 'blameSurvivors',
                params: ({ context }) => ({ cause: unseen(context.timeouts.killGraceMs) }),
              },
            },
          },
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

function overdue(code: string, ms: number): EndCause {
  return { code, message: `The deadline of ${ms} ms passed.`, permanent: false, details: { deadlineMs: ms } };
}

/** Permanent, because a new process beside a survivor would fork the conversation (WIRE §25.14). */
function survived(survivors: readonly number[]): EndCause {
  return { code: 'TREE_SURVIVED', message: 'Processes could not be ended.', permanent: true, details: { survivors } };
}

function unseen(deadlineMs: number): EndCause {
  const message = `The end of the process tree was not seen within ${deadlineMs} ms.`;
  return { code: 'TREE_SURVIVED', message, permanent: true, details: { deadlineMs } };
}
