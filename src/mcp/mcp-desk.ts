import type { McpServerInput } from '../../machines/mcp-server/mcp-server.context.ts';
import type { McpServerSpec } from '../../machines/session/session.context.ts';
import type { McpNews } from '../../machines/session/session.events.ts';
import type { AbortNotice } from '../abort-notice.ts';
import type { Clock } from '../clock.ts';
import { DEFAULT_RECONNECT } from '../launch/mcp-server-options.ts';
import type { Fact } from '../wire/facts.ts';
import { ExternalServers } from './external-servers.ts';
import { McpBridge } from './mcp-bridge.ts';
import type { ServerChange, ServerSet } from './server-set.ts';
import { type ServerStatus, ServerWatch } from './server-watch.ts';

/** The part of the control channel that MCP needs. */
export interface McpChannel {
  request(
    subtype: string,
    payload: Record<string, unknown>,
    options: { deadlineMs: number },
  ): Promise<Readonly<Record<string, unknown>>>;
  notify(subtype: string, payload: Record<string, unknown>): Promise<unknown>;
}

export interface McpDeskOptions {
  readonly clock: Clock;
  readonly servers: ServerSet;
  /** Milliseconds until a server must be connected. */
  readonly connectMs: number;
  readonly controlMs: number;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly channel: () => McpChannel;
  readonly onNews: (news: McpNews) => void;
  readonly onChanged: (server: string, status: ServerStatus, reason: string | undefined) => void;
}

interface McpParts {
  readonly watch: ServerWatch;
  readonly bridge: McpBridge;
  readonly external: ExternalServers;
  readonly close: () => void;
}

/** All about MCP in one process of a session: the servers in this one, and those of the CLI. */
export class McpDesk {
  /** What the session machine has to know before anything happens. */
  readonly specs: readonly McpServerSpec[];
  readonly #options: McpDeskOptions;
  readonly #stopListening: () => void;
  /** Most sessions have no server: their parts are made when there is something to do. */
  #parts: McpParts | undefined;
  #isClosed = false;

  constructor(options: McpDeskOptions) {
    const { servers } = options;
    this.#options = options;
    servers.launched();
    this.specs = Object.entries(servers.servers).map(([name, { type, required }]) => ({
      name,
      required: required === true,
      isExternal: type !== 'sdk',
    }));
    this.#stopListening = servers.onChange((change) => this.#replaced(change));
  }

  /** Handles one `mcp_message` of the CLI. */
  handle(request: Readonly<Record<string, unknown>>, signal: AbortNotice): Promise<unknown> {
    return this.#built.bridge.handle(request, signal);
  }

  /** The CLI is there, and connects its servers. */
  begin(): void {
    if (this.#hasServers) this.#built.external.begin();
  }

  turnOpened(fact: Fact | undefined): void {
    if (fact?.type === 'turn.opened' && this.#hasServers) this.#built.external.note(fact.mcpServers);
  }

  /** Something may have changed: the CLI is asked what. */
  look(): void {
    if (this.#hasServers) this.#built.external.look();
  }

  /** As `look`, and the servers of this process count, too: somebody may have switched one off. */
  lookAtAll(): void {
    this.#built.external.lookAtAll();
  }

  close(): void {
    this.#stopListening();
    this.#isClosed = true;
    this.#parts?.close();
  }

  /** Or had some. */
  get #hasServers(): boolean {
    return this.#parts !== undefined || !this.#options.servers.isEmpty;
  }

  get #built(): McpParts {
    if (this.#parts !== undefined) return this.#parts;
    const watch = this.#buildWatch();
    const [bridge, external] = [this.#buildBridge(watch), this.#buildExternal(watch)];
    const close = (): void => {
      external.close();
      watch.close();
      bridge.close();
    };
    this.#parts = { watch, bridge, external, close };
    if (this.#isClosed) close();
    return this.#parts;
  }

  #replaced({ added, removed }: ServerChange): void {
    const { watch, bridge, external } = this.#built;
    for (const name of removed) watch.rest(name, 'removed');
    bridge.prune();
    external.begin(added.filter((name) => this.#options.servers.external.includes(name)));
    external.look();
  }

  #buildWatch(): ServerWatch {
    const { clock, connectMs, controlMs, inspect, servers, channel, onNews, onChanged } = this.#options;
    return new ServerWatch({
      clock,
      connectMs,
      inspect,
      policyOf: (name) => policyOf(servers, name),
      reconnect: async (serverName) => {
        await channel().request('mcp_reconnect', { serverName }, { deadlineMs: controlMs });
        this.#built.external.look();
      },
      onChanged: (server, status, reason) => {
        onChanged(server, status, reason);
        const news = newsOf(server, status, reason);
        if (news !== undefined) onNews(news);
      },
    });
  }

  #buildBridge(watch: ServerWatch): McpBridge {
    const { clock, connectMs, servers, channel } = this.#options;
    return new McpBridge({
      clock,
      handshakeMs: connectMs,
      servers,
      onHandshakeStarted: (server) => watch.handshakeStarted(server),
      onConnected: (server) => watch.connected(server),
      onFailed: (server, reason) => watch.failed(server, reason),
      onNotification: (server, message) => {
        // Its acknowledgement says nothing, so a flood of progress takes no place of a request (P10).
        void channel().notify('mcp_message', { server_name: server, message });
      },
    });
  }

  #buildExternal(watch: ServerWatch): ExternalServers {
    const { clock, connectMs, controlMs, servers, channel, onNews } = this.#options;
    return new ExternalServers({
      clock,
      watch,
      names: () => servers.external,
      isInProcess: (name) => servers.get(name) !== undefined,
      // A release that never answers must be found out before the time for the servers themselves is over.
      ask: () => channel().request('mcp_status', {}, { deadlineMs: Math.min(controlMs, connectMs / 2) }),
      roundMs: connectMs,
      onUntold: (reason) => {
        for (const server of servers.external) onNews({ type: 'mcp.untold', server, reason });
      },
    });
  }
}

function policyOf(servers: ServerSet, name: string): McpServerInput['reconnect'] | undefined {
  const wanted = servers.reconnectOf(name);
  if (wanted === undefined) return undefined;
  const { attempts = DEFAULT_RECONNECT.attempts, minMs = DEFAULT_RECONNECT.minMs } = wanted;
  return { attempts, minMs, maxMs: Math.max(minMs, wanted.maxMs ?? DEFAULT_RECONNECT.maxMs) };
}

function newsOf(server: string, status: ServerStatus, reason = 'unknown reason'): McpNews | undefined {
  if (status === 'connecting') return { type: 'mcp.handshake-started', server };
  if (status === 'connected') return { type: 'mcp.connected', server };
  if (status === 'failed') return { type: 'mcp.failed', server, reason };
  if (status === 'needs-auth') return { type: 'mcp.failed', server, reason: 'it needs somebody to log in' };
  return status === 'disabled' ? { type: 'mcp.failed', server, reason: 'it is disabled' } : undefined;
}
