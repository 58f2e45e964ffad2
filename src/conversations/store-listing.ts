import { Buffer } from 'node:buffer';
import { pageOf } from './call-options.ts';
import { placesOf } from './config-folder.ts';
import { canonicalPath, projectKeyOf } from './project-key.ts';
import { END_BYTES } from './regular-file.ts';
import { describe, rowsOfEnds, type SessionInfo } from './session-info.ts';
import type { SessionStore, SessionStoreEntry } from './session-store.ts';
import { infoOfSummary } from './session-summary.ts';
import { askStore, type StoreCallOptions, storeLacks } from './store-call.ts';

/** Loads under way at the same time. */
const CONCURRENCY = 16;

/** Where a store keeps the conversations of a directory, default the host's cwd. */
export async function storeProject(dir: string | undefined): Promise<{ projectKey: string; cwd: string }> {
  const cwd = await canonicalPath(dir ?? '.', placesOf({}).cwd);
  return { projectKey: projectKeyOf(cwd), cwd };
}

/** The lines of a conversation; undefined when the store has none. */
export async function loadFromStore(
  store: SessionStore,
  sessionId: string,
  dir: string | undefined,
  options: StoreCallOptions & { readonly subpath?: string } = {},
): Promise<SessionStoreEntry[] | undefined> {
  const { projectKey } = await storeProject(dir);
  const { subpath } = options;
  const key = { projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }) };
  const entries = await askStore('load', () => store.load(key), options);
  return entries === null || entries.length === 0 ? undefined : entries;
}

export async function infoInStore(
  store: SessionStore,
  sessionId: string,
  dir: string | undefined,
): Promise<SessionInfo | undefined> {
  const entries = await loadFromStore(store, sessionId, dir);
  if (entries === undefined) return undefined;
  const written = Date.parse(entries.at(-1)?.timestamp ?? '');
  // What the store itself knows of its time of writing is only in a listing.
  return infoOfEntries(sessionId, entries, Number.isNaN(written) ? Date.now() : written, undefined);
}

/** The page of a store's conversations, newest first. One that cannot be loaded is listed with its id and time alone. */
export async function listStore(
  store: SessionStore,
  options: {
    readonly dir?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  },
): Promise<SessionInfo[]> {
  const { projectKey, cwd } = await storeProject(options.dir);
  const [rows, summaries] = await Promise.all([askRows(store, projectKey), askSummaries(store, projectKey)]);
  if (rows === undefined && summaries === undefined) throw storeLacks('listSessions', 'listing');
  const known = new Map(summaries?.map((summary) => [summary.sessionId, summary]));
  const items = (rows ?? [...known.values()]).map(({ sessionId, mtime }) => {
    const summary = known.get(sessionId);
    // One that is older than what it sums up says nothing about the newest lines.
    const isKnown = summary !== undefined && summary.mtime >= mtime;
    return { sessionId, mtime, isKnown, info: isKnown ? infoOfSummary(summary, cwd) : undefined };
  });
  const listed = items.filter(({ isKnown, info }) => !isKnown || info !== undefined);
  const page = pageOf(
    listed.toSorted((one, other) => other.mtime - one.mtime),
    options,
  );
  const infos = await inTurns(page, async ({ sessionId, mtime, isKnown, info }) =>
    isKnown ? info : loadInfo(store, { projectKey, sessionId }, mtime, cwd),
  );
  return infos.filter((info) => info !== undefined);
}

async function loadInfo(
  store: SessionStore,
  key: { projectKey: string; sessionId: string },
  mtime: number,
  cwd: string,
): Promise<SessionInfo | undefined> {
  try {
    const entries = await askStore('load', () => store.load(key));
    if (entries === null || entries.length === 0) return undefined;
    const info = infoOfEntries(key.sessionId, entries, mtime, cwd);
    return info === undefined ? undefined : { ...info, lastModified: mtime };
  } catch {
    return { sessionId: key.sessionId, summary: '', lastModified: mtime };
  }
}

/** Looks at the lines as if they were a file, so that both ways say the same. */
function infoOfEntries(
  sessionId: string,
  entries: readonly SessionStoreEntry[],
  mtime: number,
  projectPath: string | undefined,
): SessionInfo | undefined {
  const bytes = Buffer.from(`${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
  const head = bytes.subarray(0, END_BYTES).toString();
  const tail = bytes.length > END_BYTES ? bytes.subarray(bytes.length - END_BYTES).toString() : head;
  return describe(sessionId, { size: bytes.length, mtime }, rowsOfEnds({ head, tail }), { projectPath });
}

async function askRows(store: SessionStore, projectKey: string) {
  return store.listSessions === undefined
    ? undefined
    : askStore('listSessions', async () => (await store.listSessions?.(projectKey)) ?? []);
}

async function askSummaries(store: SessionStore, projectKey: string) {
  return store.listSessionSummaries === undefined
    ? undefined
    : askStore('listSessionSummaries', async () => (await store.listSessionSummaries?.(projectKey)) ?? []);
}

/** Runs the work on all items, some at a time, and keeps their order. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let next = 0; next < items.length; next += CONCURRENCY) {
    results.push(...(await Promise.all(items.slice(next, next + CONCURRENCY).map(work))));
  }
  return results;
}
