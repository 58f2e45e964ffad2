import { join } from 'node:path';
import { ListCall, parseCall, WhereCall } from './call-options.ts';
import { type ConfigFolderOptions, type Places, placesOf } from './config-folder.ts';
import { isConversationId } from './conversation-id.ts';
import { type ConversationPlace, findConversation, foldersBeside, isSessionFolder } from './conversation-place.ts';
import { liveProcesses } from './live-registry.ts';
import { canonicalPath, plainKey } from './project-key.ts';
import { readEnds } from './regular-file.ts';
import { endsOfFolder } from './session-folder.ts';
import {
  continuationOf,
  cwdOf,
  describe,
  isProgrammatic,
  rowsOfEnds,
  type SessionInfo,
  type Surroundings,
} from './session-info.ts';
import type { SessionStore } from './session-store.ts';
import { readArchiveMark, readSideTitle } from './side-files.ts';
import { infoInStore, listStore } from './store-listing.ts';
import { projectFolders, type TranscriptPlace, transcriptsIn } from './transcript-places.ts';

export interface ListSessionsOptions extends ConfigFolderOptions {
  /** Only conversations of this working directory and of its git working trees. Default: all projects. */
  readonly dir?: string | undefined;
  /** Most entries to return; 0 or absent for all. */
  readonly limit?: number | undefined;
  /** Entries to leave out at the start. Default 0. */
  readonly offset?: number | undefined;
  /** With `dir`: also the other git working trees of its repository. Default true. */
  readonly includeWorktrees?: boolean | undefined;
  /** False leaves out what programs held, this one too. Default true. Ignored with a store, as in the official SDK. */
  readonly includeProgrammatic?: boolean | undefined;
  /** Lists this store instead of the disk: the project of `dir`, default the host's cwd. */
  readonly sessionStore?: SessionStore | undefined;
}

export interface GetSessionInfoOptions extends ConfigFolderOptions {
  /** Looks only in the project of this directory. Default: everywhere. */
  readonly dir?: string | undefined;
  readonly sessionStore?: SessionStore | undefined;
}

/** Files open at the same time. */
const CONCURRENCY = 32;

/**
 * The conversations on disk, or in a store, newest first. Reads at most 64 KiB from each end of a transcript, and with
 * `limit` only as many transcripts as the page needs (R103). What is no transcript is passed over: foreign names, links,
 * FIFOs, empty files, sidechains. Beside transcripts it reads session folders (DIALECTS §4). Rejects with INVALID_OPTIONS, and with STORE_FAILED where a store fails.
 */
export async function listSessions(options?: ListSessionsOptions): Promise<SessionInfo[]> {
  const call = parseCall(ListCall, options);
  if (call.sessionStore !== undefined) return listStore(call.sessionStore, call);
  const places = placesOf(call);
  const where = { dir: call.dir, withWorktrees: call.includeWorktrees !== false };
  const transcripts = (await Promise.all((await projectFolders(places, where)).map(transcriptsIn))).flat();
  const others = await foldersBeside(transcripts, places, where);
  const candidates: ConversationPlace[] = [...transcripts, ...others].toSorted(newestFirst);
  const live = candidates.length === 0 ? new Map<string, number>() : await liveProcesses(places.configDir);
  const offset = call.offset ?? 0;
  const wanted = call.limit === undefined || call.limit === 0 ? Number.POSITIVE_INFINITY : offset + call.limit;
  const found = new Map<string, SessionInfo>();
  for (let next = 0; next < candidates.length && found.size < wanted; next += CONCURRENCY) {
    const batch = candidates.slice(next, next + CONCURRENCY);
    const infos = await Promise.all(
      batch.map((place) => listed(place, places, live, call.includeProgrammatic !== false)),
    );
    // A conversation that lies in two projects is listed where it is newer.
    for (const info of infos) if (info !== undefined && !found.has(info.sessionId)) found.set(info.sessionId, info);
  }
  return [...found.values()].slice(offset, wanted);
}

/**
 * One conversation; undefined when there is none, when it is a sidechain, or when `sessionId` is no UUID. Rejects with
 * INVALID_OPTIONS, and with STORE_FAILED where a store fails.
 */
export async function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SessionInfo | undefined> {
  const call = parseCall(WhereCall, options);
  if (!isConversationId(sessionId)) return undefined;
  if (call.sessionStore !== undefined) return infoInStore(call.sessionStore, sessionId, call.dir);
  const places = placesOf(call);
  const place = await findConversation(places, sessionId, call.dir);
  return place === undefined ? undefined : (await look(place, await liveProcesses(places.configDir)))?.info;
}

async function listed(
  place: ConversationPlace,
  places: Places,
  live: ReadonlyMap<string, number>,
  withProgrammatic: boolean,
): Promise<SessionInfo | undefined> {
  const seen = await look(place, live);
  if (seen?.info === undefined) return undefined;
  if (!withProgrammatic && isProgrammatic(seen.ends)) return undefined;
  if (isSessionFolder(place)) return seen.info;
  const next = continuationOf(seen.ends);
  if (next !== undefined && (await isContinued(place, next))) return undefined;
  return (await isStranger(place, cwdOf(seen.ends), places)) ? undefined : seen.info;
}

async function look(place: ConversationPlace, live: ReadonlyMap<string, number>) {
  const file = await readEnds(place.path);
  if (file === undefined) return undefined;
  const isFolder = isSessionFolder(place);
  const ends = isFolder ? await endsOfFolder(place, file) : rowsOfEnds(file);
  const info = describe(place.sessionId, file, ends, isFolder ? {} : await surroundingsOf(place));
  const livePid = live.get(place.sessionId);
  return { ends, info: info === undefined || livePid === undefined ? info : { ...info, livePid } };
}

async function surroundingsOf(place: TranscriptPlace): Promise<Surroundings> {
  const [sideTitle, archive] = await Promise.all([readSideTitle(place), readArchiveMark(place)]);
  return { projectPath: place.folder.projectPath, sideTitle, archive };
}

/** True when the conversation went on in another one that has messages: only that one is shown. */
async function isContinued(place: TranscriptPlace, next: string): Promise<boolean> {
  if (!isConversationId(next) || next === place.sessionId) return false;
  const file = await readEnds(join(place.folder.path, `${next}.jsonl`));
  return file?.head.includes('"parentUuid":') === true || file?.tail.includes('"parentUuid":') === true;
}

/** Two paths may have one folder, `/a/b-c` and `/a/b/c`: what belongs to the other is not of this project (R103). */
async function isStranger({ folder }: TranscriptPlace, cwd: string | undefined, places: Places): Promise<boolean> {
  const { projectPath } = folder;
  if (projectPath === undefined || cwd === undefined || cwd === projectPath) return false;
  const actual = await canonicalPath(cwd, places.cwd);
  return plainKey(actual) === plainKey(projectPath) && actual !== projectPath;
}

function newestFirst(one: ConversationPlace, other: ConversationPlace): number {
  if (one.mtime !== other.mtime) return other.mtime - one.mtime;
  return one.sessionId < other.sessionId ? 1 : -1;
}
