/** What a dialect cannot carry of a prompt. */
export interface PromptFault {
  /** `content[1]`, `fields.shouldQuery`. */
  readonly field: string;
  readonly reason: string;
}

export interface PromptParts {
  readonly content: string | readonly Readonly<Record<string, unknown>>[];
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** Its text is somebody else's. */
  readonly isUntrusted: boolean;
}

/** A process takes its prompt as one text: what is more would get lost in silence. */
export function printPromptFault({ content, fields = {}, isUntrusted }: PromptParts): PromptFault | undefined {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const index = blocks.findIndex(({ type }) => type !== 'text');
  if (index !== -1) {
    const reason = `is of the type "${String(blocks[index]?.['type'])}", and dialect "print" carries text only`;
    return { field: `content[${index}]`, reason };
  }
  const { shouldQuery, parent_tool_use_id: parent } = fields;
  if (shouldQuery === false)
    return { field: 'fields.shouldQuery', reason: 'is false, but a process of dialect "print" always asks the model' };
  if (typeof parent === 'string')
    return { field: 'fields.parent_tool_use_id', reason: 'has no place in dialect "print", which carries text only' };
  if (!isUntrusted || !blocks.some(canAct)) return undefined;
  // Nothing tells the process that such a text is meant word for word.
  return { field: 'content', reason: 'is untrusted and would act: it begins with "/" or has an "@" in it' };
}

/** The CLI runs a text that begins with a slash as a command, and reads the file that `@` names into it. */
function canAct({ text }: Readonly<Record<string, unknown>>): boolean {
  return typeof text === 'string' && (text.trimStart().startsWith('/') || text.includes('@'));
}
