import { CliMessage } from '../wire/cli-message.ts';
import { parseRecord } from '../wire/fields.ts';
import type { EventRun } from './event-run.ts';
import type { SessionEvent, SessionFact } from './session-event.ts';
import type { StoredEvent } from './store.ts';

/** Stands where `salvageStore` found an event unreadable. */
const LOST = 'log.lost';

const MESSAGE = 'message';

/** Its data are two lines: what it means, and what the peer wrote in its dialect. */
const TRANSLATED = 'translated';
/** The lines of a run are pieces of an answer. */
const RUN = `${MESSAGE}/stream_event`;

/** What `escaped` would change. */
const PUNCTUATION = /[/%]/;
const LINE_FEED = Buffer.from('\n');

/**
 * An event as a store keeps it: of a message the line itself, of every other the facts as JSON. The kind of a message stands
 * in `type` (`message/system/init`), so that it comes back without being parsed, and can be asked for.
 */
export function storedEventOf(event: SessionEvent): StoredEvent {
  const { seq, epoch, at } = event;
  if (event.type !== MESSAGE) {
    const { seq: _seq, epoch: _epoch, at: _at, type, ...facts } = event;
    return { seq, epoch, at, type, data: Buffer.from(JSON.stringify(facts)) };
  }
  const { raw, line, type, subtype, isTranslated } = event.message;
  if (!isTranslated) return { seq, epoch, at, type: storedType(type, subtype), data: raw };
  const kind = [MESSAGE, type, subtype ?? ''].map(escaped).join('/');
  return { seq, epoch, at, type: `${kind}/${TRANSLATED}`, data: Buffer.concat([line, LINE_FEED, raw]) };
}

/** A run as a store keeps it: its lines in one row, as they are. */
export function storedRunOf({ firstSeq: seq, epoch, at, count, lines }: EventRun): StoredEvent {
  const data = lines.bytes.subarray(0, -LINE_FEED.length);
  return { seq, epoch, at, type: RUN, data, ...(count > 1 && { count }) };
}

/** The type of a message as a store keeps it. */
export function storedType(type: string, subtype: string | undefined): string {
  const isPlain = !PUNCTUATION.test(type) && !PUNCTUATION.test(subtype ?? '');
  if (isPlain) return subtype === undefined ? `${MESSAGE}/${type}` : `${MESSAGE}/${type}/${subtype}`;
  return [MESSAGE, type, ...(subtype === undefined ? [] : [subtype])].map(escaped).join('/');
}

/** True for the type of a message that is kept as its line: several may stand in one row. */
export function isLine(type: string): boolean {
  return type.startsWith(`${MESSAGE}/`) && !type.endsWith(`/${TRANSLATED}`);
}

/** The event again. Never throws: what cannot be read is a `diagnostic` in its place, `log-lost` or `log-unreadable` (P6). */
export function sessionEventOf({ seq, epoch, at, type, data }: StoredEvent): SessionEvent {
  return { ...factOf(type, data), seq, epoch, at };
}

function factOf(type: string, data: Uint8Array): SessionFact {
  if (type === LOST) return { type: 'diagnostic', reason: 'log-lost' };
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [plane, kind, subtype, form] = type.split('/');
  if (plane === MESSAGE && kind !== undefined) {
    if (form === TRANSLATED) return translatedFact(type, unescaped(kind), bytes);
    const message = new CliMessage(bytes, unescaped(kind), subtype === undefined ? undefined : unescaped(subtype));
    return { type: MESSAGE, message };
  }
  const facts = parseRecord(bytes.toString('utf8'));
  if (facts === undefined) return { type: 'diagnostic', reason: 'log-unreadable', detail: type };
  // What was written by `storedEventOf`, perhaps of an older release: readers take fields as they find them.
  return { ...facts, type } as SessionFact;
}

function translatedFact(stored: string, type: string, bytes: Buffer): SessionFact {
  const end = bytes.indexOf(LINE_FEED);
  const value = end === -1 ? undefined : parseRecord(bytes.toString('utf8', 0, end));
  if (value === undefined) return { type: 'diagnostic', reason: 'log-unreadable', detail: stored };
  return { type: MESSAGE, message: CliMessage.translated(bytes.subarray(end + 1), { ...value, type }) };
}

function escaped(part: string): string {
  return part.replaceAll('%', '%25').replaceAll('/', '%2F');
}

function unescaped(part: string): string {
  return part.replaceAll('%2F', '/').replaceAll('%25', '%');
}
