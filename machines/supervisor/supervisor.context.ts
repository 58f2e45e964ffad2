/** How long each phase of the way down may take, in milliseconds; `Infinity` for no deadline. */
export interface PhaseDeadlines {
  /** For starts in progress to be called off. */
  readonly admissionMs: number;
  /** For running turns and waiting prompts to end, from the first `supervisor.drain`. */
  readonly turnsMs: number;
  /** For interrupted turns to end. */
  readonly interruptMs: number;
  /** For the sessions to leave when they are asked to. */
  readonly closeMs: number;
  /** For what was killed to be seen gone. */
  readonly killMs: number;
  /** For what is still to be stored. */
  readonly flushMs: number;
}

export interface SupervisorInput {
  readonly deadlines: PhaseDeadlines;
}

/** Only a count: the sessions themselves stand in a plain map beside the machine, so that adding one costs the same at 10 and at 10 000. */
export interface SupervisorContext extends SupervisorInput {
  readonly children: number;
  /** The sessions are kept for another supervisor, whoever asks for what from then on. */
  readonly isHandover: boolean;
  /** Epoch milliseconds since when the present phase lasts; null while it was never asked to stop. */
  readonly since: number | null;
  /** Epoch milliseconds when the present phase gives up; null for never. */
  readonly deadlineAt: number | null;
  /** Until when turns may go on. It is only ever brought forward. */
  readonly turnsUntil: number | null;
  /** Until when sessions may take to leave, where a `supervisor.shutdown` said so. */
  readonly closeUntil: number | null;
}

export function initialSupervisor(input: SupervisorInput): SupervisorContext {
  return {
    ...input,
    children: 0,
    isHandover: false,
    since: null,
    deadlineAt: null,
    turnsUntil: null,
    closeUntil: null,
  };
}

/** A moment so many milliseconds later; null for never, which is what JSON has for `Infinity`. */
export function momentAfter(at: number, ms: number): number | null {
  return Number.isFinite(ms) ? at + ms : null;
}

/** The earlier of two moments, where null is never. */
export function earlier(left: number | null, right: number | null): number | null {
  if (left === null) return right;
  return right === null ? left : Math.min(left, right);
}
