import { parseRecord, stringOf } from '../wire/fields.ts';
import { firstAttachmentOf, firstPromptOf, promptTextOf } from './first-prompt.ts';
import type { FileEnds } from './regular-file.ts';
import { type Row, rowOf } from './transcript-row.ts';

/** A conversation as `listSessions` and `getSessionInfo` describe it. */
export interface SessionInfo {
  /** UUID of the conversation: what `resume` takes. */
  readonly sessionId: string;
  /** To show: the title somebody gave it, else the CLI's own title or summary, else the last or first prompt. */
  readonly summary: string;
  /** Whole epoch milliseconds. */
  readonly lastModified: number;
  /** Bytes; only for a transcript on this machine. */
  readonly fileSize?: number;
  /** Title from `renameSession` or `/rename`, else the CLI's own. */
  readonly customTitle?: string;
  /** The first thing a person wrote, in one line of at most 200 characters. */
  readonly firstPrompt?: string;
  /** Branch at the end of the conversation. */
  readonly gitBranch?: string;
  readonly cwd?: string;
  readonly tag?: string;
  /** Whole epoch milliseconds: the first dated line. */
  readonly createdAt?: number;
  /** False when it was archived and is not any more; absent when it never was. */
  readonly archived?: boolean;
  /** The process that has it open at this moment, as far as CLIs on this machine say so; absent when none does. */
  readonly livePid?: number;
}

/** What lies beside a transcript. */
export interface Surroundings {
  /** The directory the project folder was looked up by. */
  readonly projectPath?: string | undefined;
  /** Title from the file beside the transcript. */
  readonly sideTitle?: string | undefined;
  readonly archive?: { readonly archived: boolean; readonly at: number } | undefined;
}

/** Both ends of a transcript as rows: what could be parsed, and the text for what a cut line still shows. */
export interface TranscriptEnds {
  readonly head: readonly Row[];
  readonly tail: readonly Row[];
  readonly headText: string;
  readonly tailText: string;
}

const PROGRAMS: ReadonlySet<string> = new Set(['sdk-cli', 'sdk-ts', 'sdk-py']);
const DAEMONS: ReadonlySet<string> = new Set(['daemon', 'daemon-worker']);

/** The rows at both ends; lines that were cut or are corrupt are not among them. */
export function rowsOfEnds(
  { head, tail }: Pick<FileEnds, 'head' | 'tail'>,
  read: (value: unknown) => Row | undefined = rowOf,
): TranscriptEnds {
  const headRows = rowsIn(head, read);
  return {
    head: headRows,
    tail: head === tail ? headRows : rowsIn(tail, read),
    headText: head,
    tailText: tail,
  };
}

/** Describes a conversation by its ends; undefined for a sidechain, and for one that nothing could name. */
export function describe(
  sessionId: string,
  file: Pick<FileEnds, 'size' | 'mtime'>,
  ends: TranscriptEnds,
  around: Surroundings = {},
): SessionInfo | undefined {
  if (isSidechain(ends)) return undefined;
  const { head, tail } = ends;
  const customTitle =
    lastOf(tail, 'custom-title', 'customTitle') ??
    around.sideTitle ??
    lastOf(head, 'custom-title', 'customTitle') ??
    lastOf(tail, 'ai-title', 'aiTitle') ??
    lastOf(head, 'ai-title', 'aiTitle');
  const firstPrompt = firstPromptOf(head);
  const summary =
    customTitle ??
    lastOf(tail, undefined, 'lastPrompt') ??
    lastOf(tail, undefined, 'summary') ??
    firstPrompt ??
    firstAttachmentOf(head);
  if (summary === undefined) return undefined;
  const gitBranch = branchOf(ends);
  const cwd = cwdOf(ends) ?? around.projectPath;
  const tag = lastOf(tail, 'tag', 'tag');
  const createdAt = Date.parse(firstField(ends, 'timestamp') ?? '');
  const archived = isArchived(around.archive, ends);
  return {
    sessionId,
    summary,
    lastModified: file.mtime,
    fileSize: file.size,
    ...(customTitle === undefined ? {} : { customTitle }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(tag === undefined ? {} : { tag }),
    ...(Number.isNaN(createdAt) ? {} : { createdAt }),
    ...(archived === undefined ? {} : { archived }),
  };
}

/** The directory the conversation works in: where it was moved to, else where it began. */
export function cwdOf(ends: TranscriptEnds): string | undefined {
  return lastOf(ends.tail, 'relocated', 'relocatedCwd') ?? firstField(ends, 'cwd');
}

/** True for a conversation that a program held, not a person. */
export function isProgrammatic(ends: TranscriptEnds): boolean {
  const entrypoint = firstField(ends, 'entrypoint') ?? lastOf(ends.tail, undefined, 'entrypoint');
  if (entrypoint !== undefined && PROGRAMS.has(entrypoint)) return true;
  const kind = stringOf(ends.head.find((row) => 'parentUuid' in row)?.['sessionKind']);
  return kind !== undefined && DAEMONS.has(kind);
}

/** The conversation this one goes on in, when nothing was said here since. */
export function continuationOf({ tail }: TranscriptEnds): string | undefined {
  const last = tail.findLast((row) => row.type === 'continued-in' || isAnswerOrPrompt(row));
  return last?.type === 'continued-in' ? stringOf(last['continuedInSessionId']) : undefined;
}

function isAnswerOrPrompt(row: Row): boolean {
  return row.type === 'assistant' || promptTextOf(row) !== undefined;
}

function isSidechain({ headText }: TranscriptEnds): boolean {
  const line = headText.slice(0, headText.includes('\n') ? headText.indexOf('\n') : undefined);
  const first = parseRecord(line);
  // A first line that is too long to be parsed still shows its flag.
  return first === undefined ? /"isSidechain":\s?true/.test(line) : first['isSidechain'] === true;
}

/** A prompt that a person sent later brings the conversation back. */
function isArchived(mark: Surroundings['archive'], { head, tail }: TranscriptEnds): boolean | undefined {
  if (mark === undefined || !mark.archived) return mark?.archived;
  return ![...head, ...tail].some((row) => isHuman(row) && Date.parse(stringOf(row['timestamp']) ?? '') > mark.at);
}

function isHuman(row: Row): boolean {
  const origin = row['origin'];
  const isOther = typeof origin === 'object' && origin !== null && 'kind' in origin && origin.kind !== 'human';
  return !isOther && row['isSidechain'] !== true && promptTextOf(row) !== undefined;
}

function branchOf(ends: TranscriptEnds): string | undefined {
  return (
    lastOf(ends.tail, undefined, 'gitBranch') ?? shownField(ends.tailText, 'gitBranch') ?? firstField(ends, 'gitBranch')
  );
}

/** The newest filled value of the field, in rows of this type or of any. An empty one counts: it takes the former back. */
function lastOf(rows: readonly Row[], type: string | undefined, field: string): string | undefined {
  const row = rows.findLast((it) => (type === undefined || it.type === type) && typeof it[field] === 'string');
  return stringOf(row?.[field]) || undefined;
}

function firstField(ends: TranscriptEnds, field: string): string | undefined {
  const row = ends.head.find((it) => typeof it[field] === 'string' && it[field] !== '');
  return stringOf(row?.[field]) ?? shownField(ends.headText, field);
}

/** A field of a line that was cut, or of a row within it. Inside a string its quotes would be escaped, so none is mistaken. */
function shownField(text: string, field: string): string | undefined {
  const match = new RegExp(`"${field}":\\s?("(?:[^"\\\\]|\\\\.)*")`).exec(text);
  return stringOf(parseRecord(`{"value":${match?.[1] ?? null}}`)?.['value']) || undefined;
}

function rowsIn(text: string, read: (value: unknown) => Row | undefined): Row[] {
  return text.split('\n').flatMap((line) => read(parseRecord(line)) ?? []);
}
