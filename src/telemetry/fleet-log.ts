import type { Logger } from 'pino';
import type { FleetEvent } from '../supervision/fleet-event.ts';
import { hearingRuns } from '../supervision/fleet-observers.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { isWanted, type LogLevel, type LogLevels } from './log-levels.ts';

/**
 * The facts of an event that are logged, by name. Texts that somebody else wrote are not among them: `detail` and `input`
 * come from the CLI, the message of a cause may quote its stderr, the reason of a server may quote anything (P11).
 */
const LOGGED_FACTS: ReadonlySet<string> = new Set([
  'sessionId',
  'seq',
  'epoch',
  'at',
  'pid',
  'incarnation',
  'state',
  'from',
  'to',
  'conversationId',
  'delayMs',
  'restarts',
  'exitCode',
  'signal',
  'promptId',
  'promptIds',
  'onBusy',
  'outcome',
  'isError',
  'origin',
  'costUsd',
  'requestId',
  'toolName',
  'toolUseId',
  'agentId',
  'by',
  'server',
  'status',
  'suppressed',
  'account',
  'window',
  'resetsAt',
  'resumesAt',
]);

const WARNINGS: ReadonlySet<FleetEvent['type']> = new Set([
  'diagnostic',
  'session.restarting',
  'session.quarantined',
  'session.parked',
  'watchdog.warned',
  'watchdog.interrupted',
  'budget.warned',
  'budget.reached',
  'quota.reached',
  'account.locked',
  'log.volatile',
  'store.failing',
  'store.refused',
  'store.lost',
  'orphan.survived',
]);

/** Many of them in a turn, and each without a decision of Troupe. */
const DETAILS: ReadonlySet<FleetEvent['type']> = new Set([
  'hook.called',
  'prompt.delivered',
  'prompt.started',
  'drain.progressed',
]);

/** Of the turn that is open: of a session that the store refused nothing more is told. */
const ENDS: ReadonlySet<FleetEvent['type']> = new Set(['turn.ended', 'session.ended', 'store.refused']);

/** Everything from `info` on. */
const USUAL: LogLevels = { general: 'info', components: new Map() };

/**
 * Logs what happens in a fleet: one line for each transition and decision, with the session, its incarnation (`epoch`) and the
 * prompt of the turn that is open. Conversation lines and lines of stderr are told at `trace`, by their kind and their size alone;
 * what they say, tool inputs and texts of others stay out of it at every level, and of the cause of an end only the code is logged
 * (P11). Returns the way to stop.
 */
export function logFleet(supervisor: Pick<Supervisor, 'on'>, logger: Logger, levels: LogLevels = USUAL): () => void {
  const turns = new Map<string, string>();
  const hear = (event: FleetEvent): void => {
    const { type } = event;
    const level = levelOf(event);
    const [component = type] = type.split('.');
    const sessionId = 'sessionId' in event ? event.sessionId : undefined;
    if (sessionId !== undefined && event.type === 'turn.started' && event.promptId !== undefined)
      turns.set(sessionId, event.promptId);
    if (isWanted(levels, component, level)) {
      const turn = sessionId === undefined ? undefined : turns.get(sessionId);
      logger[level]({ ...loggedFacts(event), ...(turn === undefined ? {} : { turn }) }, type);
    }
    if (sessionId !== undefined && ENDS.has(type)) turns.delete(sessionId);
  };
  const hearsLines = isWanted(levels, 'message', 'trace');
  return supervisor.on(
    'event',
    hearingRuns(hear, (sessionId, run) => {
      if (hearsLines) for (const event of run.events()) hear({ ...event, sessionId });
    }),
  );
}

function levelOf({ type }: FleetEvent): Exclude<LogLevel, 'silent'> {
  if (type === 'message' || type === 'stderr') return 'trace';
  if (WARNINGS.has(type)) return 'warn';
  return DETAILS.has(type) ? 'debug' : 'info';
}

function loggedFacts(event: FleetEvent): Record<string, unknown> {
  const facts = Object.entries(event).filter(([name]) => LOGGED_FACTS.has(name));
  return {
    ...Object.fromEntries(facts),
    ...('cause' in event ? { code: event.cause.code } : {}),
    ...('code' in event ? { code: event.code } : {}),
    ...(event.type === 'diagnostic' ? { reason: event.reason } : {}),
    ...(event.type === 'message' ? { kind: kindOf(event.message), bytes: event.message.raw.length } : {}),
    ...(event.type === 'stderr' ? { characters: event.line.length } : {}),
  };
}

/** A kind that the schemas know; another one may say anything. */
function kindOf(message: CliMessage): string {
  return message.isKnownKind
    ? [message.type, message.subtype].filter((part) => part !== undefined).join('/')
    : 'unknown';
}
