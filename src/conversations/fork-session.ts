import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TroupeError } from '../errors.ts';
import { stringOf } from '../wire/fields.ts';
import { ForkCall, parseCall } from './call-options.ts';
import type { SessionMutationOptions } from './change-session.ts';
import { placesOf } from './config-folder.ts';
import { conversationNotFound, requireConversationId } from './conversation-id.ts';
import { firstPromptOf } from './first-prompt.ts';
import { forkRows } from './fork-rows.ts';
import { cleanTitle } from './name-text.ts';
import type { SessionStore, SessionStoreEntry } from './session-store.ts';
import { readSideTitle } from './side-files.ts';
import { askStore } from './store-call.ts';
import { loadFromStore, storeProject } from './store-listing.ts';
import { readRows } from './transcript-lines.ts';
import { findTranscript, type TranscriptPlace } from './transcript-places.ts';
import { type Row, rowOf } from './transcript-row.ts';

export interface ForkSessionOptions extends SessionMutationOptions {
  /**
   * The last message that comes along, by the `uuid` that `getSessionMessages` or the prompt has. Default: all. The
   * summary of a compaction comes without the messages that were kept behind it; its boundary stays out.
   */
  readonly upToMessageId?: string | undefined;
  /** Default: the title of the source with " (fork)" behind it. */
  readonly title?: string | undefined;
}

export interface ForkSessionResult {
  /** UUID of the copy: what `resume` takes. */
  readonly sessionId: string;
}

/**
 * Copies a conversation under a new id, every message under a new uuid; the source is only read, and may be open. File
 * checkpoints and subagents stay with the source. Rejects with INVALID_OPTIONS (an unknown `upToMessageId`, too),
 * CONVERSATION_NOT_FOUND (also where there are no messages yet), and STORE_FAILED where a store fails.
 */
export async function forkSession(sessionId: string, options?: ForkSessionOptions): Promise<ForkSessionResult> {
  const call = parseCall(ForkCall, options);
  const id = requireConversationId(sessionId);
  const { sessionStore: store, dir } = call;
  if (store !== undefined) {
    const entries = await loadFromStore(store, id, dir);
    if (entries === undefined) throw conversationNotFound(id, dir);
    const rows = entries.flatMap((entry) => rowOf(entry) ?? []);
    return forkInStore(store, dir, forked(id, rows, call, undefined));
  }
  const place = await findTranscript(placesOf(call), id, dir);
  if (place === undefined) throw conversationNotFound(id, dir);
  const rows: Row[] = [];
  await readRows(place.path, (row) => {
    rows.push(row);
  });
  return writeFork(place, forked(id, rows, call, await readSideTitle(place)));
}

interface Forked {
  readonly forkId: string;
  readonly rows: readonly Row[];
}

function forked(
  sourceId: string,
  rows: readonly Row[],
  { upToMessageId, title }: ForkSessionOptions,
  sideTitle: string | undefined,
): Forked {
  const forkId = randomUUID();
  const copy = forkRows(rows, {
    sourceId,
    forkId,
    upTo: upToMessageId,
    title: title?.trim() ? cleanTitle(title) : `${titleOf(rows, sideTitle)} (fork)`,
    now: new Date().toISOString(),
    newId: randomUUID,
  });
  if (copy === 'message-not-found') {
    const reason = 'is no message of this conversation';
    throw new TroupeError('INVALID_OPTIONS', {
      reason: `upToMessageId: ${reason}.`,
      details: { field: 'upToMessageId', reason, issues: [{ field: 'upToMessageId', reason }], sessionId: sourceId },
    });
  }
  if (copy === 'no-messages') {
    throw new TroupeError('CONVERSATION_NOT_FOUND', {
      reason: `There is no message of ${sourceId} to copy.`,
      details: { sessionId: sourceId },
    });
  }
  return { forkId, rows: copy };
}

function titleOf(rows: readonly Row[], sideTitle: string | undefined): string {
  const last = (type: string, field: string) =>
    stringOf(rows.findLast((row) => row.type === type && typeof row[field] === 'string')?.[field]) || undefined;
  return (
    last('custom-title', 'customTitle') ??
    sideTitle ??
    last('ai-title', 'aiTitle') ??
    firstPromptOf(rows) ??
    'Forked session'
  );
}

/** Whole or not at all: nobody lists or resumes half a copy. */
async function writeFork(place: TranscriptPlace, { forkId, rows }: Forked): Promise<ForkSessionResult> {
  const draft = join(place.folder.path, `.${forkId}.draft`);
  try {
    await writeFile(draft, lines(rows), { mode: 0o600, flag: 'wx' });
    await link(draft, join(place.folder.path, `${forkId}.jsonl`));
  } finally {
    await rm(draft, { force: true });
  }
  return { sessionId: forkId };
}

async function forkInStore(
  store: SessionStore,
  dir: string | undefined,
  { forkId, rows }: Forked,
): Promise<ForkSessionResult> {
  const { projectKey } = await storeProject(dir);
  await askStore('append', () => store.append({ projectKey, sessionId: forkId }, rows as SessionStoreEntry[]));
  return { sessionId: forkId };
}

function* lines(rows: readonly Row[]): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}
