/** Time arrives as data: `at` in epoch milliseconds. */
export type SupervisorEvent =
  | { type: 'child.started' }
  | { type: 'child.stopped' }
  /** Admit nothing new, let the running turns end, then stop. `withinMs` stands for the deadline of the options; again, it can only shorten. */
  | { type: 'supervisor.drain'; at: number; withinMs: number | null }
  /** Wait for no turn any longer: interrupt what runs. Without a drain in progress it changes nothing. */
  | { type: 'supervisor.hurry'; at: number }
  /** Admit nothing new and stop now, in reverse order of start; what has not left `withinMs` later is killed. */
  | { type: 'supervisor.shutdown'; at: number; withinMs: number | null }
  /**
   * Admit nothing new, let the running turns end until `withinMs` later, then end the processes and keep the sessions: another
   * supervisor goes on with them. Only a running one does so; again, it can only shorten.
   */
  | { type: 'supervisor.handover'; at: number; withinMs: number }
  /** The machine's own: the present phase has used up its time. */
  | { type: 'deadline.phase' };

export const SUPERVISOR_STATES = ['running', 'draining', 'stopping', 'stopped'] as const;
export type SupervisorStateName = (typeof SUPERVISOR_STATES)[number];

/**
 * The way down, in order. `killing` is passed only where sessions did not leave in time; a shutdown begins with `closing`, a
 * handover with `finishing-turns`, and interrupts nothing.
 */
export const SUPERVISOR_PHASES = [
  'running',
  'stopping-admission',
  'finishing-turns',
  'interrupting',
  'closing',
  'killing',
  'flushing',
  'stopped',
] as const;
export type SupervisorPhase = (typeof SUPERVISOR_PHASES)[number];

/** `deadlineAt`: epoch milliseconds when the phase gives up; null for never. */
export type SupervisorNotice = {
  type: 'phase.entered';
  phase: SupervisorPhase;
  at: number;
  deadlineAt: number | null;
};
