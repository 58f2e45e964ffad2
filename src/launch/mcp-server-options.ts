/** What a host says about single tools of a server. Unknown names do no harm. */
export interface McpToolPolicy {
  readonly name: string;
  /** `always_ask` asks also where a rule allows the tool. In-process servers know only `always_ask` and `always_deny`. */
  readonly permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
  readonly org_max_permission?: 'allow' | 'ask' | 'blocked';
}

/** When a server that failed is connected again; each wait is twice the one before. */
export interface McpReconnectOptions {
  /** Attempts in a row; a connection makes all of them available again. Default 5. */
  readonly attempts?: number;
  /** First wait, in milliseconds. Default 1 000. */
  readonly minMs?: number;
  /** Longest wait, in milliseconds. Default 30 000. */
  readonly maxMs?: number;
}

/** A server in this process, as `createSdkMcpServer` makes it. Its key may hold A-Z a-z 0-9 `_` and `-`. */
export interface SdkMcpServerOptions<Instance extends object = object> {
  readonly type: 'sdk';
  readonly name: string;
  /** An `McpServer` or `Server` of the official MCP SDK, of whatever copy of that package. */
  readonly instance: Instance;
  /** Milliseconds for each call of a tool, from 1 000; progress does not extend it. Default: none but `MCP_TOOL_TIMEOUT`. */
  readonly timeout?: number;
  readonly tools?: readonly McpToolPolicy[];
  /** True: the session does not become ready without it (MCP_SERVER_FAILED). Default false. Never written to the CLI. */
  readonly required?: boolean;
}

interface ExternalMcpServerOptions {
  /** Milliseconds for each call of a tool, from 1 000; progress does not extend it. Default: none but `MCP_TOOL_TIMEOUT`. */
  readonly timeout?: number;
  /** True: its tools stand in every prompt, and the CLI waits up to 5 s for them. Default: found by tool search. */
  readonly alwaysLoad?: boolean;
  /** True: the session does not become ready without it (MCP_SERVER_FAILED). Default false. Never written to the CLI. */
  readonly required?: boolean;
  /** False: a failure is told and nothing is done about it. Never written to the CLI. */
  readonly reconnect?: false | McpReconnectOptions;
}

/** A server that the CLI starts as a process. */
export interface StdioMcpServerOptions extends ExternalMcpServerOptions {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** May hold secrets: written to a private file, never to the command line (P11). */
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that the CLI reaches over the network. */
export interface RemoteMcpServerOptions extends ExternalMcpServerOptions {
  readonly type: 'sse' | 'http';
  readonly url: string;
  /** May hold secrets: written to a private file, never to the command line (P11). */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tools?: readonly McpToolPolicy[];
}

export type McpServerOptions = SdkMcpServerOptions | StdioMcpServerOptions | RemoteMcpServerOptions;

/** MCP servers by name. */
export type McpServersOption = Readonly<Record<string, McpServerOptions>>;

export const DEFAULT_RECONNECT: Readonly<Required<McpReconnectOptions>> = { attempts: 5, minMs: 1_000, maxMs: 30_000 };
