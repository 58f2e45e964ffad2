import { ChosenEntries } from './chosen-entries.ts';
import type { EventLog } from './event-log.ts';
import { type LogLines, linesOf } from './log-lines.ts';
import { type LogText, textsOf } from './log-texts.ts';
import type { SubscriberEvent } from './session-event.ts';

export type LinesReading = AsyncIterableIterator<LogLines | SubscriberEvent>;
export type TextsReading = AsyncIterableIterator<LogText | SubscriberEvent>;

/** A log as the lines of the CLI in it. */
export function readLines(log: EventLog, cursor: { from: number }): LinesReading {
  return new ChosenEntries(log.followEntries(cursor), linesOf);
}

/** A log as what the model says in it. */
export function readTexts(log: EventLog, cursor: { from: number }): TextsReading {
  return new ChosenEntries(log.followEntries(cursor), textsOf);
}
