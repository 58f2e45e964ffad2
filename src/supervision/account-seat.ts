import type { Parking } from '../../machines/child/child.context.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import type { Barrier } from '../session/parking-place.ts';
import type { SessionEvent } from '../store/session-event.ts';
import { isModelAnswer, limitHitOf, loginFailureOf } from '../wire/account-facts.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { factOf } from '../wire/facts.ts';
import { resetIn } from '../wire/reset-words.ts';
import type { AccountDesk, AccountMember } from './account-desk.ts';
import type { BuiltSession } from './session-factory.ts';

/** The place of one session at its account: tells what the session meets, and holds it back. */
export class AccountSeat implements AccountMember {
  readonly id: string;
  readonly #desk: AccountDesk;
  #built: BuiltSession | undefined;
  /** What was told to be closed, until its turn ends: the words of the result name no window, and the minute of the reset at best. */
  #told: { readonly window: string; readonly resetsAt: number | null } | undefined;

  constructor(id: string, desk: AccountDesk) {
    this.id = id;
    this.#desk = desk;
  }

  /** Follows the session to its end. */
  follow(built: BuiltSession): void {
    this.#built = built;
    this.#desk.join(this);
    const hear = ({ type }: SessionEvent): void => {
      if (type === 'prompt.accepted' || type === 'prompt.ended') this.#workChanged(type === 'prompt.ended');
    };
    built.log.listenInside(hear, () => {});
    void built.life.ended.then(() => this.#desk.leave(this.id));
  }

  /** What stands in the way of its work. */
  barrier(): Parking | undefined {
    return this.#desk.admits(this.id, this.#hasWork) ? undefined : this.#desk.parking();
  }

  /** Something else keeps it from its work: where it is the one that tries, another one does. */
  standAside(): void {
    if (this.#isTrying) this.#desk.send({ type: 'session.left', id: this.id, at: this.#desk.now() });
  }

  /** Hears every message before its conversation does. */
  hear(message: CliMessage): void {
    const at = this.#desk.now();
    const lost = loginFailureOf(message);
    if (lost !== undefined) {
      this.#desk.send({ type: 'login.failed', message: lost, at });
      // Its process is of no use: it is parked although nothing waits yet.
      const parking = this.barrier();
      if (parking !== undefined) this.#built?.life.parking.park(parking);
      return;
    }
    if (message.type === 'rate_limit_event' || message.type === 'result') this.#hearLimit(message, at);
    else if (this.#isTrying && isModelAnswer(message)) this.hearAnswer();
  }

  /** The model answers, which is news where it is the one that tries. */
  hearAnswer(): void {
    if (this.#isTrying) this.#desk.send({ type: 'session.passed', id: this.id });
  }

  get #isTrying(): boolean {
    return this.#desk.probe === this.id;
  }

  /** Its process has ended because of that: where its account was the reason, what it waits for now (P8). */
  lostFor({ ending, message }: EndCause): Parking | undefined {
    const at = this.#desk.now();
    if (ending === 'auth') this.#desk.send({ type: 'login.failed', message: message.slice(0, 500), at });
    else if (ending === 'quota') this.#reached(resetIn(message, at) ?? null, at);
    else return undefined;
    return this.barrier();
  }

  release(): void {
    this.#built?.life.parking.unpark();
  }

  told(parking: Parking): void {
    const life = this.#built?.life;
    const current = life?.parking.current ?? null;
    // What else it waits for is not ours to say.
    if (life === undefined || current === null || current.reason === 'budget') return;
    if (current.until === parking.until && current.reason === parking.reason) return;
    life.parking.park(parking, life.state === 'parked' ? 'now' : 'after-turn');
  }

  get #hasWork(): boolean {
    const ledger = this.#built?.conversation.ledger;
    // Behind one in doubt nothing goes out before somebody has decided.
    return ledger !== undefined && ledger.queued.length > 0 && ledger.inDoubt.length === 0;
  }

  #hearLimit(message: CliMessage, at: number): void {
    const fact = factOf(message);
    if (fact?.type === 'rate-limit.told') {
      const { window, status, resetsAt = null, isUsingOverage } = fact.limit;
      if (status === 'rejected' && isUsingOverage !== true) {
        this.#told = { window, resetsAt };
        this.#desk.send({ type: 'limit.reached', window, resetsAt, at, chance: this.#desk.chance() });
      } else if (status !== 'rejected' && this.#desk.probe === this.id) {
        this.#desk.send({ type: 'session.passed', id: this.id });
      }
      return;
    }
    if (fact?.type !== 'turn.result') return;
    const hit = limitHitOf(fact, at);
    if (hit !== undefined) this.#reached(hit.resetsAt ?? null, at);
    this.#told = undefined;
  }

  #reached(bySaying: number | null, at: number): void {
    const { window = 'unknown', resetsAt = null } = this.#told ?? {};
    this.#desk.send({ type: 'limit.reached', window, resetsAt: resetsAt ?? bySaying, at, chance: this.#desk.chance() });
  }

  #workChanged(hasEnded: boolean): void {
    const at = this.#desk.now();
    // Its turn is over, and there was no answer of the API by which one could tell.
    if (hasEnded && this.#desk.probe === this.id) this.#desk.send({ type: 'session.left', id: this.id, at });
    if (!this.#desk.isWaiting(this.id)) return;
    this.#desk.send({ type: 'session.waiting', id: this.id, hasWork: this.#hasWork, at });
  }
}

/** What stands in the way of a session: a limit or a lost login of its account before its own means. */
export function barrierOf(account: AccountSeat | undefined, { barrier }: { readonly barrier: Barrier }): Barrier {
  return () => {
    const wall = account?.barrier();
    if (wall !== undefined) return wall;
    const obstacle = barrier();
    if (obstacle !== undefined) account?.standAside();
    return obstacle;
  };
}
