/** What a tool would change in a file, as text before and after. */
export interface ToolChange {
  readonly path: string;
  readonly parts: readonly { readonly before: string; readonly after: string }[];
}

/** Reads the input of the tools that write files; undefined for every other one, and for input of another shape. */
export function changeOf(toolName: string, input: unknown): ToolChange | undefined {
  if (!isRecord(input)) return undefined;
  const path = textOf(input['file_path'] ?? input['notebook_path']);
  if (path === undefined) return undefined;
  if (toolName === 'Write') {
    const after = textOf(input['content']);
    return after === undefined ? undefined : { path, parts: [{ before: '', after }] };
  }
  if (toolName === 'Edit') {
    const part = partOf(input);
    return part === undefined ? undefined : { path, parts: [part] };
  }
  if (toolName === 'MultiEdit' && Array.isArray(input['edits'])) {
    const parts = input['edits'].map((edit: unknown) => (isRecord(edit) ? partOf(edit) : undefined));
    const known = parts.filter((part) => part !== undefined);
    return known.length === parts.length && known.length > 0 ? { path, parts: known } : undefined;
  }
  return undefined;
}

/** What a tool does in one line: its command, its file, its pattern. */
export function summaryOf(input: unknown): string {
  if (!isRecord(input)) return '';
  for (const name of [
    'command',
    'file_path',
    'notebook_path',
    'pattern',
    'query',
    'url',
    'description',
    'prompt',
    'path',
  ]) {
    const text = textOf(input[name]);
    if (text !== undefined && text !== '') return text.split('\n')[0] ?? '';
  }
  const [first] = Object.entries(input);
  return first === undefined ? '' : `${first[0]}: ${JSON.stringify(first[1])}`.slice(0, 200);
}

function partOf(edit: Readonly<Record<string, unknown>>): { before: string; after: string } | undefined {
  const before = textOf(edit['old_string']);
  const after = textOf(edit['new_string']);
  return before === undefined || after === undefined ? undefined : { before, after };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
