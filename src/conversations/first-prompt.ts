import { blocksOf, type Row, textsOf } from './transcript-row.ts';

const LONGEST = 200;
/** What the CLI puts into a user message itself: a tag of its own, or the note of an interrupt. */
const MACHINE_TEXT = /^\s*<[a-z][\w-]*[\s>]|^\[Request interrupted by user[^\]]*\]/;
const COMMAND = /<command-name>(.*?)<\/command-name>/;
const SHELL = /<bash-input>([\s\S]*?)<\/bash-input>/;

/** What a row says as the first prompt; a slash command counts only when nothing better comes. */
export type PromptText =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'command'; readonly text: string };

/** The prompt a person wrote into this row, shortened to one line; undefined for meta rows, tool results and the CLI's own. */
export function promptTextOf(row: Row): PromptText | undefined {
  if (row.type !== 'user' || row['isMeta'] === true || row['isCompactSummary'] === true) return undefined;
  if (blocksOf(row, 'tool_result').length > 0) return undefined;
  let command: PromptText | undefined;
  for (const text of textsOf(row)) {
    const line = text.replaceAll('\n', ' ').trim();
    const name = COMMAND.exec(line)?.[1];
    const shell = SHELL.exec(text)?.[1];
    if (name !== undefined) command ??= { kind: 'command', text: name };
    else if (shell !== undefined) return { kind: 'prompt', text: `! ${shell.trim()}` };
    else if (line !== '' && !MACHINE_TEXT.test(line)) return { kind: 'prompt', text: shortened(line) };
  }
  return command;
}

/** The first prompt of these rows, else the first command, else nothing. */
export function firstPromptOf(rows: Iterable<Row>): string | undefined {
  let command: string | undefined;
  for (const row of rows) {
    const found = promptTextOf(row);
    if (found?.kind === 'prompt') return found.text;
    command ??= found?.text;
  }
  return command || undefined;
}

/** The name for a conversation that begins with a picture or a document alone. */
export function firstAttachmentOf(rows: Iterable<Row>): string | undefined {
  for (const row of rows) {
    if (row.type !== 'user' || row['isMeta'] === true || blocksOf(row, 'tool_result').length > 0) continue;
    if (blocksOf(row, 'image').length > 0) return 'Image';
    if (blocksOf(row, 'document').length > 0) return 'Document';
  }
  return undefined;
}

/** Never cuts a character in two. */
function shortened(line: string): string {
  if (line.length <= LONGEST) return line;
  const end = /[\ud800-\udbff]$/.test(line.slice(0, LONGEST)) ? LONGEST - 1 : LONGEST;
  return `${line.slice(0, end).trim()}…`;
}
