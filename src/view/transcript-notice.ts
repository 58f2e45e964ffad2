import type { ViewEvent } from './view-event.ts';

interface Notice {
  readonly text: string;
  readonly isProblem: boolean;
}

/** What a reader of the conversation should know of an event; undefined for what is of no interest there. */
export function noticeOf(event: Exclude<ViewEvent, { type: 'message' }>): Notice | undefined {
  switch (event.type) {
    case 'session.resumed':
      return { text: 'The conversation goes on in a new process.', isProblem: false };
    case 'session.recovered':
      return { text: `Its host was lost: ${event.reason}`, isProblem: true };
    case 'session.restarting':
      return { text: `Its process ended: ${event.cause.message} Another one is started.`, isProblem: true };
    case 'session.parked':
      return { text: event.note, isProblem: true };
    case 'session.quarantined':
      return { text: `It is set aside: ${event.cause.message}`, isProblem: true };
    case 'session.ended':
      return { text: `It ended: ${event.cause.message}`, isProblem: event.cause.code !== 'closed' };
    case 'prompt.in-doubt':
      return { text: 'A prompt was cut off and could run twice: somebody has to decide.', isProblem: true };
    case 'prompt.deferred':
      return { text: 'A prompt met a limit of the account, and is sent once more.', isProblem: true };
    case 'prompt.ended':
      return event.outcome === 'completed'
        ? undefined
        : {
            text: `A prompt ended as ${event.outcome}.`,
            isProblem: event.outcome === 'failed' || event.outcome === 'lost',
          };
    case 'watchdog.warned':
      return {
        text: `Silent for ${Math.round(event.silentMs / 1_000)} s; it waits for the ${event.clock}.`,
        isProblem: true,
      };
    case 'watchdog.interrupted':
      return { text: 'Its turn was interrupted because nothing moved.', isProblem: true };
    case 'budget.warned':
    case 'budget.reached':
      return { text: `${event.spent} of ${event.limit} ${event.unit} of the budget are spent.`, isProblem: true };
    case 'log.volatile':
      return { text: `The store fails: ${event.message}`, isProblem: true };
    default:
      return undefined;
  }
}
