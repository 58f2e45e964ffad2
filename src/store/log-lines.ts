import { isRun, type LogEntry } from './event-run.ts';
import type { SubscriberEvent } from './session-event.ts';

/** Lines of the CLI, one behind the other: the bytes as they are in the log, each line with its line feed. */
export interface LogLines {
  readonly type: 'lines';
  /** The number of the first line, and of the last: between them every number is a line. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The incarnation that wrote them. */
  readonly epoch: number;
  /** Do not change them: others read the same memory. */
  readonly bytes: Buffer;
}

/** What reads the log as lines: nothing of it is parsed. */
export function linesOf(entry: LogEntry | SubscriberEvent): LogLines | SubscriberEvent | undefined {
  if (isRun(entry)) {
    const { firstSeq, lastSeq, epoch, lines } = entry;
    return { type: 'lines', firstSeq, lastSeq, epoch, bytes: lines.bytes };
  }
  if (!('epoch' in entry)) return entry;
  if (entry.type !== 'message') return undefined;
  const { seq, epoch, message } = entry;
  return { type: 'lines', firstSeq: seq, lastSeq: seq, epoch, bytes: message.rawLine };
}
