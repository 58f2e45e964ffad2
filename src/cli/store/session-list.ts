import type { SessionEntry, StoreReader } from '../../store/store.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { write } from '../output.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** A line for each session that the store has, in the order in which they came. */
export async function showSessions(reader: StoreReader, { json }: { readonly json?: true }): Promise<ExitCode> {
  for await (const entry of reader.sessions()) await write(`${json === true ? jsonOf(entry) : lineOf(entry)}\n`);
  return EXIT.done;
}

function lineOf({ sessionId, lastSeq, epoch, record }: SessionEntry): string {
  const ended = record.endedAt === undefined ? '' : `, ended ${new Date(record.endedAt).toISOString()}`;
  // An id is any text: it must not be obeyed by a terminal.
  return `${plainLine(sessionId)}  ${record.state}, ${lastSeq} events, incarnation ${epoch}${ended}`;
}

function jsonOf({ sessionId, lastSeq, firstSeq, epoch, record }: SessionEntry): string {
  const { state, endedAt, conversationIds } = record;
  return JSON.stringify({ sessionId, state, lastSeq, firstSeq, epoch, conversationIds, endedAt });
}
