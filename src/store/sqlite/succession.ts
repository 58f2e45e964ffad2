import { type Clock, inBackground } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import type { Claimant } from './claim.ts';
import type { SqliteThread } from './thread.ts';
import type { WriterOptions } from './writer.ts';

/** How long a store that another process holds is waited for, in milliseconds; that one is asked to let go meanwhile. */
export interface StoreTakeover {
  readonly waitMs: number;
}

/** Between two tries to become the writer. */
const TRY_MS = 100;
/** Between two looks whether somebody waits. */
const LOOK_MS = 250;

/**
 * Becomes the writer, at once or not at all (`STORE_HELD`); with a takeover, as soon as the holder is gone or has let go. What it
 * cannot become it no longer asks for.
 */
export async function becomeWriter(
  thread: SqliteThread,
  options: WriterOptions,
  { takeover, clock }: { readonly takeover: StoreTakeover | undefined; readonly clock: Clock },
): Promise<void> {
  const until = clock.now() + (takeover?.waitMs ?? 0);
  for (;;) {
    try {
      return await thread.ask('openWriter', options);
    } catch (error) {
      if (takeover === undefined || !TroupeError.is(error) || error.code !== 'STORE_HELD') throw error;
      if (clock.now() >= until) throw waitedInVain(error, takeover);
    }
    // Again each time: whoever looks whether somebody asks is in the way for that moment.
    await thread.ask('claim', { path: options.path, waitMs: takeover.waitMs });
    await new Promise<void>((resolve) => clock.setTimeout(resolve, TRY_MS));
  }
}

/** Tells, again and again, who waits for the store; until it is stopped. */
export class ClaimListener {
  readonly #thread: Pick<SqliteThread, 'ask'>;
  readonly #clock: Clock;
  readonly #hear: (claimant: Claimant) => void;
  #timer: unknown;
  #isStopped = false;

  constructor(thread: Pick<SqliteThread, 'ask'>, clock: Clock, hear: (claimant: Claimant) => void) {
    this.#thread = thread;
    this.#clock = clock;
    this.#hear = hear;
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#clock.clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = inBackground(this.#clock.setTimeout(() => void this.#look(), LOOK_MS));
  }

  async #look(): Promise<void> {
    // A thread that is lost is told elsewhere.
    const claimant = await this.#thread.ask('claimant', undefined).catch(() => undefined);
    if (claimant !== undefined && !this.#isStopped) this.#hear(claimant);
    this.#wait();
  }
}

function waitedInVain(held: TroupeError, { waitMs }: StoreTakeover): TroupeError {
  const reason = `${held.reason ?? ''} It was asked to hand over, and has not within ${waitMs} ms.`.trim();
  return new TroupeError('STORE_HELD', { reason, details: { ...held.details, waitedMs: waitMs } });
}
