import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TroupeError } from '../errors.ts';
import { parseCall, WhereCall } from './call-options.ts';
import { type ConfigFolderOptions, placesOf } from './config-folder.ts';
import { conversationNotFound, requireConversationId } from './conversation-id.ts';
import { cleanTag, cleanTitle } from './name-text.ts';
import type { SessionStore, SessionStoreEntry } from './session-store.ts';
import { ARCHIVE_FILE } from './side-files.ts';
import { askStore } from './store-call.ts';
import { storeProject } from './store-listing.ts';
import { findTranscript, findTranscripts, sideFolderOf } from './transcript-places.ts';

/** Where the conversation is that is to be changed. */
export interface SessionMutationOptions extends ConfigFolderOptions {
  /** Looks only in the project of this directory. Default: everywhere. */
  readonly dir?: string | undefined;
  /** Changes this store instead of the disk. */
  readonly sessionStore?: SessionStore | undefined;
}

const APPEND_SAFELY = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const LINE_FEED = 0x0a;

/**
 * Gives a conversation a title, which wins over every other name. Only adds a line, also while a process has the
 * conversation open; of several titles the last one counts. Rejects with INVALID_OPTIONS (no UUID, an empty title),
 * CONVERSATION_NOT_FOUND, and STORE_FAILED where a store fails.
 */
export async function renameSession(sessionId: string, title: string, options?: SessionMutationOptions): Promise<void> {
  const call = parseCall(WhereCall, options);
  const id = requireConversationId(sessionId);
  await addRow(id, { type: 'custom-title', customTitle: cleanTitle(title), sessionId: id }, call);
}

/** Tags a conversation, or with null takes its tag away. Rejects as `renameSession` does. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  const call = parseCall(WhereCall, options);
  const id = requireConversationId(sessionId);
  await addRow(id, { type: 'tag', tag: tag === null ? '' : cleanTag(tag), sessionId: id }, call);
}

/**
 * Marks a conversation as archived. It stays where it is and stays listed, with `archived: true`, until a later prompt or
 * `unarchiveSession`. Rejects with INVALID_OPTIONS (with a store, too: a store keeps lines, and the mark is none) and
 * CONVERSATION_NOT_FOUND.
 */
export async function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  await markArchived(sessionId, true, options);
}

/** Takes the mark of `archiveSession` back. Rejects as that does. */
export async function unarchiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  await markArchived(sessionId, false, options);
}

async function addRow(sessionId: string, row: SessionStoreEntry, options: SessionMutationOptions): Promise<void> {
  const { sessionStore: store, dir } = options;
  if (store !== undefined) {
    const { projectKey } = await storeProject(dir);
    // A store may know what it has by uuid, and orders lines by time.
    const entry = { ...row, uuid: randomUUID(), timestamp: new Date().toISOString() };
    await askStore('append', () => store.append({ projectKey, sessionId }, [entry]));
    return;
  }
  const place = await findTranscript(placesOf(options), sessionId, dir);
  if (place === undefined) throw conversationNotFound(sessionId, dir);
  await appendLine(place.path, JSON.stringify(row));
}

/** One write, so that nothing another process adds comes in between. A line that a crash cut is ended first. */
async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, APPEND_SAFELY);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, Math.max(0, size - 1));
    const isCut = size > 0 && last[0] !== LINE_FEED;
    await file.appendFile(`${isCut ? '\n' : ''}${line}\n`);
  } finally {
    await file.close();
  }
}

async function markArchived(sessionId: string, archived: boolean, options?: SessionMutationOptions): Promise<void> {
  const call = parseCall(WhereCall, options);
  const id = requireConversationId(sessionId);
  if (call.sessionStore !== undefined) {
    const reason = 'cannot be archived in: the mark is kept in a file beside the local transcript';
    throw new TroupeError('INVALID_OPTIONS', {
      reason: `sessionStore: ${reason}.`,
      details: { field: 'sessionStore', reason, issues: [{ field: 'sessionStore', reason }] },
    });
  }
  const places = await findTranscripts(placesOf(call), id, call.dir);
  if (places.length === 0) throw conversationNotFound(id, call.dir);
  const mark = JSON.stringify({ archived, at: new Date().toISOString(), by: 'sdk' });
  for (const place of places) await replaceFile(sideFolderOf(place), ARCHIVE_FILE, mark);
}

/** Whoever reads meanwhile sees the old content or the new, never half of one. */
async function replaceFile(folder: string, name: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${name}.${randomUUID()}`);
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  await rename(draft, join(folder, name));
}
