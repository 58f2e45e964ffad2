import type { ObservedEvent } from '../store/session-event.ts';
import { eventJson } from './event-frame.ts';

/** A page may be longer by one event than this. */
const PAGE_BYTES = 4 * 2 ** 20;

/**
 * The events, which are those behind `after`, as JSON, at most `limit` of them and about as many bytes as one answer may have. What the log
 * holds no more is told as `log.truncated`. `next` is where the next page begins; without it this was the last one.
 */
export async function eventPage(
  events: AsyncIterable<ObservedEvent>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Buffer> {
  const parts: Buffer[] = [Buffer.from('{"events":[')];
  let [bytes, count, last, isWhole] = [0, 0, after, true];
  for await (const event of events) {
    if (count >= limit || bytes >= PAGE_BYTES) {
      isWhole = false;
      break;
    }
    const json = 'epoch' in event ? eventJson(event) : Buffer.from(JSON.stringify(event));
    if (count > 0) parts.push(COMMA);
    parts.push(json);
    bytes += json.length;
    count += 1;
    if ('seq' in event) last = event.seq;
  }
  const next = isWhole ? '' : `,"next":${last}`;
  parts.push(Buffer.from(`]${next}}`));
  return Buffer.concat(parts);
}

const COMMA = Buffer.from(',');
