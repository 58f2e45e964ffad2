import type { Clock } from '../clock.ts';
import type { TroupeError } from '../errors.ts';
import { interruptConversation } from '../session/interrupt.ts';
import type { BudgetHands } from './budget-desk.ts';
import type { BuiltSession } from './session-factory.ts';

/** What the budget may do with a session. */
export function budgetHands(built: BuiltSession, around: { clock: Clock; interruptMs: number }): BudgetHands {
  const { life, conversation, log } = built;
  return {
    tell: (fact) => {
      log.append(life.epoch, fact);
    },
    parking: () => life.parking.current,
    park: (parking) => life.parking.park(parking),
    unpark: () => life.parking.unpark(),
    interrupt: (reason) => {
      if (!conversation.isWorking) return;
      // One that is not obeyed costs the process, and with it the turn: that is told by its own events.
      interruptConversation({ life, conversation, ...around, reason }).catch(() => {});
    },
    kill: (reason) => {
      conversation.ledger.markInterrupted(undefined, reason);
      life.stop('kill', causeOf(reason));
    },
  };
}

function causeOf({ code, reason, details }: TroupeError) {
  return { code, message: reason ?? '', ending: 'budget', details } as const;
}
