import { numberOf, stringOf } from '../wire/fields.ts';
import { promptTextOf } from './first-prompt.ts';
import type { SessionInfo } from './session-info.ts';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from './session-store.ts';

/** Field of a line → field of the summary: the newest line that has it wins. */
const LAST_WINS = [
  ['customTitle', 'customTitle'],
  ['aiTitle', 'aiTitle'],
  ['lastPrompt', 'lastPrompt'],
  ['summary', 'summaryHint'],
  ['gitBranch', 'gitBranch'],
] as const;

/**
 * Adds lines to the running summary of a conversation: what a store does inside `append`, so that listing needs no
 * `load`. Pure; `former` is not changed. `options.mtime` is the store's own time of writing; without it the former stays.
 */
export function foldSessionSummary(
  former: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { readonly mtime?: number } = {},
): SessionSummaryEntry {
  const data: Record<string, unknown> = { ...former?.data };
  for (const entry of entries) fold(data, entry);
  return { sessionId: former?.sessionId ?? key.sessionId, mtime: options.mtime ?? former?.mtime ?? 0, data };
}

function fold(data: Record<string, unknown>, entry: SessionStoreEntry): void {
  data['isSidechain'] ??= entry['isSidechain'] === true;
  const createdAt = typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN;
  if (!Number.isNaN(createdAt)) data['createdAt'] ??= createdAt;
  if (typeof entry['cwd'] === 'string' && entry['cwd'] !== '') data['cwd'] ??= entry['cwd'];
  foldPrompt(data, entry);
  for (const [field, name] of LAST_WINS) if (typeof entry[field] === 'string') data[name] = entry[field];
  if (entry.type !== 'tag' || typeof entry['tag'] !== 'string') return;
  if (entry['tag'] === '') delete data['tag'];
  else data['tag'] = entry['tag'];
}

/** A slash command stands in until a prompt comes; the first prompt stays for good. */
function foldPrompt(data: Record<string, unknown>, entry: SessionStoreEntry): void {
  if (data['firstPromptLocked'] === true) return;
  const found = promptTextOf(entry);
  if (found?.kind === 'command') data['commandFallback'] ??= found.text;
  if (found?.kind !== 'prompt') return;
  data['firstPrompt'] = found.text;
  data['firstPromptLocked'] = true;
}

/** The conversation a summary describes; undefined for one that is not listed. */
export function infoOfSummary({ sessionId, mtime, data }: SessionSummaryEntry, cwd: string): SessionInfo | undefined {
  if (data['isSidechain'] === true) return undefined;
  const filled = (name: string) => stringOf(data[name]) || undefined;
  const firstPrompt = data['firstPromptLocked'] === true ? filled('firstPrompt') : filled('commandFallback');
  const customTitle = filled('customTitle') ?? filled('aiTitle');
  const summary = customTitle ?? filled('lastPrompt') ?? filled('summaryHint') ?? firstPrompt;
  if (summary === undefined) return undefined;
  return {
    sessionId,
    summary,
    lastModified: mtime,
    ...definedOnly({ customTitle, firstPrompt, gitBranch: filled('gitBranch'), tag: filled('tag') }),
    cwd: filled('cwd') ?? cwd,
    ...definedOnly({ createdAt: numberOf(data['createdAt']) }),
  };
}

function definedOnly<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
