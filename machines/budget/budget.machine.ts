import { emit, enqueueActions, setup } from 'xstate';
import { type BudgetContext, type BudgetInput, booked, checkMs, initialBudget, isDaySpent } from './budget.context.ts';
import type { BudgetEvent, BudgetNotice } from './budget.events.ts';

/**
 * The money of all sessions of a supervisor: who has spent what, and what follows from it. It needs nothing of the world, so
 * it has no ports; what is to be done it tells. Only a day that is used up is waited for.
 */
export const budgetMachine = setup({
  types: {
    input: {} as BudgetInput,
    context: {} as BudgetContext,
    events: {} as BudgetEvent,
    emitted: {} as BudgetNotice,
  },
  actions: {
    book: enqueueActions(({ context, event, enqueue }) => {
      const { ledger, verdicts } = booked(context, event);
      if (event.type === 'day.told') enqueue.assign({ day: event.day });
      enqueue.assign('at' in event ? { ledger, at: event.at } : { ledger });
      for (const verdict of verdicts) enqueue.emit(verdict);
    }),
    askForDay: emit({ type: 'day.wanted' }),
  },
  guards: {
    isDaySpent: ({ context }) => isDaySpent(context),
    hasRoomToday: ({ context }) => !isDaySpent(context),
  },
  delays: { dayCheck: ({ context }) => checkMs(context) },
}).createMachine({
  id: 'budget',
  context: ({ input }) => initialBudget(input),
  initial: 'counting',
  on: {
    'payer.joined': { actions: 'book' },
    'payer.left': { actions: 'book' },
    'usage.told': { actions: 'book' },
    'day.told': { actions: 'book' },
    'budget.raise': { actions: 'book' },
    'budget.close': '.closed',
  },
  states: {
    counting: {
      always: { guard: 'isDaySpent', target: 'day-spent' },
    },
    'day-spent': {
      always: { guard: 'hasRoomToday', target: 'counting' },
      after: { dayCheck: { actions: 'askForDay' } },
      on: {
        // The moment is known anew, and with it how long the day still lasts.
        'day.told': { actions: 'book', target: 'day-spent', reenter: true },
      },
    },
    closed: { type: 'final' },
  },
});
