import type { McpServerOptions, McpServersOption } from './mcp-server-options.ts';
import type { SessionOptions } from './session-options.ts';

/** Longest server list written on the command line, in bytes; a longer one goes into a private file (R94). */
const MAX_INLINE_BYTES = 64 * 1024;

/** What `--mcp-config` takes: JSON text on the command line, or the content of a private file. */
export interface McpDocument {
  readonly text: string;
  /** True when it may hold secrets, or is big: it then belongs into a file (P11, R94). */
  readonly needsFile: boolean;
}

/** The servers as the CLI reads them, or undefined without servers. What only Troupe understands stays out. */
export function mcpDocument(options: SessionOptions): McpDocument | undefined {
  const onStdin = stdinServers(options) ?? {};
  const entries = Object.entries(options.mcpServers ?? {}).filter(
    ([name, server]) => !Object.hasOwn(onStdin, name) && !(server.type === 'sdk' && namesThemOnStdin(options)),
  );
  if (entries.length === 0) return undefined;
  const servers = Object.fromEntries(entries.map(([name, server]) => [name, entryOf(name, server)]));
  const text = JSON.stringify({ mcpServers: servers });
  const isExternal = entries.some(([, server]) => server.type !== 'sdk');
  return { text, needsFile: isExternal || Buffer.byteLength(text) > MAX_INLINE_BYTES };
}

/** In these dialects servers of this process are named in the `initialize` request alone. */
function namesThemOnStdin({ dialect }: SessionOptions): boolean {
  return dialect === 'stream-json-sdk-control' || dialect === 'print';
}

/** The servers that travel in the `initialize` request: the external ones, where that is asked for. */
export function stdinServers({ mcpServers, mcpServersDelivery }: SessionOptions): Record<string, unknown> | undefined {
  if (mcpServersDelivery !== 'initialize') return undefined;
  const external = Object.entries(mcpServers ?? {}).filter(([, server]) => server.type !== 'sdk');
  if (external.length === 0) return undefined;
  return Object.fromEntries(external.map(([name, server]) => [name, entryOf(name, server)]));
}

/** What the `initialize` request says about in-process servers beyond their names; undefined when that is nothing. */
export function inProcessConfigs({ mcpServers }: SessionOptions): Record<string, unknown> | undefined {
  const entries = Object.entries(mcpServers ?? {}).flatMap(([name, server]) => {
    if (server.type !== 'sdk' || (server.timeout === undefined && server.tools === undefined)) return [];
    return [[name, limitsOf(server)]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The servers as a request of a running session names them. */
export function serverEntries(servers: McpServersOption): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      { ...entryOf(name, server), ...(server.type === 'sdk' ? limitsOf(server) : {}) },
    ]),
  );
}

/** An in-process server always carries its name, without which the CLI drops it silently (WIRE §3). */
function entryOf(name: string, server: McpServerOptions): Record<string, unknown> {
  if (server.type === 'sdk') return { type: 'sdk', name };
  const { required: _required, reconnect: _reconnect, ...entry } = server;
  return { type: 'stdio', ...entry };
}

function limitsOf({ timeout, tools }: McpServerOptions & { type: 'sdk' }): Record<string, unknown> {
  return { ...(timeout === undefined ? {} : { timeout }), ...(tools === undefined ? {} : { tools }) };
}
