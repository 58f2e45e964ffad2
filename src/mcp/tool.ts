import { createRequire } from 'node:module';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { TroupeError } from '../errors.ts';
import type { SdkMcpServerOptions } from '../launch/mcp-server-options.ts';
import { knowTool } from './direct-tool.ts';
import { setToolDeadline } from './tool-deadlines.ts';

/** The SDK is large, and most programs have no server of their own: it is loaded with the first one. */
const load = createRequire(import.meta.url);

/** What a handler gets beside its arguments: the abort signal of the call, the request id, a way to send progress. */
export type ToolExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface ToolExtras {
  /** What the tool does to the world. The CLI runs calls of `readOnlyHint` tools in parallel. */
  readonly annotations?: ToolAnnotations;
  /** Words by which tool search finds the tool. */
  readonly searchHint?: string;
  /** True: the tool stands in every prompt instead of being found by tool search. */
  readonly alwaysLoad?: boolean;
  /** Milliseconds for one call; then its signal aborts and the model gets an error result (R96). Default: no limit. */
  readonly timeoutMs?: number;
  /** Further data of the tool's listing, such as `anthropic/maxResultSizeChars`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ToolDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> extends ToolExtras {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Shape;
  readonly handler: (args: z.infer<z.ZodObject<Shape>>, extra: ToolExtra) => Promise<CallToolResult>;
}

export interface SdkMcpServerDefinition {
  readonly name: string;
  /** Default 1.0.0. */
  readonly version?: string;
  /** What the model is told about the server as a whole. */
  readonly instructions?: string;
  /** Names are unique. */
  // biome-ignore lint/suspicious/noExplicitAny: definitions of different shapes share one list; each was checked where it was made.
  readonly tools?: readonly ToolDefinition<any>[];
  /** `alwaysLoad` for all of its tools. */
  readonly alwaysLoad?: boolean;
  /** Milliseconds for each call of a tool, from 1 000. */
  readonly timeout?: number;
}

/**
 * Defines an in-process tool, called like the function of the same name in the official SDK. The schema is a raw zod
 * shape; arguments are validated before the handler runs, and a throw becomes an error result for the model. Throws
 * INVALID_OPTIONS for a `timeoutMs` that is no duration.
 */
export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: (args: z.infer<z.ZodObject<Shape>>, extra: ToolExtra) => Promise<CallToolResult>,
  extras: ToolExtras = {},
): ToolDefinition<Shape> {
  const { timeoutMs } = extras;
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    const reason = 'must be a positive number of milliseconds';
    throw new TroupeError('INVALID_OPTIONS', {
      reason: `"timeoutMs" of the tool "${name}": ${reason}.`,
      details: { field: 'timeoutMs', reason },
    });
  }
  return { name, description, inputSchema, handler, ...extras };
}

/** Builds an in-process MCP server for the `mcpServers` option, with the options of the official SDK. */
export function createSdkMcpServer(options: SdkMcpServerDefinition): SdkMcpServerOptions<McpServer> {
  const { name, version = '1.0.0', instructions, timeout } = options;
  const mcp: typeof import('@modelcontextprotocol/sdk/server/mcp.js') = load('@modelcontextprotocol/sdk/server/mcp.js');
  const instance = new mcp.McpServer({ name, version }, instructions === undefined ? {} : { instructions });
  // The SDK looks names up in a plain object, which knows `constructor` and `__proto__` before any tool is there (R99).
  Object.setPrototypeOf(instance['_registeredTools'], null);
  for (const definition of options.tools ?? []) addTool(instance, definition, options.alwaysLoad === true);
  return { type: 'sdk', name, instance, ...(timeout === undefined ? {} : { timeout }) };
}

// biome-ignore lint/suspicious/noExplicitAny: see `SdkMcpServerDefinition`.
function addTool(instance: McpServer, definition: ToolDefinition<any>, areAlwaysLoaded: boolean): void {
  const { name, description, inputSchema, annotations, handler, timeoutMs } = definition;
  const meta = metaOf(definition, areAlwaysLoaded);
  const call = (args: Record<string, unknown>, extra: ToolExtra) => handler(args, extra);
  const registered = instance.registerTool(
    name,
    {
      description,
      inputSchema,
      ...(annotations === undefined ? {} : { annotations }),
      ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    },
    call,
  );
  knowTool(instance, registered, call, () => load('@modelcontextprotocol/sdk/types.js'));
  if (timeoutMs !== undefined) setToolDeadline(instance, name, timeoutMs);
}

function metaOf({ alwaysLoad, searchHint, _meta }: ToolExtras, areAlwaysLoaded: boolean): Record<string, unknown> {
  return {
    ..._meta,
    ...(alwaysLoad === true || areAlwaysLoaded ? { 'anthropic/alwaysLoad': true } : {}),
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
  };
}
