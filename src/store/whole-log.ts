import { isRun, type LogEntry } from './event-run.ts';
import type { ObservedEvent, SessionEvent, SubscriberEvent } from './session-event.ts';
import type { LogTruncated, Store } from './store.ts';
import { storedEventsOf } from './stored-row.ts';
import { sessionEventOf } from './stored-session-event.ts';

/** The events behind a cursor from where they are kept longer than in memory, in pages, as they are pulled. */
export type LogHistory = (after: number) => AsyncIterable<SessionEvent | LogTruncated>;

/** The log of one session as a store has it. */
export function historyOf(store: Pick<Store, 'read'>, sessionId: string): LogHistory {
  return async function* (after) {
    for await (const event of store.read({ sessionId, after })) {
      if ('firstSeq' in event) yield event;
      else for (const one of storedEventsOf(event)) yield sessionEventOf(one);
    }
  };
}

/**
 * A subscription whose holes are filled from the store: what memory has dropped before it was read, and what a slow reader
 * lost. It is subscribed before anything is read, so that no event falls between and none comes twice; what comes meanwhile
 * waits within the limits of the subscription, and is read from the store, too, when it was dropped. Only what the store
 * has no more is told as missing.
 */
export class WholeLog<Entry extends LogEntry | SubscriberEvent>
  implements AsyncIterableIterator<Entry | ObservedEvent>
{
  readonly #subscription: AsyncIterableIterator<Entry>;
  readonly #events: AsyncGenerator<Entry | ObservedEvent, void, void>;

  constructor(subscription: AsyncIterableIterator<Entry>, history: LogHistory) {
    this.#subscription = subscription;
    this.#events = withoutHoles(subscription, history);
  }

  next(): Promise<IteratorResult<Entry | ObservedEvent>> {
    return this.#events.next();
  }

  /** Also ends a pull that waits, and the reading of the store. */
  async return(): Promise<IteratorResult<Entry | ObservedEvent>> {
    await this.#subscription.return?.();
    return await this.#events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function* withoutHoles<Entry extends LogEntry | SubscriberEvent>(
  subscription: AsyncIterable<Entry>,
  history: LogHistory,
): AsyncGenerator<Entry | ObservedEvent, void, void> {
  for await (const event of subscription) {
    if (isRun(event)) yield event;
    else if (event.type === 'log.truncated') yield* fill(history, event.from + 1, event.firstSeq - 1);
    else if (event.type === 'subscriber.lagged') yield* fill(history, event.from, event.to);
    else yield event;
  }
}

/** The events from `first` to `last`; where some are gone, a notice in their place. */
async function* fill(history: LogHistory, first: number, last: number): AsyncGenerator<ObservedEvent, void, void> {
  let next = first;
  for await (const event of history(first - 1)) {
    if (event.type === 'log.truncated') {
      const firstSeq = Math.min(event.firstSeq, last + 1);
      yield { type: 'log.truncated', from: next - 1, firstSeq };
      next = firstSeq;
    } else if (event.seq >= next && event.seq <= last) {
      yield event;
      next = event.seq + 1;
    }
    if (next > last) return;
  }
  // It was told before it was durable, and the store has failed since: nobody has it any more.
  if (next <= last) yield { type: 'subscriber.lagged', from: next, to: last, missed: last - next + 1 };
}
