import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, stringOf } from '../wire/fields.ts';
import { pageOf, parseCall, SubagentMessagesCall, WhereCall } from './call-options.ts';
import { type ConfigFolderOptions, placesOf } from './config-folder.ts';
import { subagentChainOf } from './conversation-chain.ts';
import { isAgentId, isConversationId } from './conversation-id.ts';
import { readSmall } from './regular-file.ts';
import { type SessionMessage, shownMessages } from './session-message.ts';
import type { SessionStore } from './session-store.ts';
import { askStore, storeLacks } from './store-call.ts';
import { loadFromStore, storeProject } from './store-listing.ts';
import { readRows, type SkippedLines } from './transcript-lines.ts';
import { findTranscript, sideFolderOf } from './transcript-places.ts';
import { isLinked, type LinkedRow, type Row, rowOf } from './transcript-row.ts';

export interface ListSubagentsOptions extends ConfigFolderOptions {
  /** Looks only in the project of this directory. Default: everywhere. */
  readonly dir?: string | undefined;
  readonly sessionStore?: SessionStore | undefined;
}

export interface GetSubagentMessagesOptions extends ListSubagentsOptions {
  /** Most messages to return; 0 or absent for all. */
  readonly limit?: number | undefined;
  /** Messages to leave out at the start. Default 0. */
  readonly offset?: number | undefined;
  /** Hears how many lines could not be read. */
  readonly onSkipped?: ((skipped: SkippedLines) => void) | undefined;
}

/** A file of a subagent, and the way to it below the transcript's own folder. */
export interface SubagentFile {
  readonly agentId: string | undefined;
  readonly path: string;
  /** `subagents/…` without the ending: its key in a store. */
  readonly subpath: string;
}

const SUFFIX = '.jsonl';
const PREFIX = 'agent-';
const MOST_META_BYTES = 256 * 1024;
/** Folders within folders that are looked into. */
const DEEPEST = 6;
/** Lines of a store that are about the subagent and not of its transcript. */
const METADATA = 'agent_metadata';

/**
 * Ids of the subagents of a conversation, also of those that subagents started, each once. Empty when there are none.
 * Rejects with INVALID_OPTIONS (a store without `listSubkeys`, too) and STORE_FAILED.
 */
export async function listSubagents(sessionId: string, options?: ListSubagentsOptions): Promise<string[]> {
  const call = parseCall(WhereCall, options);
  if (!isConversationId(sessionId)) return [];
  const ids =
    call.sessionStore === undefined
      ? (await filesOf(sessionId, call)).map(({ agentId }) => agentId)
      : (await subkeysOf(call.sessionStore, sessionId, call.dir)).map(agentIdIn);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/**
 * The messages of one subagent in order; empty when there is none with this id. Rejects with INVALID_OPTIONS, and with
 * STORE_FAILED where a store fails.
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options?: GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  const call = parseCall(SubagentMessagesCall, options);
  if (!isConversationId(sessionId) || !isAgentId(agentId)) return [];
  const rows: LinkedRow[] = [];
  const take = (row: Row) => {
    if (isLinked(row)) rows.push(row);
  };
  const metadata =
    call.sessionStore === undefined
      ? await readFromDisk(sessionId, agentId, call, take)
      : await readFromStore(call.sessionStore, sessionId, agentId, call.dir, take);
  const parents = { toolUseId: stringOf(metadata['toolUseId']), agentId: stringOf(metadata['parentAgentId']) };
  const shown = shownMessages(subagentChainOf(rows), { withSystem: false, withMeta: true }, parents);
  return pageOf(shown, call);
}

/** Every transcript below the folder of subagents; links and other things are passed over. */
export async function subagentFiles(sideFolder: string): Promise<SubagentFile[]> {
  const found: SubagentFile[] = [];
  const look = async (folder: string, subpath: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const here = `${subpath}/${entry.name}`;
      if (entry.isDirectory() && depth < DEEPEST) await look(path, here, depth + 1);
      if (!entry.isFile() || !entry.name.endsWith(SUFFIX)) continue;
      const key = here.slice(0, -SUFFIX.length);
      found.push({ agentId: agentIdIn(key), path, subpath: key });
    }
  };
  await look(join(sideFolder, 'subagents'), 'subagents', 0);
  return found;
}

/** What the CLI noted beside a subagent's transcript; nothing when it cannot be read. */
export async function readMetadata({ path }: Pick<SubagentFile, 'path'>): Promise<Record<string, unknown> | undefined> {
  return parseRecord((await readSmall(`${path.slice(0, -SUFFIX.length)}.meta.json`, MOST_META_BYTES)) ?? '');
}

async function filesOf(sessionId: string, options: ListSubagentsOptions): Promise<SubagentFile[]> {
  const place = await findTranscript(placesOf(options), sessionId, options.dir);
  return place === undefined ? [] : subagentFiles(sideFolderOf(place));
}

async function readFromDisk(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions,
  take: (row: Row) => void,
): Promise<Record<string, unknown>> {
  const file = (await filesOf(sessionId, options)).find((it) => it.agentId === agentId);
  if (file === undefined) return {};
  await readRows(file.path, take, { onSkipped: options.onSkipped });
  return (await readMetadata(file)) ?? {};
}

async function readFromStore(
  store: SessionStore,
  sessionId: string,
  agentId: string,
  dir: string | undefined,
  take: (row: Row) => void,
): Promise<Record<string, unknown>> {
  const subkeys = store.listSubkeys === undefined ? undefined : await subkeysOf(store, sessionId, dir);
  // A nested one lies deeper; without a list only the usual place can be tried.
  const subpath =
    subkeys === undefined ? `subagents/${PREFIX}${agentId}` : subkeys.find((key) => agentIdIn(key) === agentId);
  if (subpath === undefined) return {};
  const entries = (await loadFromStore(store, sessionId, dir, { subpath })) ?? [];
  for (const entry of entries) {
    const row = rowOf(entry);
    if (row !== undefined && row.type !== METADATA) take(row);
  }
  return entries.findLast(({ type }) => type === METADATA) ?? {};
}

async function subkeysOf(store: SessionStore, sessionId: string, dir: string | undefined): Promise<string[]> {
  if (store.listSubkeys === undefined) throw storeLacks('listSubkeys', 'listing subagents');
  const { projectKey } = await storeProject(dir);
  return askStore('listSubkeys', async () => (await store.listSubkeys?.({ projectKey, sessionId })) ?? []);
}

function agentIdIn(subpath: string): string | undefined {
  const name = subpath.startsWith('subagents/') ? (subpath.split('/').at(-1) ?? '') : '';
  const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
  return isAgentId(id) ? id : undefined;
}
