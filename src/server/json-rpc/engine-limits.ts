/** What one front end may cost. */
export interface EngineLimits {
  /** Of a frame that it sends, as UTF-8. Default 1 MiB. */
  readonly maxFrameBytes: number;
  /** What may wait to be sent to it; the feed of a session pauses at half of it, and over it the front end is cut. Default 8 MiB. */
  readonly maxBufferedBytes: number;
  /** Its calls that are not answered yet; one is open as long as its turn. Default 64. */
  readonly maxOpenCalls: number;
  /** Calls in one batch. Default 32. */
  readonly maxBatch: number;
  /** Sessions it follows. Default 32. */
  readonly maxAttachments: number;
  /** Until it has said `initialize`. Default 10 000. */
  readonly initializeMs: number;
  /** How long it may take nothing while something waits for it, and what it asked may go on once it says nothing more. Default 30 000. */
  readonly drainMs: number;
}

export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  maxFrameBytes: 2 ** 20,
  maxBufferedBytes: 8 * 2 ** 20,
  maxOpenCalls: 64,
  maxBatch: 32,
  maxAttachments: 32,
  initializeMs: 10_000,
  drainMs: 30_000,
};
