import type { McpServerOptions, SessionOptions } from './session-options.ts';

/** Longest server list written on the command line, in bytes; a longer one goes into a private file (R94). */
const MAX_INLINE_BYTES = 64 * 1024;

/** What `--mcp-config` takes: JSON text on the command line, or the content of a private file. */
export interface McpDocument {
  readonly text: string;
  /** True when it may hold secrets, or is big: it then belongs into a file (P11, R94). */
  readonly needsFile: boolean;
}

/** The servers as the CLI reads them, or undefined without servers. What only Troupe understands stays out. */
export function mcpDocument({ mcpServers }: SessionOptions): McpDocument | undefined {
  const entries = Object.entries(mcpServers ?? {});
  if (entries.length === 0) return undefined;
  const servers = Object.fromEntries(entries.map(([name, server]) => [name, entryOf(name, server)]));
  const text = JSON.stringify({ mcpServers: servers });
  const isExternal = entries.some(([, server]) => server.type !== 'sdk');
  return { text, needsFile: isExternal || Buffer.byteLength(text) > MAX_INLINE_BYTES };
}

/** An in-process server always carries its name, without which the CLI drops it silently (WIRE §3), and nothing else. */
function entryOf(name: string, server: McpServerOptions): Record<string, unknown> {
  if (server.type === 'sdk') return { type: 'sdk', name };
  return { type: 'stdio', ...server };
}
