import { assign, emit, setup } from 'xstate';
import type { McpServerContext, McpServerInput } from './mcp-server.context.ts';
import type { McpServerEvent, McpServerNotice } from './mcp-server.events.ts';
import { reconnect } from './mcp-server.ports.ts';

/** One MCP server of one session: connecting → connected | failed → waiting → connecting. A late connection still counts. */
export const mcpServerMachine = setup({
  types: {
    input: {} as McpServerInput,
    context: {} as McpServerContext,
    events: {} as McpServerEvent,
    emitted: {} as McpServerNotice,
  },
  actors: { reconnect },
  actions: {
    announce: emit(({ context }, params: { state: McpServerNotice['state'] }) =>
      context.reason === null
        ? { type: 'state.entered' as const, state: params.state }
        : { type: 'state.entered' as const, state: params.state, reason: context.reason },
    ),
    blame: assign((_, params: { reason: string }) => ({ reason: params.reason })),
    forgive: assign({ reason: null, attempt: 0 }),
    countAttempt: assign(({ context }) => ({ attempt: context.attempt + 1 })),
  },
  guards: {
    mayTryAgain: ({ context }) => context.attempt < context.reconnect.attempts,
  },
  delays: {
    connectDeadline: ({ context }) => context.connectMs,
    backoff: ({ context }) =>
      Math.min(context.reconnect.maxMs, context.reconnect.minMs * 2 ** Math.max(0, context.attempt - 1)),
  },
}).createMachine({
  id: 'mcp-server',
  context: ({ input }) => ({ ...input, attempt: 0, reason: null }),
  initial: 'connecting',
  on: {
    'server.connected': { target: '.connected', actions: 'forgive' },
    'server.failed': {
      target: '.failed',
      actions: { type: 'blame', params: ({ event }) => ({ reason: event.reason }) },
    },
    // A repeated handshake of a connected server disturbs nothing.
    'server.handshake-started': {},
    'server.reconnect': { target: '.reconnecting' },
  },
  states: {
    connecting: {
      entry: { type: 'announce', params: { state: 'connecting' } },
      after: {
        connectDeadline: {
          target: 'failed',
          actions: {
            type: 'blame',
            params: ({ context }) => ({ reason: `it was not connected within ${context.connectMs} ms` }),
          },
        },
      },
    },
    connected: {
      entry: { type: 'announce', params: { state: 'connected' } },
      on: { 'server.connected': {} },
    },
    failed: {
      entry: { type: 'announce', params: { state: 'failed' } },
      always: { guard: 'mayTryAgain', target: 'waiting' },
      on: { 'server.handshake-started': 'connecting' },
    },
    waiting: {
      entry: [{ type: 'announce', params: { state: 'waiting' } }, 'countAttempt'],
      on: {
        'server.handshake-started': 'connecting',
        // A second report of the same failure spends no attempt and restarts no wait.
        'server.failed': { actions: { type: 'blame', params: ({ event }) => ({ reason: event.reason }) } },
      },
      after: { backoff: 'reconnecting' },
    },
    reconnecting: {
      invoke: {
        src: 'reconnect',
        input: ({ context }) => ({ name: context.name }),
        onDone: 'connecting',
        onError: {
          target: 'failed',
          actions: { type: 'blame', params: ({ event }) => ({ reason: messageOf(event.error) }) },
        },
      },
    },
  },
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
