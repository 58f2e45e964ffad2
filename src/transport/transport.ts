/** What to run, completely resolved: nothing here is looked up or defaulted again. */
export interface LaunchPlan {
  /** Absolute path of the executable (an interpreter when the CLI is a script). */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child; nothing else is inherited. Includes `TROUPE_SESSION=<mark>`. */
  readonly env: Readonly<Record<string, string>>;
  /** Value of `TROUPE_SESSION`: by it every descendant is found, also one that left its process group (P1). */
  readonly mark: string;
  /** Removed after the whole process tree is gone, also after a failed start. */
  readonly temporaryFiles: readonly string[];
  /** True keeps processes that the CLI started and left behind; only the CLI itself is ended then. */
  readonly keepDescendants: boolean;
  /** Bytes of stderr kept for error reports. */
  readonly stderrTailBytes: number;
}

export interface TransportListeners {
  /** Bytes of stdout as they were read, in memory that nothing is written into again. Called synchronously. */
  output(chunk: Buffer): void;
  /** stdout was read to its end; the process may still live. */
  outputEnded?(): void;
  /** One whole line of stderr, without its line end, cut to a bounded length. */
  stderr(line: string): void;
}

export interface ExitReport {
  /** The code the process itself returned; null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** While it lived the kernel ended so many processes of its control group because memory ran out; left out for none. */
  readonly memoryKills?: number;
  /** It ended and nobody saw how: the process that would have been told was killed before. Code and signal are null. */
  readonly isUnseen?: true;
}

export interface TreeReport {
  /** Pids that had to be killed, and pids that were still there when the deadline passed (normally none). */
  readonly killed: readonly number[];
  readonly survivors: readonly number[];
}

/** One CLI process and its pipes. Every promise settles, whatever the process does. */
export interface Transport {
  readonly pid: number;
  /** Writes one line (with its newline), in call order. Resolves when the pipe took it; rejects with CLI_INPUT_CLOSED. */
  write(line: string): Promise<void>;
  /** Ends stdin after everything written before. Idempotent. */
  endInput(): void;
  /** Signals the CLI process alone; ignored after its exit. */
  signal(signal: 'SIGTERM' | 'SIGINT'): void;
  /**
   * Ends whatever is left of the process tree with SIGKILL (by parent links and by mark) and waits until it was seen
   * gone, at most `deadlineMs`. Safe before and after the exit; concurrent calls share one sweep.
   */
  killTree(deadlineMs: number): Promise<TreeReport>;
  /** The process ended: its status was collected. Its pipes may still hold data. */
  readonly exited: Promise<ExitReport>;
  /** The process ended *and* stdout and stderr were read to their end: no `output` call comes after it. */
  readonly finished: Promise<ExitReport>;
  /** The last bytes of stderr, decoded, at most `stderrTailBytes`. */
  stderrTail(): string;
  /** Stops and starts reading stdout: back-pressure for the child. */
  pause(): void;
  resume(): void;
}

/** Opens a transport; rejects with CLI_NOT_FOUND, CWD_NOT_FOUND, CLI_NOT_EXECUTABLE, CLI_WRONG_FORMAT, ARGUMENTS_TOO_LARGE or SPAWN_FAILED. */
export type OpenTransport = (plan: LaunchPlan, listeners: TransportListeners) => Promise<Transport>;
