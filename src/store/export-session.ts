import { createHash } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import type { LogTruncated, StoredEvent, StoreReader } from './store.ts';
import { storedEventsOf } from './stored-row.ts';

/** What the first line says, so that it is known for what it is, also by a later release. */
export const EXPORT_FORMAT = 'troupe-session';
export const EXPORT_VERSION = 1;

/** Characters of the sum at the end of each line. */
const SUM_CHARACTERS = 16;

/**
 * One session as lines of JSON, each with its line end: what it is, its records, its events with their original bytes, and a last
 * line that says how many there were. Every line ends with a sum over all lines up to it, so that what was changed, lost or cut
 * off is found, and where. Shows one moment, whatever is written meanwhile. Throws `SESSION_NOT_FOUND`, `STORE_CONFLICT` when
 * the log is shortened while it is read (try again), and what reading throws.
 */
export async function* exportSession(store: StoreReader, sessionId: string): AsyncGenerator<string> {
  const snapshot = await store.snapshot(sessionId);
  if (snapshot === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { sessionId } });
  const { records, lastSeq, epoch } = snapshot;
  const log = store.read({ sessionId, after: 0 })[Symbol.asyncIterator]();
  let next = await log.next();
  const firstSeq = firstOf(next.done === true ? undefined : next.value, lastSeq);
  if (next.done !== true && !('data' in next.value)) next = await log.next();

  const sum = new RunningSum();
  yield sum.seal({ format: EXPORT_FORMAT, version: EXPORT_VERSION, sessionId, epoch, firstSeq, lastSeq });
  for (const record of records) yield sum.seal({ record });
  let events = 0;
  for (; next.done !== true; next = await log.next()) {
    const row = next.value;
    if (!('data' in row)) {
      throw new TroupeError('STORE_CONFLICT', { reason: 'The log was shortened meanwhile.', details: { sessionId } });
    }
    if (row.seq > lastSeq) break;
    for (const event of storedEventsOf(row)) {
      events += 1;
      yield sum.seal(lineOf(event));
    }
  }
  await log.return?.();
  yield sum.seal({ end: true, records: records.length, events });
}

/** A sum that every line carries, over itself and all before it. */
export class RunningSum {
  readonly #hash = createHash('sha256');

  /** The line for an object: its JSON with the sum as the last field. */
  seal(line: Readonly<Record<string, unknown>>): string {
    const text = JSON.stringify(line);
    return `${text.slice(0, -1)},"sum":"${this.#add(text)}"}\n`;
  }

  /** The object of a line, or undefined when it is not what was sealed here. */
  open(sealed: string): Record<string, unknown> | undefined {
    const split = /^(\{.*),"sum":"([0-9a-f]+)"\}$/s.exec(sealed);
    const text = `${split?.[1]}}`;
    if (split === null || this.#add(text) !== split[2]) return undefined;
    return JSON.parse(text);
  }

  #add(text: string): string {
    this.#hash.update(text).update('\n');
    return this.#hash.copy().digest('hex').slice(0, SUM_CHARACTERS);
  }
}

function firstOf(first: StoredEvent | LogTruncated | undefined, lastSeq: number): number {
  if (first === undefined) return lastSeq + 1;
  return 'data' in first ? first.seq : first.firstSeq;
}

/** Bytes that are no text are rare: they alone cost a third more. */
function lineOf({ data, ...facts }: StoredEvent): Record<string, unknown> {
  try {
    return { ...facts, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data) };
  } catch {
    return { ...facts, base64: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
  }
}
