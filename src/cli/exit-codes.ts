/** What `troupe` tells the shell. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** No server was found, or it did not answer. */
  noServer: 3,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
