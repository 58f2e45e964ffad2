import { createActor, fromCallback, SimulatedClock } from 'xstate';
import type { McpServerSpec, SessionTimeouts } from '../../machines/session/session.context.ts';
import type { LinkCommand, SessionEvent, SessionNotice } from '../../machines/session/session.events.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import type { LinkInput } from '../../machines/session/session.ports.ts';
import { CRASH } from './event-samples.ts';
import { stateOf } from './state-name.ts';

/** How a crash is reported: first the exit, then the end of the tree. */
export const EXITED: SessionEvent = { type: 'cli.exited', exit: { exitCode: 1, signal: null }, cause: CRASH };
export const TREE_GONE: SessionEvent = { type: 'cli.tree-gone', killed: 0, survivors: [] };
export const OPTIONAL: McpServerSpec = { name: 'docs', required: false };
export const REQUIRED: McpServerSpec = { name: 'vault', required: true };

export type Reached =
  | 'spawning'
  | 'initializing'
  | 'mcp-setup'
  | 'ready'
  | 'running'
  | 'interrupting'
  | 'awaiting-permission';

export interface SessionOptions {
  readonly reached?: Reached;
  readonly mcpServers?: readonly McpServerSpec[];
  readonly timeouts?: Partial<SessionTimeouts>;
  /** `forget` starts the list of link commands where the test starts. */
  readonly told?: 'forget';
}

export function openSession(options: SessionOptions = {}) {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const opened: LinkInput[] = [];
  const notices: SessionNotice[] = [];
  const cliLink = fromCallback<LinkCommand | SessionEvent, LinkInput>(({ input, receive }) => {
    opened.push(input);
    receive((command) => told.push(command.type));
  });
  const session = createActor(sessionMachine.provide({ actors: { cliLink } }), { clock, input: inputOf(options) });
  session.on('*', (notice) => notices.push(notice));
  session.start();
  for (const event of wayTo(options.reached ?? 'spawning', options.mcpServers ?? [])) session.send(event);
  if (options.told === 'forget') told.length = 0;
  return {
    session,
    clock,
    state: () => stateOf(session.getSnapshot()),
    told: () => told,
    opened: () => opened,
    notices: () => notices,
    output: () => session.getSnapshot().output,
  };
}

export function inputOf(options: SessionOptions) {
  const never = Number.POSITIVE_INFINITY;
  return {
    id: 'review',
    incarnation: 1,
    mcpServers: options.mcpServers ?? [],
    timeouts: {
      spawnMs: 1_000,
      initializeMs: 5_000,
      mcpServerMs: 10_000,
      turnMs: never,
      interruptMs: 3_000,
      idleMs: never,
      closeGraceMs: 2_000,
      terminateGraceMs: 5_000,
      killGraceMs: 3_000,
      ...options.timeouts,
    },
  };
}

function wayTo(state: Reached, servers: readonly McpServerSpec[]): SessionEvent[] {
  const toInitializing: SessionEvent[] = [{ type: 'cli.spawned', pid: 4711 }];
  const handshakes = servers.slice(0, 1).map(({ name }) => ({ type: 'mcp.handshake-started' as const, server: name }));
  const toSetup: SessionEvent[] = [...toInitializing, ...handshakes, { type: 'cli.initialized' }];
  const connections = servers.map(({ name }) => ({ type: 'mcp.connected' as const, server: name }));
  const toReady: SessionEvent[] = [...toSetup, ...connections];
  const toRunning: SessionEvent[] = [...toReady, { type: 'work.started' }];
  const ways: Record<Reached, SessionEvent[]> = {
    spawning: [],
    initializing: toInitializing,
    'mcp-setup': toSetup,
    ready: toReady,
    running: toRunning,
    interrupting: [...toRunning, { type: 'session.interrupt' }],
    'awaiting-permission': [...toRunning, { type: 'permission.requested', at: 0, requestId: 'first' }],
  };
  return ways[state];
}
