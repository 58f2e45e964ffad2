import { type Logger, pino } from 'pino';
import type { FleetEvent } from '../supervision/fleet-event.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

/** A logger on stderr: stdout belongs to the command's own output. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: false }));
}

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
  'quota.reached',
  'account.locked',
]);

/**
 * Logs what happens in every session. Conversation lines, tool inputs and stderr texts stay out of it, also where they are
 * quoted; of the cause of an end only the code is logged (P11).
 */
export function followFleet(supervisor: Pick<Supervisor, 'on'>, logger: Logger): () => void {
  return supervisor.on('event', (event) => {
    if (event.type === 'message' || event.type === 'stderr') return;
    const { type } = event;
    const level = WARNINGS.has(type) ? 'warn' : 'info';
    logger[level](loggedFacts(event), type);
  });
}

function loggedFacts(event: FleetEvent): Record<string, unknown> {
  const facts = Object.entries(event).filter(([name]) => LOGGED_FACTS.has(name));
  return {
    ...Object.fromEntries(facts),
    ...('cause' in event ? { code: event.cause.code } : {}),
    ...(event.type === 'diagnostic' ? { reason: event.reason } : {}),
  };
}
