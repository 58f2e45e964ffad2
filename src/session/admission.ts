/** The place of a session among those that may have a process. */
export interface Admission {
  /**
   * Waits for a slot to run at all, unless it is held, and a slot to start; resolves with the release of the start slot. A
   * patient one waits as long as it takes.
   */
  start(signal: AbortSignal, isPatient: boolean): Promise<() => void>;
  /** Gives the slot to run at all back, for as long as the session needs none; the next start takes one again. */
  giveBack(): void;
  /** Its place in the line for a slot to run at all, from 1; undefined when it does not stand there. */
  position(): number | undefined;
  /** What it lacks there; undefined when it does not stand in the line. */
  lack(): AdmissionLack | undefined;
}

export interface AdmissionLack {
  readonly what: 'session-slot' | 'slot-of-key' | 'memory';
  readonly freeBytes: number;
  readonly wantedBytes: number;
}
