import { isRecord, recordsOf, stringOf } from '../wire/fields.ts';

/** One line of a transcript. Only `type` is sure. */
export type Row = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A row that is part of the conversation's tree. */
export type LinkedRow = Row & { readonly uuid: string };

const LINKED: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** A parsed line as a row; undefined when it is something else. */
export function rowOf(value: unknown): Row | undefined {
  return isRecord(value) && typeof value['type'] === 'string' ? (value as Row) : undefined;
}

export function isLinked(row: Row): row is LinkedRow {
  return LINKED.has(row.type) && typeof row['uuid'] === 'string';
}

export function isMessage(row: Row): boolean {
  return row.type === 'user' || row.type === 'assistant';
}

/** The row above; undefined at the top. */
export function parentOf(row: Row): string | undefined {
  return stringOf(row['parentUuid']) || undefined;
}

/** What the message of a row says: a text or blocks. */
export function contentOf(row: Row): unknown {
  return isRecord(row['message']) ? row['message']['content'] : undefined;
}

/** The blocks of this type in the row's message. */
export function blocksOf(row: Row, type: string): Record<string, unknown>[] {
  return recordsOf(contentOf(row)).filter((block) => block['type'] === type);
}

/** The texts of the row's message, whichever form it has. */
export function textsOf(row: Row): string[] {
  const content = contentOf(row);
  if (typeof content === 'string') return [content];
  return blocksOf(row, 'text').flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

/** The compaction that wrote this boundary, as far as it moved rows. */
export interface Compaction {
  /** The summary, behind which the kept rows continue. */
  readonly anchor: string;
  /** The kept rows in order; at least the first and the last. */
  readonly kept: readonly string[];
  /** False when only the first and the last of them are named, and they stay linked among themselves. */
  readonly isComplete: boolean;
}

/** What a compact boundary says about rows that stayed; undefined when there are none, or it is no boundary. */
export function compactionOf(row: Row): Compaction | undefined {
  if (row.type !== 'system' || row['subtype'] !== 'compact_boundary') return undefined;
  const metadata = isRecord(row['compactMetadata']) ? row['compactMetadata'] : {};
  const { preservedMessages: list, preservedSegment: segment } = metadata;
  if (isRecord(list) && typeof list['anchorUuid'] === 'string' && Array.isArray(list['uuids'])) {
    const kept = list['uuids'].filter((uuid) => typeof uuid === 'string');
    return kept.length === 0 ? undefined : { anchor: list['anchorUuid'], kept, isComplete: true };
  }
  if (!isRecord(segment)) return undefined;
  const { anchorUuid: anchor, headUuid: head, tailUuid: tail } = segment;
  if (typeof anchor !== 'string' || typeof head !== 'string' || typeof tail !== 'string') return undefined;
  return { anchor, kept: [head, tail], isComplete: false };
}
