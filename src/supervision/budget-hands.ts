import type { Clock } from '../clock.ts';
import type { TroupeError } from '../errors.ts';
import { interruptConversation } from '../session/interrupt.ts';
import type { BudgetHands } from './budget-desk.ts';
import type { BuiltSession } from './session-factory.ts';

/** What the budget may do with a session. */
export class SessionBudgetHands implements BudgetHands {
  readonly #built: BuiltSession;
  readonly #clock: Clock;
  readonly #interruptMs: number;

  constructor(built: BuiltSession, clock: Clock, interruptMs: number) {
    this.#built = built;
    this.#clock = clock;
    this.#interruptMs = interruptMs;
  }

  tell(fact: Parameters<BudgetHands['tell']>[0]): void {
    this.#built.log.append(this.#built.life.epoch, fact);
  }

  parking(): ReturnType<BudgetHands['parking']> {
    return this.#built.life.parking.current;
  }

  park(parking: Parameters<BudgetHands['park']>[0]): void {
    this.#built.life.parking.park(parking);
  }

  unpark(): void {
    this.#built.life.parking.unpark();
  }

  interrupt(reason: TroupeError): void {
    const { life, conversation } = this.#built;
    if (!conversation.isWorking) return;
    const around = { clock: this.#clock, interruptMs: this.#interruptMs };
    // One that is not obeyed costs the process, and with it the turn: that is told by its own events.
    interruptConversation({ life, conversation, ...around, reason }).catch(() => {});
  }

  kill(reason: TroupeError): void {
    const { life, conversation } = this.#built;
    conversation.ledger.markInterrupted(undefined, reason);
    life.stop('kill', causeOf(reason));
  }
}

function causeOf({ code, reason, details }: TroupeError) {
  return { code, message: reason ?? '', ending: 'budget', details } as const;
}
