import type { CliExit, EndCause, McpNews } from './session.events.ts';

/** Deadlines in milliseconds; `Infinity` means none. */
export interface SessionTimeouts {
  readonly spawnMs: number;
  readonly initializeMs: number;
  readonly mcpServerMs: number;
  readonly turnMs: number;
  readonly interruptMs: number;
  readonly idleMs: number;
  readonly closeGraceMs: number;
  readonly terminateGraceMs: number;
  readonly killGraceMs: number;
}

export interface McpServerSpec {
  readonly name: string;
  readonly required: boolean;
  /** True for a server that the CLI itself runs or reaches: only a required one of those holds the start back. */
  readonly isExternal?: boolean;
}

export interface SessionInput {
  readonly id: string;
  readonly incarnation: number;
  /** All that were configured; `mcp-setup` waits for the in-process and the required ones. */
  readonly mcpServers: readonly McpServerSpec[];
  readonly timeouts: SessionTimeouts;
}

/** `untold`: the CLI does not say, and never will. */
export type McpStatus = 'waiting' | 'connecting' | 'connected' | 'failed' | 'untold';

export interface McpServerState extends McpServerSpec {
  readonly status: McpStatus;
  readonly reason?: string;
}

export interface SessionContext extends SessionInput {
  readonly pid: number | null;
  /** When the starting process said something last; null before. */
  readonly spokeAt: number | null;
  readonly mcp: readonly McpServerState[];
  readonly openPermissions: readonly string[];
  readonly isWorking: boolean;
  readonly backgroundTasks: number;
  readonly isInterrupting: boolean;
  /** What is blamed when the interrupted turn does not end; null for the interrupt itself. */
  readonly interruptCause: EndCause | null;
  readonly isTurnOpen: boolean;
  /** The open turn: the working time it had, and since when it works again; null while it waits for a human, or without a turn. */
  readonly turnWorkedMs: number;
  readonly turnWorksSince: number | null;
  readonly endedBecause: EndCause | null;
  readonly exit: CliExit | null;
  readonly treeIsGone: boolean;
  /** True when the process had to be signalled or killed to end. */
  readonly wasForced: boolean;
  /** Pids that could not be ended; normally none. */
  readonly survivors: readonly number[];
}

export interface SessionOutput {
  readonly cause: EndCause;
  readonly exit: CliExit | null;
  readonly wasForced: boolean;
  /** Pids that could not be ended; normally none. */
  readonly survivors: readonly number[];
}

/** No turn is open, so nothing of one is under way. */
export const NO_TURN = {
  isTurnOpen: false,
  isInterrupting: false,
  interruptCause: null,
  turnWorkedMs: 0,
  turnWorksSince: null,
};

/** Field by field: to spread the input in front of so many others costs several copies. */
export function initialContext({ id, incarnation, mcpServers, timeouts }: SessionInput): SessionContext {
  return {
    id,
    incarnation,
    mcpServers,
    timeouts,
    pid: null,
    spokeAt: null,
    mcp: mcpServers.map((server) => ({ ...server, status: 'waiting' })),
    openPermissions: [],
    isWorking: false,
    backgroundTasks: 0,
    isTurnOpen: false,
    isInterrupting: false,
    interruptCause: null,
    turnWorkedMs: 0,
    turnWorksSince: null,
    endedBecause: null,
    exit: null,
    treeIsGone: false,
    wasForced: false,
    survivors: [],
  };
}

/** The servers after one of them changed; an unknown name changes nothing. */
export function withServer(
  servers: readonly McpServerState[],
  name: string,
  status: McpStatus,
  reason?: string,
): readonly McpServerState[] {
  return servers.map((server) => {
    if (server.name !== name) return server;
    const { reason: _former, ...rest } = server;
    return reason === undefined ? { ...rest, status } : { ...rest, status, reason };
  });
}

/** What a piece of news says about its server. */
export function newsOf(news: McpNews): { server: string; status: McpStatus; reason?: string } {
  const { server } = news;
  switch (news.type) {
    case 'mcp.handshake-started':
      return { server, status: 'connecting' };
    case 'mcp.connected':
      return { server, status: 'connected' };
    case 'mcp.failed':
      return { server, status: 'failed', reason: news.reason };
    case 'mcp.untold':
      return { server, status: 'untold', reason: news.reason };
  }
}

/** The servers without which the session does not become ready while their fate is open. */
export function awaitedServers(context: SessionContext): readonly McpServerState[] {
  return context.mcp.filter((server) => server.required || server.isExternal !== true);
}

export function isSettled({ status }: McpServerState): boolean {
  return status === 'connected' || status === 'failed' || status === 'untold';
}

/** The servers a ready session has to do without, with the reason of each. */
export function degradedServers(context: SessionContext): readonly McpServerState[] {
  return context.mcp
    .filter((server) => server.status !== 'connected')
    .map((server) => ({ ...server, reason: server.reason ?? REASONS[server.status] }));
}

const REASONS: Readonly<Record<McpStatus, string>> = {
  waiting: 'the CLI has not opened it yet',
  connecting: 'its handshake is not finished yet',
  connected: 'it is connected',
  failed: 'it failed without a reason',
  untold: 'the CLI does not tell its state',
};

/** The process ended *and* nothing of its tree is known to be left (P1). */
export function endIsSeen(context: SessionContext): boolean {
  return context.exit !== null && context.treeIsGone;
}

export function endWasAskedAndSeen(context: SessionContext): boolean {
  return endIsSeen(context) && context.survivors.length === 0 && context.endedBecause?.code === 'closed';
}
