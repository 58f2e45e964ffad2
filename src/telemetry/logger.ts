import { type Logger, pino } from 'pino';
import type { FleetEvent, Supervisor } from '../supervision/supervisor.ts';

/** A logger on stderr: stdout belongs to the command's own output. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: false }));
}

/** Logs what happens in every session. Conversation lines, tool inputs and stderr texts stay out of it (P11). */
export function followFleet(supervisor: Supervisor, logger: Logger): () => void {
  return supervisor.on('event', (event) => {
    if (event.type === 'message' || event.type === 'stderr') return;
    const { type, ...facts } = withoutInput(event);
    const level =
      type === 'diagnostic' || type === 'session.restarting' || type === 'session.quarantined' ? 'warn' : 'info';
    logger[level](facts, type);
  });
}

function withoutInput(event: Exclude<FleetEvent, { type: 'message' | 'stderr' }>) {
  if (event.type !== 'permission.requested') return event;
  const { input: _input, ...facts } = event;
  return facts;
}
