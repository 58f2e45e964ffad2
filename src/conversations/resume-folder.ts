import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { TroupeError } from '../errors.ts';
import { guardExit } from '../transport/exit-guard.ts';
import { ownedFolderPrefix } from '../transport/owned-folder.ts';
import { removeTemporaryFilesNow } from '../transport/temporary-files.ts';
import { type ConfigSource, copyConfiguration } from './config-copy.ts';
import { isConversationId } from './conversation-id.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from './session-store.ts';
import { askStore, type StoreCallOptions } from './store-call.ts';

/** A configuration folder of its own for a conversation that came out of a store. */
export interface ResumeFolder {
  readonly path: string;
  /** Removes it, with some patience for what a dying process still writes. Idempotent; never rejects. */
  dispose(): Promise<void>;
}

export interface ResumeFolderOptions extends StoreCallOptions {
  readonly store: SessionStore;
  readonly key: { readonly projectKey: string; readonly sessionId: string };
  readonly source: ConfigSource;
  /** Where temporary folders are made. */
  readonly parent: string;
}

const METADATA = 'agent_metadata';

/**
 * Brings a conversation out of a store into a new folder of this user's (0700), with its subagents, the login and the
 * user's settings. Undefined, and nothing written, when `sessionId` is no UUID or the store has nothing of it. Rejects
 * with STORE_FAILED or SPAWN_FAILED, and then leaves nothing behind. The folder also goes when this process exits.
 */
export async function makeResumeFolder(options: ResumeFolderOptions): Promise<ResumeFolder | undefined> {
  const { store, key, parent } = options;
  if (!isConversationId(key.sessionId)) return undefined;
  const entries = await load(options, { ...key });
  if (entries.length === 0) return undefined;
  const path = await written(parent, async () => mkdtempSync(join(parent, ownedFolderPrefix('troupe-resume-'))));
  const unguard = guardExit({ killNow: () => 0, cleanUpNow: () => removeTemporaryFilesNow([path]) });
  const dispose = async (): Promise<void> => {
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
    unguard();
  };
  try {
    const project = join(path, 'projects', key.projectKey);
    await written(path, async () => {
      await writeTranscript(join(project, `${key.sessionId}.jsonl`), entries);
      await copyConfiguration(options.source, path);
    });
    if (store.listSubkeys !== undefined) await writeSubagents(options, join(project, key.sessionId));
    return { path, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The newest conversation of a project that is no side branch; undefined when there is none. Ties go to the greater id. */
export async function newestInStore(
  store: SessionStore,
  projectKey: string,
  options: StoreCallOptions,
): Promise<string | undefined> {
  const rows = await askStore('listSessions', async () => (await store.listSessions?.(projectKey)) ?? [], options);
  const newestFirst = rows
    .filter(({ sessionId }) => isConversationId(sessionId))
    .toSorted((one, other) => other.mtime - one.mtime || (one.sessionId < other.sessionId ? 1 : -1));
  for (const { sessionId } of newestFirst) {
    const entries = await askStore('load', () => store.load({ projectKey, sessionId }), options);
    if (entries !== null && entries.length > 0 && entries[0]?.['isSidechain'] !== true) return sessionId;
  }
  return undefined;
}

async function writeSubagents(options: ResumeFolderOptions, folder: string): Promise<void> {
  const { store, key } = options;
  const subpaths = await askStore('listSubkeys', async () => (await store.listSubkeys?.({ ...key })) ?? [], options);
  for (const subpath of subpaths) {
    // What a store returns must not lead out of the folder.
    const path = normalize(join(folder, subpath));
    if (typeof subpath !== 'string' || !isInside(subpath) || !path.startsWith(folder + sep)) continue;
    const entries = await load(options, { ...key, subpath });
    const rows = entries.filter(({ type }) => type !== METADATA);
    const metadata = entries.findLast(({ type }) => type === METADATA);
    await written(folder, async () => {
      if (rows.length > 0) await writeTranscript(`${path}.jsonl`, rows);
      if (metadata === undefined) return;
      const { type: _type, ...noted } = metadata;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(`${path}.meta.json`, JSON.stringify(noted), { mode: 0o600 });
    });
  }
}

function isInside(subpath: string): boolean {
  const parts = subpath.split(/[\\/]/);
  return (
    subpath !== '' && !subpath.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

async function load(options: ResumeFolderOptions, key: SessionKey): Promise<SessionStoreEntry[]> {
  return (await askStore('load', () => options.store.load(key), options)) ?? [];
}

async function writeTranscript(path: string, entries: readonly SessionStoreEntry[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, linesOf(entries), { mode: 0o600, flag: 'wx' });
}

function* linesOf(entries: readonly SessionStoreEntry[]): Generator<string> {
  for (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

async function written<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new TroupeError('SPAWN_FAILED', {
      reason: `The conversation from the store could not be written (${errno}).`,
      cause: error,
      details: { folder, errno },
    });
  }
}
