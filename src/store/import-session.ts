import { TroupeError } from '../errors.ts';
import { isRecord, numberOf, stringOf } from '../wire/fields.ts';
import { EXPORT_FORMAT, EXPORT_VERSION, RunningSum } from './export-session.ts';
import type { Change, Store, StoredEvent } from './store.ts';
import type { StoreRecord } from './store-record.ts';
import { inRows } from './stored-row.ts';
import { isLine } from './stored-session-event.ts';

export interface ImportedSession {
  readonly sessionId: string;
  readonly records: number;
  readonly events: number;
}

type Line = Record<string, unknown>;

/** It is kept in one piece, and is in memory for that. */
const MAX_CHARACTERS = 2 ** 30;

/**
 * Takes a session that `exportSession` wrote, under the same id, wholly or not at all; it is in memory meanwhile. `lines` come
 * without their line ends. Throws `EXPORT_DAMAGED` with the number of the line in `details.line`, `STORE_NEWER` for an export
 * of a later release, `SESSION_EXISTS` where the store has, or had, a session with this id, and what `append` throws.
 */
export async function importSession(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportedSession> {
  const { sessionId, epoch, events, records, firstSeq } = await collect(lines);
  if ((await store.head(sessionId)) !== undefined) {
    throw new TroupeError('SESSION_EXISTS', { reason: 'The store knows this id.', details: { sessionId } });
  }
  await store.append({ sessionId, epoch, events: inRows(events, isLine), records, firstSeq });
  return { sessionId, records: records.length, events: events.length };
}

async function collect(lines: AsyncIterable<string> | Iterable<string>): Promise<Required<Omit<Change, 'forget'>>> {
  const sum = new RunningSum();
  const records: StoreRecord[] = [];
  const events: StoredEvent[] = [];
  let header: ReturnType<typeof headerOf> | undefined;
  let isEnded = false;
  let number = 0;
  let characters = 0;
  for await (const text of lines) {
    number += 1;
    characters += text.length;
    if (characters > MAX_CHARACTERS) throw damaged(number, `It is larger than ${MAX_CHARACTERS} characters.`);
    if (isEnded) throw damaged(number, 'Something follows behind its end.');
    const line = sum.open(text);
    if (line === undefined) throw damaged(number, 'It was changed, or a line before it is missing.');
    if (header === undefined) header = headerOf(line, number);
    else if (isRecord(line['record'])) {
      // The sum says that it is what `exportSession` had from a store.
      records.push(withoutProcess(line['record'] as unknown as StoreRecord));
    } else if (line['end'] !== true) events.push(eventOf(line, number));
    else isEnded = line['records'] === records.length && line['events'] === events.length;
  }
  if (header === undefined) throw damaged(number + 1, 'It is empty.');
  if (!isEnded) throw damaged(number + 1, 'Its end is missing.');
  return { ...header, records, events };
}

/** No process of it comes along: its conversation is open to whoever opens it next. */
function withoutProcess(record: StoreRecord): StoreRecord {
  if (record.kind !== 'session') return record;
  const { openConversation: _ofAProcess, ...rest } = record;
  return rest;
}

function headerOf(line: Line, number: number): { sessionId: string; epoch: number; firstSeq: number } {
  const { format, version } = line;
  if (format !== EXPORT_FORMAT) throw damaged(number, 'It does not begin as an exported session does.');
  if (version !== EXPORT_VERSION) {
    const reason = `The export is of version ${String(version)}; this release knows ${EXPORT_VERSION}.`;
    throw new TroupeError('STORE_NEWER', { reason, details: { found: version, known: EXPORT_VERSION } });
  }
  const sessionId = stringOf(line['sessionId']);
  const [epoch, firstSeq] = [numberOf(line['epoch']), numberOf(line['firstSeq'])];
  if (sessionId === undefined || epoch === undefined || firstSeq === undefined)
    throw damaged(number, 'A field is missing.');
  return { sessionId, epoch, firstSeq };
}

function eventOf(line: Line, number: number): StoredEvent {
  const [seq, epoch, at] = [numberOf(line['seq']), numberOf(line['epoch']), numberOf(line['at'])];
  const [type, text, base64] = [stringOf(line['type']), stringOf(line['text']), stringOf(line['base64'])];
  const data = base64 === undefined ? text && Buffer.from(text) : Buffer.from(base64, 'base64');
  if (seq === undefined || epoch === undefined || at === undefined || type === undefined || data === undefined) {
    throw damaged(number, 'A field is missing.');
  }
  return { seq, epoch, at, type, data: data === '' ? new Uint8Array() : data };
}

function damaged(line: number, reason: string): TroupeError {
  return new TroupeError('EXPORT_DAMAGED', { reason: `Line ${line}: ${reason}`, details: { line } });
}
