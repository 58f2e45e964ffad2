export type McpServerEvent =
  /** The CLI opened the MCP handshake; it may do so again at any time (WIRE §2). */
  | { type: 'server.handshake-started' }
  | { type: 'server.connected' }
  | { type: 'server.failed'; reason: string }
  /** Somebody asked for a new attempt. */
  | { type: 'server.reconnect' };

export type McpServerNotice = {
  type: 'state.entered';
  state: 'connecting' | 'connected' | 'failed' | 'waiting';
  reason?: string;
};
