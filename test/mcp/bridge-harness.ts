import { type BridgedServer, McpBridge } from '../../src/mcp/mcp-bridge.ts';
import type { ServableServer } from '../../src/mcp/server-hub.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

/** A JSON-RPC reply as it left the bridge. */
export interface Reply {
  readonly jsonrpc: string;
  readonly id: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: results of many methods are read here.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

export type Told =
  | readonly ['handshake' | 'connected', string]
  | readonly ['failed', string, string]
  | readonly ['notification', string, unknown];

/** A bridge and a CLI that speaks to it. */
export function openBridge(servers: Readonly<Record<string, ServableServer>>, timeout?: number) {
  const clock = simulatedClock();
  const told: Told[] = [];
  const bridge = new McpBridge({
    clock,
    handshakeMs: 30_000,
    servers: { get: (name) => (Object.hasOwn(servers, name) ? bridged(servers[name], timeout) : undefined) },
    onHandshakeStarted: (server) => told.push(['handshake', server]),
    onConnected: (server) => told.push(['connected', server]),
    onFailed: (server, reason) => told.push(['failed', server, reason]),
    onNotification: (server, message) => told.push(['notification', server, message]),
  });
  const say = async (server: unknown, message: unknown, signal = new AbortController().signal): Promise<Reply> => {
    const payload = await bridge.handle({ subtype: 'mcp_message', server_name: server, message }, signal);
    return (payload as { mcp_response: Reply }).mcp_response;
  };
  const request = (server: string, id: string | number, method: string, params?: unknown, signal?: AbortSignal) =>
    say(server, { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }, signal);
  const notify = (server: string, method: string, params?: unknown) =>
    say(server, { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  return {
    bridge,
    clock,
    told,
    say,
    request,
    notify,
    call: (server: string, id: string | number, name: string, args: unknown = {}, signal?: AbortSignal) =>
      request(server, id, 'tools/call', { name, arguments: args }, signal),
    cancel: (server: string, requestId: string | number, reason?: string) =>
      notify(server, 'notifications/cancelled', { requestId, ...(reason === undefined ? {} : { reason }) }),
    /** The three messages the CLI sends, with ids from 0 (WIRE §2). */
    handshake: async (server: string): Promise<Reply> => {
      await request(server, 0, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'claude-code', version: '2.1.332' },
      });
      await notify(server, 'notifications/initialized');
      return request(server, 1, 'tools/list');
    },
  };
}

function bridged(instance: ServableServer | undefined, timeout: number | undefined): BridgedServer | undefined {
  return instance === undefined ? undefined : { instance, timeout };
}
