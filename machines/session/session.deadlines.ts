import type { SessionContext } from './session.context.ts';

/** A wait that is armed: at that moment, if nothing happens before, that is done. */
export interface SessionDeadline {
  readonly what: string;
  readonly at: number;
  readonly next: string;
}

/** Since when the machine is in its state, and since when a turn is to end because of an interrupt. */
export interface SessionTimes {
  readonly since: number;
  readonly interruptedAt: number;
}

/** The armed waits of a session machine in that state, a dotted path; `Infinity` for one that never ends. */
export function sessionDeadlines(state: string, context: SessionContext, times: SessionTimes): SessionDeadline[] {
  const { timeouts, spokeAt, turnWorksSince, turnWorkedMs, isInterrupting, interruptCause } = context;
  const { since } = times;
  const armed: SessionDeadline[] = [];
  const arm = (what: string, at: number, next: string) => void armed.push({ what, at, next });
  if (state === 'spawning') arm('spawn', since + timeouts.spawnMs, 'the start fails: SPAWN_TIMEOUT');
  if (state === 'initializing') {
    const silentAt = Math.max(since, spokeAt ?? since) + timeouts.initializeMs;
    arm('initialize', Math.min(silentAt, since + 10 * timeouts.initializeMs), 'the start fails: INITIALIZE_TIMEOUT');
  }
  if (state === 'mcp-setup') {
    arm('mcp', since + timeouts.mcpServerMs, 'it is ready without the missing servers, or fails: MCP_SERVER_FAILED');
  }
  if (state === 'ready.running' && turnWorksSince !== null) {
    arm('turn', turnWorksSince + timeouts.turnMs - turnWorkedMs, 'the turn is interrupted: TURN_OVERDUE');
  }
  if (isInterrupting && !state.startsWith('clos')) {
    const code = interruptCause?.code ?? 'INTERRUPT_TIMEOUT';
    arm('interrupt', times.interruptedAt + timeouts.interruptMs, `the process is replaced: ${code}`);
  }
  if (state === 'ready.idle' && context.backgroundTasks === 0) {
    arm('idle', since + timeouts.idleMs, 'the process ends and the session hibernates');
  }
  if (state === 'closing.draining') arm('close', since + timeouts.closeGraceMs, 'SIGTERM');
  if (state === 'closing.terminating') arm('terminate', since + timeouts.terminateGraceMs, 'SIGKILL of the whole tree');
  if (state === 'closing.reaping') arm('kill', since + timeouts.killGraceMs, 'it fails: TREE_SURVIVED');
  return armed;
}
