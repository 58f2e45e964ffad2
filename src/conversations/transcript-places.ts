import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Places } from './config-folder.ts';
import { isConversationId } from './conversation-id.ts';
import { worktreesOf } from './git-worktrees.ts';
import { canonicalPath, isLongKey, longKeyPrefix, plainKey, projectKeyOf } from './project-key.ts';
import { readEnds } from './regular-file.ts';
import { cwdOf, rowsOfEnds } from './session-info.ts';

const SUFFIX = '.jsonl';

/** A folder of transcripts. */
export interface ProjectFolder {
  readonly path: string;
  /** The directory it was looked up by; undefined when all folders are taken. */
  readonly projectPath: string | undefined;
}

/** One transcript on disk: a regular file named by the UUID of its conversation. */
export interface TranscriptPlace {
  readonly sessionId: string;
  readonly path: string;
  readonly folder: ProjectFolder;
  readonly size: number;
  /** Whole epoch milliseconds. */
  readonly mtime: number;
}

/**
 * The folders to look in, each once: all of them, or those of `dir` and then, if asked for, those of the other working
 * trees of its repository. A place that cannot be read holds no conversations.
 */
export async function projectFolders(
  places: Places,
  options: { readonly dir?: string | undefined; readonly withWorktrees: boolean },
): Promise<ProjectFolder[]> {
  if (options.dir === undefined) {
    const names = await foldersIn(places.projects);
    return names.map((name) => ({ path: join(places.projects, name), projectPath: undefined }));
  }
  const own = await canonicalPath(options.dir, places.cwd);
  const others = options.withWorktrees ? await worktreesOf(own) : [];
  const found = new Map<string, ProjectFolder>();
  for (const projectPath of new Set([own, ...others])) {
    // Some file systems take two spellings of one letter for one name: the CLI may have been started with the other one.
    for (const spelling of new Set([projectPath, projectPath.normalize('NFC'), projectPath.normalize('NFD')])) {
      for (const path of await foldersOf(spelling, places.projects)) {
        if (!found.has(path)) found.set(path, { path, projectPath: spelling });
      }
    }
  }
  return [...found.values()];
}

/** The transcripts in a folder. Foreign names, links, FIFOs, folders and empty files are no transcripts. */
export async function transcriptsIn(folder: ProjectFolder): Promise<TranscriptPlace[]> {
  const names = await readdir(folder.path).catch(() => []);
  const ids = names.flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []));
  const found = await Promise.all(ids.filter(isConversationId).map((id) => transcriptAt(folder, id)));
  return found.filter((place) => place !== undefined);
}

/** Where the transcript of a conversation is: in `dir`'s project or its working trees, or anywhere. The newest of several. */
export async function findTranscript(
  places: Places,
  sessionId: string,
  dir: string | undefined,
): Promise<TranscriptPlace | undefined> {
  return (await findTranscripts(places, sessionId, dir))[0];
}

/** Every transcript with this id: own project first, within it the newest first. */
export async function findTranscripts(
  places: Places,
  sessionId: string,
  dir: string | undefined,
): Promise<TranscriptPlace[]> {
  if (!isConversationId(sessionId)) return [];
  // The other working trees are asked for only when the project itself has nothing: git takes its time.
  const own = await among(await projectFolders(places, { dir, withWorktrees: false }), sessionId);
  if (own.length > 0 || dir === undefined) return own;
  return among(await projectFolders(places, { dir, withWorktrees: true }), sessionId);
}

/** The transcript's own folder: subagents, titles and marks lie in it. */
export function sideFolderOf(place: Pick<TranscriptPlace, 'path'>): string {
  return place.path.slice(0, -SUFFIX.length);
}

/** The name of the project folder a transcript lies in: its key in a store. */
export function projectKeyAt(place: TranscriptPlace): string {
  return basename(place.folder.path);
}

async function among(folders: readonly ProjectFolder[], sessionId: string): Promise<TranscriptPlace[]> {
  const found = await Promise.all(folders.map((folder) => transcriptAt(folder, sessionId)));
  return found.filter((place) => place !== undefined).toSorted((one, other) => other.mtime - one.mtime);
}

async function transcriptAt(folder: ProjectFolder, sessionId: string): Promise<TranscriptPlace | undefined> {
  const path = join(folder.path, `${sessionId}${SUFFIX}`);
  const file = await lstat(path).catch(() => undefined);
  if (file?.isFile() !== true || file.size === 0) return undefined;
  return { sessionId, path, folder, size: file.size, mtime: file.mtime.getTime() };
}

/** A long path has a hash in its folder's name that another runtime may have made: what lies in it decides (R103). */
async function foldersOf(projectPath: string, projects: string): Promise<string[]> {
  const exact = join(projects, projectKeyOf(projectPath));
  const hasExact = (await lstat(exact).catch(() => undefined))?.isDirectory() === true;
  const plain = plainKey(projectPath);
  if (!isLongKey(plain)) return hasExact ? [exact] : [];
  const alike = (await foldersIn(projects)).filter((name) => name.startsWith(longKeyPrefix(plain)));
  const others = alike.map((name) => join(projects, name)).filter((path) => path !== exact);
  const checked = await Promise.all(others.map(async (path) => ((await holds(path, plain)) ? [path] : [])));
  return [...(hasExact ? [exact] : []), ...checked.flat()];
}

async function holds(folder: string, plain: string): Promise<boolean> {
  for (const place of await transcriptsIn({ path: folder, projectPath: undefined })) {
    const ends = await readEnds(place.path);
    const cwd = ends === undefined ? undefined : cwdOf(rowsOfEnds(ends));
    if (cwd !== undefined) return plainKey(cwd) === plain;
  }
  return false;
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
