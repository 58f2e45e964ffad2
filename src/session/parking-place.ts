import type { ChildContext, Parking } from '../../machines/child/child.context.ts';
import type { ChildEvent } from '../../machines/child/child.events.ts';
import { isFinal } from '../../machines/child/endings.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { TroupeError } from '../errors.ts';
import type { Conversation } from './conversation.ts';

/** What stands in the way of a session's work at this moment: a limit of its account, its login, its money. */
export type Barrier = () => Parking | undefined;

/** Hears why a process ended; where a limit or a login is the reason, what stands in the way of the session's work now. */
export type WallAtEnd = (cause: EndCause) => Parking | undefined;

export interface ParkingOptions {
  readonly conversation: Conversation;
  readonly send: (event: ChildEvent) => void;
  /** What holds now; null while nothing does. */
  readonly current: () => Parking | null;
  readonly hasProcess: () => boolean;
  readonly barrier: Barrier | undefined;
  readonly lostFor?: WallAtEnd | undefined;
}

/** Why a session in that state is parked, or on its way there: nobody starts it by hand any more. */
export function parkingIn(
  state: string,
  { value, context }: { readonly value: unknown; readonly context: ChildContext },
): Parking | null {
  return state === 'parked' || (value === 'pausing' && context.pausedFor === 'park') ? context.parking : null;
}

/** Puts a session aside while something stands in its way, with its prompts kept, and lets it go on. */
export class ParkingPlace {
  readonly #options: ParkingOptions;
  /** To be parked when the running turn has ended. */
  #planned: Parking | undefined;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** Why it is parked, or about to be; null otherwise. */
  get current(): Parking | null {
    return this.#planned ?? this.#options.current();
  }

  /**
   * Ends the process and keeps the session, without a slot, until `unpark`; told again, the newest word holds. `after-turn`
   * (the default) lets what runs come to its end and sends nothing more meanwhile; `now` ends the running turn as
   * `interrupted`.
   */
  park(parking: Parking, when: 'after-turn' | 'now' = 'after-turn'): void {
    const { conversation, hasProcess } = this.#options;
    if (when === 'now' || !conversation.isWorking || !hasProcess()) {
      this.#parkNow(parking);
      return;
    }
    const isPlanned = this.#planned !== undefined;
    this.#planned = parking;
    if (!isPlanned) void this.#parkAfterTurn();
  }

  /** What stood in the way is gone: it goes on as before, and one that prompts wait for gets a process. */
  unpark(): void {
    const { conversation, send } = this.#options;
    this.#planned = undefined;
    send({ type: 'child.unpark' });
    // Where it slept, or is asked to, a prompt that waits wakes it; what its group holds the group starts.
    conversation.goOn();
  }

  /** A wall that nobody knew of before the process ended: the session waits for it, and is not set aside (P8). */
  afterEnd(cause: EndCause, { wasEverReady }: { readonly wasEverReady: boolean }): void {
    const parking = wasEverReady && isFinal(cause.ending) ? this.#options.lostFor?.(cause) : undefined;
    if (parking !== undefined) this.#parkNow(parking);
  }

  /** Looks anew at what it is parked for: it goes on where nothing stands in its way any more. */
  review(): void {
    const obstacle = this.#options.barrier?.();
    if (obstacle === undefined) this.unpark();
    else this.#parkNow(obstacle);
  }

  /** Whether a prompt may go out; where something stands in its way the session is parked. */
  admitsWork(): boolean {
    if (this.#planned !== undefined) return false;
    const obstacle = this.#options.barrier?.();
    if (obstacle === undefined) return true;
    this.park(obstacle);
    return false;
  }

  /** The refusal of what only who parked it may do. */
  refusal(id: string): TroupeError | undefined {
    const parking = this.#options.current();
    if (parking === null) return undefined;
    const { reason, until, note } = parking;
    return new TroupeError('SESSION_PARKED', { reason: note, details: { id, reason, until } });
  }

  async #parkAfterTurn(): Promise<void> {
    const { conversation } = this.#options;
    // Between the news and this moment it may have gone on, and be planned anew.
    do await conversation.until(() => this.#planned === undefined || !conversation.isWorking);
    while (this.#planned !== undefined && conversation.isWorking);
    if (this.#planned !== undefined) this.#parkNow(this.#planned);
  }

  #parkNow(parking: Parking): void {
    this.#planned = undefined;
    const { reason, until, note } = parking;
    this.#options.send({ type: 'child.park', reason, until, note });
  }
}
