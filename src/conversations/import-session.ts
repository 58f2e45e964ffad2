import { ImportCall, parseCall } from './call-options.ts';
import { type ConfigFolderOptions, placesOf } from './config-folder.ts';
import { conversationNotFound, requireConversationId } from './conversation-id.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from './session-store.ts';
import { askStore } from './store-call.ts';
import { storeProject } from './store-listing.ts';
import { readMetadata, subagentFiles } from './subagents.ts';
import { readRows, type SkippedLines } from './transcript-lines.ts';
import { findTranscript, sideFolderOf } from './transcript-places.ts';

export interface ImportSessionToStoreOptions extends ConfigFolderOptions {
  /** The directory whose project the conversation is in and goes to. Default: found anywhere, goes to the host's cwd. */
  readonly dir?: string | undefined;
  /** Default true. */
  readonly includeSubagents?: boolean | undefined;
  /** Most lines of one `append`. Default 500; 1 MiB of lines is the bound besides. */
  readonly batchSize?: number | undefined;
  /** Hears how many lines could not be read, per file. */
  readonly onSkipped?: ((skipped: SkippedLines) => void) | undefined;
}

const BATCH_ENTRIES = 500;
const BATCH_CHARACTERS = 2 ** 20;

/**
 * Copies a conversation of this machine into a store, in batches, with its subagents. What a store keeps by `uuid` may be
 * imported again. Rejects with INVALID_OPTIONS, CONVERSATION_NOT_FOUND and STORE_FAILED.
 */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void> {
  const call = parseCall(ImportCall, options);
  const id = requireConversationId(sessionId);
  const place = await findTranscript(placesOf(call), id, call.dir);
  if (place === undefined) throw conversationNotFound(id, call.dir);
  const { projectKey } = await storeProject(call.dir);
  const copy = (path: string, key: SessionKey) => copyFile(path, key, store, call);
  await copy(place.path, { projectKey, sessionId: id });
  if (call.includeSubagents === false) return;
  for (const file of await subagentFiles(sideFolderOf(place))) {
    const key = { projectKey, sessionId: id, subpath: file.subpath };
    await copy(file.path, key);
    const metadata = await readMetadata(file);
    if (metadata === undefined) continue;
    await askStore('append', () => store.append(key, [{ ...metadata, type: 'agent_metadata' }]));
  }
}

async function copyFile(
  path: string,
  key: SessionKey,
  store: SessionStore,
  { batchSize = BATCH_ENTRIES, onSkipped }: ImportSessionToStoreOptions,
): Promise<void> {
  let batch: SessionStoreEntry[] = [];
  let characters = 0;
  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    const entries = batch;
    batch = [];
    characters = 0;
    await askStore('append', () => store.append(key, entries));
  };
  await readRows(
    path,
    async (row, length) => {
      batch.push(row as SessionStoreEntry);
      characters += length;
      if (batch.length >= batchSize || characters >= BATCH_CHARACTERS) await send();
    },
    { onSkipped },
  );
  await send();
}
