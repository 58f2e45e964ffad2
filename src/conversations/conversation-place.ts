import type { Places } from './config-folder.ts';
import { worktreesOf } from './git-worktrees.ts';
import { canonicalPath } from './project-key.ts';
import { cwdOfFolder, type SessionFolder, sessionFolderAt, sessionFolders } from './session-folder.ts';
import { findTranscript, type TranscriptPlace } from './transcript-places.ts';

/** Folders looked into at the same time. */
const CONCURRENCY = 16;

/** Where a conversation can be read. */
export type ConversationPlace = TranscriptPlace | SessionFolder;

export function isSessionFolder(place: ConversationPlace): place is SessionFolder {
  return 'sessionFolder' in place;
}

/** The transcript of a conversation, else its session folder: what the CLI wrote itself wins (DIALECTS §4). */
export async function findConversation(
  places: Places,
  sessionId: string,
  dir: string | undefined,
): Promise<ConversationPlace | undefined> {
  const transcript = await findTranscript(places, sessionId, dir);
  if (transcript !== undefined) return transcript;
  const folder = await sessionFolderAt(places, sessionId);
  if (folder === undefined) return undefined;
  const [found] = await readable([folder], places, { dir, withWorktrees: true });
  return found;
}

/** The session folders that are listed beside these transcripts: those of `dir`, as far as they say where they worked. */
export async function foldersBeside(
  transcripts: readonly TranscriptPlace[],
  places: Places,
  options: { readonly dir?: string | undefined; readonly withWorktrees: boolean },
): Promise<SessionFolder[]> {
  const known = new Set(transcripts.map(({ sessionId }) => sessionId));
  const others = (await sessionFolders(places)).filter(({ sessionId }) => !known.has(sessionId));
  return readable(others, places, options);
}

async function readable(
  folders: readonly SessionFolder[],
  places: Places,
  { dir, withWorktrees }: { readonly dir?: string | undefined; readonly withWorktrees: boolean },
): Promise<SessionFolder[]> {
  if (dir === undefined || folders.length === 0) return [...folders];
  const own = await canonicalPath(dir, places.cwd);
  const wanted = new Set([own, ...(withWorktrees ? await worktreesOf(own) : [])]);
  const found: SessionFolder[] = [];
  for (let next = 0; next < folders.length; next += CONCURRENCY) {
    const batch = folders.slice(next, next + CONCURRENCY);
    const isOfDir = await Promise.all(batch.map((folder) => worksIn(folder, wanted, places)));
    found.push(...batch.filter((_, index) => isOfDir[index] === true));
  }
  return found;
}

async function worksIn(folder: SessionFolder, wanted: ReadonlySet<string>, places: Places): Promise<boolean> {
  const cwd = await cwdOfFolder(folder);
  if (cwd === undefined || !wanted.has(await canonicalPath(cwd, places.cwd))) return false;
  // Its transcript may lie in another project.
  return (await findTranscript(places, folder.sessionId, undefined)) === undefined;
}
