export interface McpServerInput {
  readonly name: string;
  /** Milliseconds for one attempt to connect. */
  readonly connectMs: number;
  /** Further attempts after a failure, with doubling waits from `minMs` up to `maxMs`. 0 attempts waits to be asked. */
  readonly reconnect: { readonly attempts: number; readonly minMs: number; readonly maxMs: number };
}

export interface McpServerContext extends McpServerInput {
  readonly attempt: number;
  readonly reason: string | null;
}
