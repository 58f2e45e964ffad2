import { endingOf } from '../child/endings.ts';
import type { McpServerState } from './session.context.ts';
import type { EndCause } from './session.events.ts';

export const ASKED: EndCause = { code: 'closed', message: 'The owner asked for the end.', ending: 'asked' };

export const KILLED: EndCause = { code: 'closed', message: 'The owner asked for the end at once.', ending: 'killed' };

export function overdue(code: string, deadlineMs: number): EndCause {
  const message = `The deadline of ${deadlineMs} ms passed.`;
  return { code, message, ending: endingOf(code), details: { deadlineMs } };
}

/** A new process beside a survivor would fork the conversation (WIRE §25.14). */
export function survived(survivors: readonly number[]): EndCause {
  return {
    code: 'TREE_SURVIVED',
    message: 'Processes could not be ended.',
    ending: 'survivors',
    details: { survivors },
  };
}

export function unseen(deadlineMs: number): EndCause {
  const message = `The end of the process tree was not seen within ${deadlineMs} ms.`;
  return { code: 'TREE_SURVIVED', message, ending: 'survivors', details: { deadlineMs } };
}

/** Being asked to end explains no failure; a real first cause stays, but no process may be started beside a survivor. */
export function withSurvivors(first: EndCause | null, survivors: EndCause): EndCause {
  return first === null || first.code === 'closed' ? survivors : { ...first, ending: 'survivors' };
}

export function requiredServerMissing(degraded: readonly McpServerState[]): EndCause {
  const server = degraded.find(({ required, status }) => required && status !== 'untold');
  const error = server?.reason ?? 'unknown reason';
  const message = `The required MCP server "${server?.name}" is not ready: ${error}.`;
  const details = { server: server?.name, status: server?.status, error };
  return { code: 'MCP_SERVER_FAILED', message, ending: endingOf('MCP_SERVER_FAILED'), details };
}
