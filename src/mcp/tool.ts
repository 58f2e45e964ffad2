import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { SdkMcpServerOptions } from '../launch/session-options.ts';

/** What a handler gets beside its arguments: the abort signal of the call, the request id, a way to send progress. */
export type ToolExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface ToolDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Shape;
  readonly handler: (args: z.infer<z.ZodObject<Shape>>, extra: ToolExtra) => Promise<CallToolResult>;
  readonly annotations?: ToolAnnotations;
}

/**
 * Defines an in-process tool, called like the function of the same name in the official SDK. The schema is a raw zod
 * shape; arguments are validated before the handler runs, and a throw becomes an error result for the model.
 */
export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: (args: z.infer<z.ZodObject<Shape>>, extra: ToolExtra) => Promise<CallToolResult>,
  extras: { annotations?: ToolAnnotations } = {},
): ToolDefinition<Shape> {
  return { name, description, inputSchema, handler, ...extras };
}

/** Builds an in-process MCP server for the `mcpServers` option. Tool names are unique; `version` defaults to 1.0.0. */
export function createSdkMcpServer(options: {
  name: string;
  version?: string;
  // biome-ignore lint/suspicious/noExplicitAny: definitions of different shapes share one list; each was checked where it was made.
  tools?: readonly ToolDefinition<any>[];
}): SdkMcpServerOptions<McpServer> {
  const instance = new McpServer({ name: options.name, version: options.version ?? '1.0.0' });
  // The SDK looks names up in a plain object, which knows `constructor` and `__proto__` before any tool is there (R99).
  Object.setPrototypeOf(instance['_registeredTools'], null);
  for (const definition of options.tools ?? []) {
    const { name, description, inputSchema, annotations, handler } = definition;
    instance.registerTool(
      name,
      { description, inputSchema, ...(annotations === undefined ? {} : { annotations }) },
      (args: Record<string, unknown>, extra: ToolExtra) => handler(args, extra),
    );
  }
  return { type: 'sdk', name: options.name, instance };
}
