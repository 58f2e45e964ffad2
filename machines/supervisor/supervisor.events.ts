export type SupervisorEvent =
  | { type: 'child.started' }
  | { type: 'child.stopped' }
  /** Admit nothing new, let the running turns end, then stop. */
  | { type: 'supervisor.drain' }
  /** Admit nothing new and stop now, in reverse order of start. */
  | { type: 'supervisor.shutdown' };

export const SUPERVISOR_STATES = ['running', 'draining', 'stopping', 'stopped'] as const;
export type SupervisorStateName = (typeof SUPERVISOR_STATES)[number];
