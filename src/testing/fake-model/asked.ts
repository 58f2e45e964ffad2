import type { ModelRequest, ToolResult } from './model-request.ts';

/** A fake model, or its requests, or some of them. */
export type Asked = readonly ModelRequest[] | { readonly requests: readonly ModelRequest[] };

/** The requests, oldest first. */
export function requestsOf(asked: Asked): readonly ModelRequest[] {
  return 'requests' in asked ? asked.requests : asked;
}

/** What the user wrote last, as it reached the model, without the reminders of the CLI; undefined before the first prompt. */
export function lastUserText(asked: Asked): string | undefined {
  return requestsOf(asked).findLast(({ prompt }) => prompt !== undefined)?.prompt;
}

/** What tools answered, in order and each once, also where a request was sent again. */
export function toolResults(asked: Asked): ToolResult[] {
  const byId = new Map<string, ToolResult>();
  for (const result of requestsOf(asked).flatMap((request) => request.toolResults)) byId.set(result.toolUseId, result);
  return [...byId.values()];
}

/** The text of a tool result, whether it came as a text or as blocks. */
export function toolResultText({ content }: ToolResult): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content.map((block: unknown) => (isText(block) ? block.text : JSON.stringify(block))).join('');
}

/** The tools that the last request offered to the model, by name. */
export function offeredTools(asked: Asked): string[] {
  const tools = requestsOf(asked).at(-1)?.body['tools'];
  return Array.isArray(tools) ? tools.flatMap((tool: unknown) => (isNamed(tool) ? [tool.name] : [])) : [];
}

function isText(block: unknown): block is { readonly text: string } {
  return typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string';
}

function isNamed(tool: unknown): tool is { readonly name: string } {
  return typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string';
}
