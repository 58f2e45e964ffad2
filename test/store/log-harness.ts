import { EventLog, type EventLogLimits, type EventLogOptions } from '../../src/store/event-log.ts';
import type { ObservedEvent, SessionFact } from '../../src/store/session-event.ts';
import type { Subscription } from '../../src/store/subscription.ts';

export function openLog(limits: Partial<EventLogLimits> = {}, options: EventLogOptions = {}) {
  const log = new EventLog(
    { maxItems: 1_000, maxBytes: 1_000_000, subscriber: { maxItems: 1_000, maxBytes: 1_000_000 }, ...limits },
    () => 1_700,
    options,
  );
  return {
    log,
    /** Appends so many lines of stderr and returns the last `seq`. */
    append: (count = 1) => {
      for (let number = 0; number < count; number += 1) log.append(1, line());
      return log.lastSeq;
    },
  };
}

/** An event that counts 200 bytes and those of its text. */
export function line(text = ''): SessionFact {
  return { type: 'stderr', line: text };
}

/** Takes what is there and returns it in short: numbers for logged events, words for notices. */
export async function takeAll(reader: Subscription): Promise<(number | string)[]> {
  const taken: (number | string)[] = [];
  while (reader.waiting > 0) {
    const { value } = await reader.next();
    taken.push(shortForm(value));
  }
  return taken;
}

export function shortForm(event: ObservedEvent): number | string {
  switch (event.type) {
    case 'replay.completed':
      return `replayed to ${event.seq}`;
    case 'subscriber.lagged':
      return `missed ${event.from}-${event.to} (${event.missed})`;
    case 'log.truncated':
      return `asked ${event.from}, begins ${event.firstSeq}`;
    default:
      return event.seq;
  }
}

export function from(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
