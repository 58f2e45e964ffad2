export interface SupervisorInput {
  /** Milliseconds a drain waits for running turns before it stops their sessions. */
  readonly drainMs: number;
}

/** Only a count: the sessions themselves stand in a plain map beside the machine, so that adding one costs the same at 10 and at 10 000. */
export interface SupervisorContext extends SupervisorInput {
  readonly children: number;
}
