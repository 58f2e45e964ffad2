import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseRecord, stringOf } from '../wire/fields.ts';
import { type Places, sessionsIn } from './config-folder.ts';
import { isConversationId } from './conversation-id.ts';
import { type FileEnds, readSmall } from './regular-file.ts';
import { rowsOfEnds, type TranscriptEnds } from './session-info.ts';
import { type ReadRowsOptions, readRows } from './transcript-lines.ts';
import { isLinked, type LinkedRow, type Row, rowOf } from './transcript-row.ts';

/**
 * A conversation as the write-up of one process per prompt keeps it (DIALECTS §4): `sessions/<id>/` with `session.json`,
 * `messages.jsonl` and `state.json`. No measured release writes it, so it is only read.
 */
export interface SessionFolder {
  readonly sessionId: string;
  /** Its messages. */
  readonly path: string;
  readonly size: number;
  /** Whole epoch milliseconds. */
  readonly mtime: number;
  /** What tells it from a transcript. */
  readonly sessionFolder: string;
}

const MOST_BYTES = 256 * 1024;

/** Every such conversation. Links, foreign names, and folders without messages are none. */
export async function sessionFolders(places: Places): Promise<SessionFolder[]> {
  const entries = await readdir(sessionsIn(places), { withFileTypes: true }).catch(() => []);
  const ids = entries.filter((entry) => entry.isDirectory() && isConversationId(entry.name)).map(({ name }) => name);
  const found = await Promise.all(ids.map((id) => sessionFolderAt(places, id)));
  return found.filter((folder) => folder !== undefined);
}

export async function sessionFolderAt(places: Places, sessionId: string): Promise<SessionFolder | undefined> {
  if (!isConversationId(sessionId)) return undefined;
  const sessionFolder = join(sessionsIn(places), sessionId);
  if ((await lstat(sessionFolder).catch(() => undefined))?.isDirectory() !== true) return undefined;
  const path = join(sessionFolder, 'messages.jsonl');
  const file = await lstat(path).catch(() => undefined);
  if (file?.isFile() !== true || file.size === 0) return undefined;
  return { sessionId, path, sessionFolder, size: file.size, mtime: file.mtime.getTime() };
}

/** The ends of the messages, with what the files beside them say as the rows in which a transcript says it. */
export async function endsOfFolder(folder: SessionFolder, file: FileEnds): Promise<TranscriptEnds> {
  const about = await aboutFolder(folder);
  const ends = rowsOfEnds(file, messageRowOf);
  const first: Row = {
    type: 'session',
    ...defined({ cwd: about('cwd'), timestamp: about('createdAt', 'created_at') }),
  };
  const last: Row[] = [
    ['custom-title', 'customTitle', about('title', 'customTitle', 'custom_title', 'name')] as const,
    ['tag', 'tag', about('tag')] as const,
    ['summary', 'summary', about('summary')] as const,
    ['session', 'gitBranch', about('gitBranch', 'git_branch')] as const,
  ].flatMap(([type, field, text]) => (text === undefined ? [] : [{ type, [field]: text }]));
  return { ...ends, head: [first, ...ends.head], tail: [...ends.tail, ...last] };
}

/** The directory it worked in, as far as its metadata say so. */
export async function cwdOfFolder(folder: SessionFolder): Promise<string | undefined> {
  return (await aboutFolder(folder))('cwd');
}

/**
 * Its messages as rows of a transcript, one by one. The write-up gives them neither ids nor links: each follows the one
 * before it, under an id that its place makes, and that is the same whenever it is read.
 */
export async function readFolder(
  { path, sessionId }: SessionFolder,
  onRow: (row: LinkedRow) => void,
  options: ReadRowsOptions,
): Promise<void> {
  let above: string | null = null;
  let place = 0;
  const take = (row: Row): void => {
    place += 1;
    const linked: Row = { parentUuid: above, sessionId: stringOf(row['session_id']) ?? sessionId, ...row };
    const uuid = stringOf(row['uuid']) || uuidOf(sessionId, place);
    const named: Row = { ...linked, uuid };
    if (!isLinked(named)) return;
    above = uuid;
    onRow(named);
  };
  await readRows(path, take, { ...options, rowOf: messageRowOf });
}

/** A line of `messages.jsonl`: a message with its type, or only what the API has of one. */
function messageRowOf(value: unknown): Row | undefined {
  const row = rowOf(value);
  if (row !== undefined || !isRecord(value)) return row;
  const { timestamp, uuid, session_id: session, ...message } = value;
  const { role, content } = message;
  if ((role !== 'user' && role !== 'assistant') || content === undefined) return undefined;
  const about = { timestamp: stringOf(timestamp), uuid: stringOf(uuid), session_id: stringOf(session) };
  return { type: role, message, ...defined(about) };
}

type About = (...names: string[]) => string | undefined;

/** What `session.json` says, else `state.json`; one that is corrupt says nothing. Times may be milliseconds. */
async function aboutFolder({ sessionFolder }: SessionFolder): Promise<About> {
  const texts = await Promise.all(
    ['session.json', 'state.json'].map((name) => readSmall(join(sessionFolder, name), MOST_BYTES)),
  );
  const records = texts.map((text) => parseRecord(text ?? '') ?? {});
  return (...names) => {
    const values = records.flatMap((record) => names.map((name) => record[name]));
    return values.map(textOf).find((text) => text !== undefined);
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  const isTime = typeof value === 'number' && Math.abs(value) <= 8.64e15;
  return isTime ? new Date(value).toISOString() : undefined;
}

function uuidOf(sessionId: string, place: number): string {
  const hex = createHash('sha256').update(`${sessionId.toLowerCase()} ${place}`).digest('hex');
  // Version 8 is the one for ids that their maker defines.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}
