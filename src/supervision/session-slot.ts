import type { Admission } from '../session/session-life.ts';
import type { AdmissionControl } from './admission.ts';

export interface SessionSlotOptions {
  readonly control: AdmissionControl;
  readonly key: string | undefined;
  readonly configDir: string | undefined;
  /** Waited for before anything is started. */
  readonly before: (signal: AbortSignal) => Promise<void>;
}

/**
 * The slot of one session: taken with its first start and kept until it is over or parked; a start slot for each start.
 * Who comes back from where it was parked waits for a slot as long as it takes: it did not ask for the pause.
 */
export class SessionSlot implements Admission {
  readonly #options: SessionSlotOptions;
  readonly #ticket = {};
  #release: (() => void) | undefined;
  #isReturning = false;
  #isOver = false;

  constructor(options: SessionSlotOptions) {
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<() => void> {
    const { control, key, configDir, before } = this.#options;
    await before(signal);
    this.#release ??= await control.takeSessionSlot(signal, key, this.#ticket, this.#isReturning);
    // It may have been called off in the moment it was admitted.
    if (this.#isOver || signal.aborted) this.giveBack();
    return control.takeStartSlot(signal, configDir);
  }

  giveBack(): void {
    this.#release?.();
    this.#release = undefined;
    this.#isReturning = true;
  }

  position(): number | undefined {
    return this.#options.control.positionOf(this.#ticket);
  }

  /** The session is over. */
  end(): void {
    this.#isOver = true;
    this.#release?.();
  }
}
