import { stringOf } from '../wire/fields.ts';
import { textDeltaOf } from '../wire/message-text.ts';
import { isRun, type LogEntry } from './event-run.ts';
import type { SubscriberEvent } from './session-event.ts';

/** What the model says: the text of one or of several pieces, as they were written. */
export interface LogText {
  readonly type: 'text';
  readonly text: string;
  /** The number of the first line it is from, and of the last. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The call of the subagent that speaks; undefined for the main conversation. */
  readonly parent: string | undefined;
}

/** What reads the log as texts: of a line only its text is decoded. */
export function textsOf(entry: LogEntry | SubscriberEvent): LogText | SubscriberEvent | undefined {
  if (isRun(entry)) {
    const { firstSeq, lastSeq, lines } = entry;
    if (lines.layout.kind !== 'text_delta') return undefined;
    return { type: 'text', text: lines.text(), firstSeq, lastSeq, parent: undefined };
  }
  if (!('epoch' in entry)) return entry;
  if (entry.type !== 'message' || entry.message.type !== 'stream_event') return undefined;
  const text = textDeltaOf(entry.message);
  if (text === undefined || text === '') return undefined;
  const { seq, message } = entry;
  const parent = stringOf(message.value?.['parent_tool_use_id']);
  return { type: 'text', text, firstSeq: seq, lastSeq: seq, parent };
}
