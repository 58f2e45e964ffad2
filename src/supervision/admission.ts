import type { Clock } from '../clock.ts';
import type { Admission, AdmissionLack } from '../session/admission.ts';
import { type LineLimits, SessionLine, type Shortage, type Ticket } from './session-line.ts';
import { type Release, StartGates, type StartRank } from './start-gates.ts';

export interface AdmissionLimits extends LineLimits {
  readonly maxStarting: number;
  /** Starts at the same time with one configuration folder: they share credentials that not all may refresh at once (R89). */
  readonly startsPerConfigDir?: number | undefined;
}

export interface AdmissionControlOptions {
  readonly limits: AdmissionLimits;
  readonly clock: Clock;
  /** Bytes that are free, now. */
  readonly freeMemory: () => number;
  /** What must be over before anybody takes a slot. Must not reject. */
  readonly before?: (signal: AbortSignal) => Promise<void>;
  /** Somebody waits that could be served if a slot, or memory, were given back. */
  readonly onShort?: () => void;
  /** Nobody waits, and there may be slots that are free. */
  readonly onRoom?: () => void;
}

export interface PlaceOptions {
  readonly key?: string | undefined;
  readonly configDir?: string | undefined;
}

export interface SparePlace {
  /** Takes a slot to run at all if one is free that nobody waits for; says whether. */
  take(): boolean;
  /** Waits for a slot to start; resolves with its release. Rejects with ABORTED when the signal fires. */
  start(signal: AbortSignal): Promise<Release>;
  /** Its memory is taken already. */
  settled(): void;
  giveBack(): void;
}

interface StartKind {
  readonly configDir: string | undefined;
  readonly rank: StartRank;
}

type Begin = (
  ticket: Ticket,
  signal: AbortSignal,
  isPatient: boolean,
  configDir: string | undefined,
) => Promise<Release>;

/** How many processes may exist and how many may start at the same time. Keeps no place for who is gone. */
export class AdmissionControl {
  readonly #line: SessionLine;
  readonly #gates: StartGates;
  readonly #before: (signal: AbortSignal) => Promise<void>;

  constructor(options: AdmissionControlOptions) {
    const { limits, clock, freeMemory, before = async () => {}, onShort = () => {}, onRoom } = options;
    this.#before = before;
    this.#line = new SessionLine({ limits, clock, freeMemory, onShort, onRoom });
    this.#gates = new StartGates(limits);
  }

  /** Slots that are held, places that wait for one, and starts in progress. */
  get load(): { readonly sessions: number; readonly waiting: number; readonly starting: number } {
    return { sessions: this.#line.held, waiting: this.#line.waiting, starting: this.#gates.held };
  }

  /** Somebody waits for memory. */
  get lacksMemory(): boolean {
    return this.#line.isShortOfMemory;
  }

  /** What those who wait lack. */
  shortage(): Shortage {
    return this.#line.shortage();
  }

  /** The place of one session among those that may have a process. */
  place({ key, configDir }: PlaceOptions = {}): Admission {
    return new Place({ key }, configDir, this.#line, this.#begin);
  }

  /** The place of a process that has no session yet: it never stands in the line. */
  sparePlace(configDir?: string | undefined): SparePlace {
    const ticket: Ticket = { key: undefined };
    return {
      take: () => this.#line.takeSpare(ticket),
      start: async (signal) => {
        await this.#before(signal);
        return this.#startSlot(ticket, signal, { configDir, rank: 'warm' });
      },
      settled: () => this.#line.settled(ticket),
      giveBack: () => this.#line.giveBack(ticket),
    };
  }

  readonly #begin: Begin = async (ticket, signal, isPatient, configDir) => {
    await this.#before(signal);
    await this.#line.take(ticket, signal, isPatient);
    return this.#startSlot(ticket, signal, { configDir, rank: 'session' });
  };

  async #startSlot(ticket: Ticket, signal: AbortSignal, { configDir, rank }: StartKind): Promise<Release> {
    const leave = await this.#gates.take(signal, configDir, rank);
    return () => {
      leave();
      this.#line.settled(ticket);
    };
  }
}

/** The place of a session, which keeps it as long as it lives. */
class Place implements Admission {
  readonly #begin: Begin;
  readonly #ticket: Ticket;
  readonly #configDir: string | undefined;
  readonly #line: SessionLine;

  constructor(ticket: Ticket, configDir: string | undefined, line: SessionLine, begin: Begin) {
    this.#ticket = ticket;
    this.#configDir = configDir;
    this.#line = line;
    this.#begin = begin;
  }

  start(signal: AbortSignal, isPatient: boolean): Promise<Release> {
    return this.#begin(this.#ticket, signal, isPatient, this.#configDir);
  }

  giveBack(): void {
    this.#line.giveBack(this.#ticket);
  }

  position(): number | undefined {
    return this.#line.positionOf(this.#ticket);
  }

  lack(): AdmissionLack | undefined {
    if (this.position() === undefined) return undefined;
    return { what: this.#line.lackOf(this.#ticket), ...this.#line.memory };
  }
}
