/** Whom a turn waits for: each has limits of its own (P5). `background`: no turn is owed, and work goes on beside the turns. */
export const WATCH_CLOCKS = ['model', 'tool', 'hook', 'mcp', 'background'] as const;
export type WatchClock = (typeof WATCH_CLOCKS)[number];

/** How much of each kind is open at the moment. */
export interface OpenWaits {
  /** Questions to people: while one is open nothing is a stall. */
  readonly human: number;
  readonly hook: number;
  /** Calls of tools that this program serves. */
  readonly mcp: number;
  readonly tool: number;
}

/** The whole state of the work at one moment: no report depends on the one before. Times are milliseconds of one clock. */
export interface WatchReport {
  readonly at: number;
  /** True while a prompt was delivered and has no outcome, or a turn is open. */
  readonly isOwed: boolean;
  /** Tasks that run beside the turns. */
  readonly background: number;
  readonly waits: OpenWaits;
  /** When the work moved last. */
  readonly progressAt: number;
  /** When the process last said anything that has a meaning. */
  readonly livedAt: number;
}

export type WatchdogEvent = { type: 'watch.reported'; report: WatchReport };

/** What the machine asks of its port: a report of this moment. */
export type SignsCommand = { type: 'signs.ask' };

/** Facts of a silence: which clock, since when, and how long it has lasted. */
export interface Silence {
  readonly clock: WatchClock;
  readonly since: number;
  readonly silentMs: number;
}

/** What the machine tells whoever listens with `actor.on`. */
export type WatchdogNotice =
  /** `interruptAt` is null where nothing follows. */
  | ({ type: 'watchdog.warned'; interruptAt: number | null } & Silence)
  /** After a warning the work moved again, or is over. `silentMs` is the length of the whole silence. */
  | ({ type: 'watchdog.recovered' } & Silence)
  | ({ type: 'watchdog.interrupted' } & Silence);

export const WATCHDOG_STATES = ['resting', 'watching', 'warned', 'interrupting', 'asking'] as const;
