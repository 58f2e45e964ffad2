import type { LimitOptions, RestartOptions, TimeoutOptions } from './session-options.ts';
import type { SupervisorLimitOptions, SupervisorTimeoutOptions } from './supervisor-options.ts';

type TimeoutName = keyof TimeoutOptions;
type LimitName = keyof LimitOptions;
type SupervisorTimeoutName = Exclude<keyof SupervisorTimeoutOptions, TimeoutName>;

/** Deadlines in milliseconds; `Infinity` means that nothing is done about it, however long it takes (P5). */
export const DEFAULT_TIMEOUTS: Readonly<Record<TimeoutName | SupervisorTimeoutName, number>> = {
  /** From the request to start a process until it has a pid. */
  spawnMs: 30_000,
  /** From the last sign of life until the `initialize` answer. */
  initializeMs: 60_000,
  /** Until an in-process or required MCP server is ready. */
  mcpServerMs: 15_000,
  /** Until a control request is answered: older CLIs never answer some of them (WIRE §9). */
  controlMs: 60_000,
  turnMs: Number.POSITIVE_INFINITY,
  /** From the last progress of a turn that waits for the model until it is told, and until it is interrupted. */
  stallMs: 300_000,
  stallInterruptMs: 600_000,
  /** From the last sign of life while a tool, a hook or an in-process call is open: those may take as long as they like. */
  toolStallMs: Number.POSITIVE_INFINITY,
  toolStallInterruptMs: Number.POSITIVE_INFINITY,
  /** A person may think as long as they like. */
  permissionMs: Number.POSITIVE_INFINITY,
  /** Until a hook whose matcher has no timeout of its own must have answered. */
  hookMs: 60_000,
  /** From an interrupt until the turn has ended. */
  interruptMs: 30_000,
  idleMs: Number.POSITIVE_INFINITY,
  /** From the end of stdin until SIGTERM. */
  closeGraceMs: 2_000,
  /** From SIGTERM until SIGKILL; the CLI needs 1.7 s of it to end its tools (WIRE §15). */
  terminateGraceMs: 5_000,
  /** From SIGKILL until the whole process tree must have been seen gone (P1). */
  killGraceMs: 5_000,
  /** Wait for a free session slot. */
  admissionMs: 30_000,
  /** How long `drain` lets turns and queued prompts go on. */
  drainMs: 600_000,
  /** In a drain: until the starts that were called off are gone. */
  drainAdmissionMs: 10_000,
  /** From the interrupts of a drain until the interrupted turns have ended. */
  drainInterruptMs: 15_000,
  /** From the request to leave until what is left of the sessions is killed. Longer than the ladders of a group's members. */
  drainCloseMs: 120_000,
  /** From there until it is no longer waited for. */
  drainKillMs: 15_000,
  /** For what a session store is still to be given. */
  drainFlushMs: 60_000,
  /** How long `handover` lets running turns go on. Shorter than `takeoverMs`, by which the next host may give up. */
  handoverMs: 30_000,
  /** How long a new supervisor waits for the one that holds its store. */
  takeoverMs: 120_000,
  storeMs: 30_000,
  /** From a signal to the host until what is left of its sessions is killed. Longer than the ladder to SIGKILL. */
  hostSignalMs: 10_000,
};

/** Bounds on everything that could grow (P9). */
export const DEFAULT_LIMITS: Readonly<Record<LimitName | 'maxSessions' | 'maxStarting' | 'maxRegistered', number>> = {
  maxSessions: 20,
  maxStarting: 4,
  maxRegistered: 10_000,
  maxPromptQueue: 100,
  /** An ordinary screenshot makes a line of several MiB (R07). */
  maxLineBytes: 64 * 2 ** 20,
  maxSubscriberBufferBytes: 16 * 2 ** 20,
  maxSubscriberBufferItems: 20_000,
  stderrTailBytes: 64 * 2 ** 10,
  maxControlPending: 256,
  maxLogBytes: 16 * 2 ** 20,
  maxLogItems: 20_000,
  maxRecoveries: 5,
};

/**
 * The most a limit may be: beyond it the machine, or the language, ends first and in the middle of the work. A few numbers
 * have no default, because nothing is bounded without them.
 */
export const HIGHEST_LIMITS: Readonly<Record<keyof SupervisorLimitOptions, number>> = {
  maxSessions: 100_000,
  maxStarting: 10_000,
  maxRegistered: 1_000_000,
  maxPromptQueue: 1_000_000,
  /** The longest string Node can hold: a longer line could not be decoded. */
  maxLineBytes: 2 ** 29 - 24,
  maxSubscriberBufferBytes: 16 * 2 ** 30,
  maxSubscriberBufferItems: 10_000_000,
  /** Taken as a whole with the first byte that a process writes to stderr. */
  stderrTailBytes: 16 * 2 ** 20,
  maxControlPending: 100_000,
  maxLogBytes: 16 * 2 ** 30,
  maxLogItems: 10_000_000,
  maxRecoveries: 1_000_000,
  maxSessionsPerKey: 100_000,
  startsPerConfigDir: 10_000,
  minFreeMemoryBytes: 2 ** 40,
};

/** Restarted unless somebody asked for the end, at most three times a minute. */
export const DEFAULT_RESTART: Required<Omit<RestartOptions, 'backoff'>> & {
  readonly backoff: Required<NonNullable<RestartOptions['backoff']>>;
} = {
  type: 'transient',
  intensity: 3,
  periodMs: 60_000,
  backoff: { minMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.2 },
};
