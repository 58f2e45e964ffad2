import { TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';

const OF_ONE_CONVERSATION = [
  'resume',
  'continue',
  'forkSession',
  'sessionId',
  'resumeSessionAt',
  'resumeDropsTurn',
  'sessionStore',
] as const satisfies readonly (keyof SessionOptions)[];

/** Throws INVALID_OPTIONS, naming the field, for what no process can be started with before its session is there. */
export function assertWarmable(options: SessionOptions): void {
  for (const field of OF_ONE_CONVERSATION) {
    if (options[field] !== undefined && options[field] !== false) {
      throw refused(field, 'names one conversation, and a warm process has none');
    }
  }
  if (options.dialect === 'print' || options.dialect === 'json-rpc') {
    throw refused('dialect', 'has no process that waits for its first prompt');
  }
  for (const [name, server] of Object.entries(options.mcpServers ?? {})) {
    const field = `mcpServers.${name}`;
    if (server.type === 'sdk') throw refused(field, 'runs in this process, and is asked before there is a session');
    if (server.required === true)
      throw refused(`${field}.required`, 'is waited for by a session, and there is none yet');
  }
}

function refused(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_OPTIONS', {
    reason: `"${field}" cannot be prewarmed: it ${reason}.`,
    details: { field, reason },
  });
}
