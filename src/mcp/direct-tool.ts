import type { McpServer, RegisteredTool } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { LightAbort } from '../abort-notice.ts';
import { isRecord } from '../wire/fields.ts';
import { errorResult, type JsonRpcId, type JsonRpcMessage } from './json-rpc.ts';
import type { ToolExtra } from './tool.ts';

/** What the SDK exports as its types: schemas and errors. */
type SdkTypes = typeof import('@modelcontextprotocol/sdk/types.js');

type Handler = (args: Record<string, unknown>, extra: ToolExtra) => unknown;

interface KnownServer {
  readonly instance: McpServer;
  readonly types: () => SdkTypes;
  /** What the SDK itself does with a `tools/call`. */
  readonly callsTools: unknown;
  readonly tools: Map<RegisteredTool, Handler>;
}

const SERVERS = new WeakMap<object, KnownServer>();

/**
 * The tool was registered with this handler, and the server was made by us: its calls may go to it by themselves. `types`:
 * those of the copy of the SDK that the server is of.
 */
export function knowTool(
  instance: McpServer,
  registered: RegisteredTool,
  handler: Handler,
  types: () => SdkTypes,
): void {
  const known = SERVERS.get(instance) ?? { instance, types, callsTools: callerOf(instance), tools: new Map() };
  known.tools.set(registered, handler);
  SERVERS.set(instance, known);
}

/** One call of a tool whose arguments its schema has not seen yet. */
export interface DirectCall {
  /**
   * Runs the tool and resolves with the reply; with undefined, and nothing was run, when its schema refuses the arguments: why,
   * the server says. Never rejects.
   */
  run(id: JsonRpcId, abort: LightAbort): Promise<JsonRpcMessage | undefined>;
}

/**
 * The way of a `tools/call` to its handler past the JSON-RPC of the SDK, which parses each request five times and
 * makes an AbortController for it: arguments and result go through the same schemas. Undefined for all that is not an ordinary
 * call of a tool that is as it was made, which is left to the SDK.
 */
export function directCall(server: object, message: JsonRpcMessage): DirectCall | undefined {
  const { method, params } = message;
  if (method !== 'tools/call' || !isRecord(params)) return undefined;
  const { name, arguments: args = {}, _meta: meta, task } = params;
  if (typeof name !== 'string' || task !== undefined || !isRecord(args)) return undefined;
  if (meta !== undefined && (!isRecord(meta) || meta['io.modelcontextprotocol/related-task'] !== undefined))
    return undefined;
  const known = knownTool(SERVERS.get(server), name);
  if (known === undefined) return undefined;
  return { run: (id, abort) => called(known, args, extraOf(known, id, meta, abort)) };
}

interface KnownTool {
  readonly instance: McpServer;
  readonly types: () => SdkTypes;
  readonly registered: RegisteredTool;
  readonly handler: Handler;
}

/** Whoever has the server may change its tools, and take its calls over. */
function knownTool(server: KnownServer | undefined, name: string): KnownTool | undefined {
  if (server === undefined || server.callsTools === undefined) return undefined;
  const { instance, types, callsTools, tools } = server;
  const registered = instance['_registeredTools'][name];
  const handler = registered === undefined ? undefined : tools.get(registered);
  if (registered === undefined || handler === undefined || callerOf(instance) !== callsTools) return undefined;
  const { enabled, inputSchema, outputSchema, execution } = registered;
  if (!enabled || inputSchema === undefined || outputSchema !== undefined) return undefined;
  if (execution?.taskSupport === 'required' || execution?.taskSupport === 'optional') return undefined;
  return registered.handler === handler ? { instance, types, registered, handler } : undefined;
}

/** Undefined in a release of the SDK that keeps it elsewhere. */
function callerOf(instance: McpServer): unknown {
  const handlers: unknown = instance.server['_requestHandlers'];
  return handlers instanceof Map ? handlers.get('tools/call') : undefined;
}

async function called(
  { types, registered, handler }: KnownTool,
  args: Record<string, unknown>,
  extra: ToolExtra,
): Promise<JsonRpcMessage | undefined> {
  const { requestId: id } = extra;
  let result: unknown;
  try {
    const parsed = await (registered.inputSchema as Schema).safeParseAsync(args);
    if (!parsed.success) return undefined;
    result = await handler(parsed.data as Record<string, unknown>, extra);
  } catch (error) {
    return failure(types(), id, error);
  }
  try {
    return isPlainResult(result) ? { jsonrpc: '2.0', id, result } : checked(types(), id, result);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return protocolError(id, types().ErrorCode.InternalError, message, undefined);
  }
}

/** What the schemas of each zod have in common. */
interface Schema {
  safeParseAsync(value: unknown): Promise<{ readonly success: boolean; readonly data?: unknown }>;
}

/** A throw is a result for the model; only what asks the user to go somewhere first is an error of the protocol. */
function failure({ ErrorCode }: SdkTypes, id: JsonRpcId, error: unknown): JsonRpcMessage {
  if (!(error instanceof Error)) return errorResult(id, String(error));
  // By its code: the error may be of another copy of the SDK.
  const code = 'code' in error ? error.code : undefined;
  if (code !== ErrorCode.UrlElicitationRequired) return errorResult(id, error.message);
  return protocolError(id, code, error.message, 'data' in error ? error.data : undefined);
}

function checked(
  { CallToolResultSchema, McpError, ErrorCode }: SdkTypes,
  id: JsonRpcId,
  result: unknown,
): JsonRpcMessage {
  const parsed = CallToolResultSchema.safeParse(result);
  if (parsed.success) return { jsonrpc: '2.0', id, result: parsed.data };
  const { code, message } = new McpError(ErrorCode.InvalidParams, `Invalid tools/call result: ${parsed.error.message}`);
  return protocolError(id, code, message, undefined);
}

function protocolError(id: JsonRpcId, code: number, message: string, data: unknown): JsonRpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** What nearly every tool returns, without the schema: texts, and whether it failed. False for all others, and for faults. */
function isPlainResult(result: unknown): boolean {
  if (!hasOnly(result, 'content', 'isError')) return false;
  const { content, isError } = result;
  if (!Array.isArray(content) || (isError !== undefined && typeof isError !== 'boolean')) return false;
  for (let index = 0; index < content.length; index += 1) {
    const block: unknown = content[index];
    if (!hasOnly(block, 'type', 'text') || block['type'] !== 'text' || typeof block['text'] !== 'string') return false;
  }
  return true;
}

/** Plain data with no other fields than these two. */
function hasOnly(value: unknown, one: string, other: string): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name in value) if (name !== one && name !== other) return false;
  return true;
}

/** As the SDK makes it for a server without sessions, tasks or a request of HTTP behind it. */
function extraOf(
  { instance: { server }, types }: KnownTool,
  id: JsonRpcId,
  meta: Readonly<Record<string, unknown>> | undefined,
  abort: LightAbort,
): ToolExtra {
  return {
    // Most handlers never look at it: it is made when they do.
    get signal() {
      return abort.signal;
    },
    ...(meta === undefined ? {} : { _meta: meta }),
    requestId: id,
    sendNotification: async (notification) => {
      if (!abort.aborted) await server.notification(notification, { relatedRequestId: id });
    },
    sendRequest: async (request, schema, options) => {
      const { McpError, ErrorCode } = types();
      if (abort.aborted) throw new McpError(ErrorCode.ConnectionClosed, 'Request was cancelled');
      return server.request(request, schema, { ...options, relatedRequestId: id });
    },
  };
}
