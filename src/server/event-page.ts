import type { Session } from '../session/session.ts';
import { eventText } from './event-text.ts';

/** A page may be longer by one event than this. */
const PAGE_BYTES = 4 * 2 ** 20;

/**
 * The events behind `after` as JSON text, at most `limit` of them and about as many bytes as one answer may have. What the log
 * holds no more is told as `log.truncated`. `next` is where the next page begins; without it this was the last one.
 */
export async function eventPage(
  session: Session,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<string> {
  const texts: string[] = [];
  let [bytes, last, isWhole] = [0, after, false];
  for await (const event of session.events({ from: after })) {
    if (event.type === 'replay.completed') {
      isWhole = true;
      break;
    }
    const text = eventText(event);
    texts.push(text);
    bytes += text.length;
    if ('seq' in event) last = event.seq;
    if (texts.length >= limit || bytes >= PAGE_BYTES) break;
  }
  const next = isWhole ? '' : `,"next":${last}`;
  return `{"events":[${texts.join(',')}]${next},"lastSeq":${session.snapshot().seq}}`;
}
