import type { Ending } from '../child/endings.ts';

/** Why a session ended or is ending. The first cause wins and is never overwritten. */
export interface EndCause {
  /** A TroupeError code, or `closed` when the owner asked for the end. */
  readonly code: string;
  readonly message: string;
  /** What kind of end it is: `machines/child/endings.ts` says what follows (P8). */
  readonly ending: Ending;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface CliExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Facts about the process, told by the link. */
export type CliEvent =
  | { type: 'cli.spawned'; pid: number }
  | { type: 'cli.spawn-failed'; cause: EndCause }
  /** Any line of the CLI while it starts: a slow start that talks is no silent one (R04). */
  | { type: 'cli.spoke'; at: number }
  | { type: 'cli.initialized' }
  | { type: 'cli.initialize-failed'; cause: EndCause }
  /** The stream cannot be trusted or served any more: a line over the limit, a closed input. */
  | { type: 'cli.faulted'; cause: EndCause }
  /** The process ended and both of its streams were read to the end. `cause` is what it said about it, if anything. */
  | { type: 'cli.exited'; exit: CliExit; cause: EndCause }
  /** Nothing of the process tree is left; `survivors` is empty unless the kill deadline passed. */
  | { type: 'cli.tree-gone'; killed: number; survivors: readonly number[] };

/** Edges of "the CLI is working on something": own turns, unprompted turns and background work together. */
export type WorkEvent =
  | { type: 'work.started' }
  | { type: 'work.ended' }
  | { type: 'background.changed'; count: number }
  | { type: 'turn.started'; at: number }
  | { type: 'turn.ended' };

export type PermissionNews =
  | { type: 'permission.requested'; requestId: string; at: number }
  | { type: 'permission.settled'; requestId: string; at: number }
  /** A request that was opened and settled in the same moment, before anything else could happen. */
  | { type: 'permission.passed' };

export type McpNews =
  | { type: 'mcp.handshake-started'; server: string }
  | { type: 'mcp.connected'; server: string }
  | { type: 'mcp.failed'; server: string; reason: string }
  /** The CLI does not tell what became of the server: nothing is gained by waiting. */
  | { type: 'mcp.untold'; server: string; reason: string };

export type SessionCommand =
  /** An interrupt was sent to the CLI: the turn now has a deadline to end. `cause` is blamed when it does not. */
  | { type: 'session.interrupt'; cause?: EndCause }
  /** The CLI refused the interrupt: the turn goes on and owes no end. */
  | { type: 'session.interrupt-refused' }
  /** Ask, wait, then force. */
  | { type: 'session.close' }
  /** Force at once. */
  | { type: 'session.kill' };

export type SessionEvent = CliEvent | WorkEvent | PermissionNews | McpNews | SessionCommand;

/** What the machine tells its link to do. */
export type LinkCommand =
  | { type: 'link.initialize' }
  | { type: 'link.interrupt' }
  | { type: 'link.end-input' }
  | { type: 'link.terminate' }
  | { type: 'link.reap' };

/** What the machine tells whoever listens with `actor.on`. */
export type SessionNotice =
  | { type: 'state.entered'; state: SessionStateName }
  /** It was `awaiting-permission` for a moment, and is `ready` again. */
  | { type: 'state.passed' }
  /** Nothing happened for the idle limit. */
  | { type: 'idle.overdue' }
  | { type: 'turn.overdue' }
  | { type: 'interrupt.overdue' };

export const SESSION_STATES = [
  'spawning',
  'initializing',
  'mcp-setup',
  'ready',
  'awaiting-permission',
  'closing',
  'closed',
  'failed',
] as const;
export type SessionStateName = (typeof SESSION_STATES)[number];
