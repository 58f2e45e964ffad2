import type { FakeCli } from './fake-cli.ts';
import type { Answer } from './own-requests.ts';
import type { JsonObject } from './scenario.ts';

interface Server {
  readonly name: string;
  readonly startsAt: 'initialize' | 'prompt';
  status: 'pending' | 'connected' | 'failed';
  tools: readonly string[];
  nextId: number;
  /** Resolves when the server is connected or given up. */
  handshake: Promise<void> | undefined;
  isRetryDue: boolean;
}

/** The in-process servers of the host, and the handshakes with them (WIRE §2, §4). */
export class McpServers {
  readonly #cli: FakeCli;
  readonly #servers = new Map<string, Server>();

  constructor(cli: FakeCli) {
    this.#cli = cli;
  }

  add(name: string, startsAt: 'initialize' | 'prompt', isKnown = false): void {
    this.#servers.set(name, {
      name,
      startsAt,
      status: isKnown ? 'connected' : 'pending',
      tools: [],
      nextId: isKnown ? 2 : 0,
      handshake: isKnown ? Promise.resolve() : undefined,
      isRetryDue: false,
    });
  }

  /** Replaces all servers; returns what changed, as `mcp_set_servers` answers. */
  replace(names: readonly string[]): JsonObject {
    const before = [...this.#servers.keys()];
    for (const name of before) if (!names.includes(name)) this.#servers.delete(name);
    const added = names.filter((name) => !before.includes(name));
    for (const name of added) this.add(name, 'initialize');
    return { added, removed: before.filter((name) => !names.includes(name)), errors: {} };
  }

  has(name: string): boolean {
    return this.#servers.has(name);
  }

  status(): JsonObject[] {
    return [...this.#servers.values()].map(({ name, status }) => ({ name, status, source: 'sdk' }));
  }

  tools(): string[] {
    return [...this.#servers.values()].flatMap((server) => server.tools.map((tool) => `mcp__${server.name}__${tool}`));
  }

  /** Emits `initialize` for every server due at this moment; nothing is waited for. */
  start(moment: 'initialize' | 'prompt'): void {
    for (const server of this.#servers.values()) {
      if (server.handshake === undefined && (moment === 'prompt' || server.startsAt === 'initialize')) {
        server.handshake = this.#connect(server);
      }
    }
  }

  /** The first turn waits here: every server is connected or given up then (WIRE §0.3). */
  async ready(): Promise<void> {
    this.start('prompt');
    const waits: Promise<void>[] = [];
    for (const server of this.#servers.values()) {
      if (server.isRetryDue) server.handshake = this.#retry(server);
      if (server.handshake !== undefined) waits.push(server.handshake);
      if (server.status === 'pending' && server.startsAt === 'initialize' && this.#cli.flavor.repeatsHandshake) {
        waits.push(this.#connect(server));
      }
    }
    await Promise.all(waits);
  }

  async relist(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (server !== undefined) await this.#list(server);
  }

  /** Sends `tools/call`; `abandon` tells the server that nobody waits any more. */
  call(name: string, params: JsonObject): { answer: Promise<Answer>; abandon: () => void } {
    const server = this.#servers.get(name);
    const id = server?.nextId ?? 0;
    if (server !== undefined) server.nextId += 1;
    const answer = this.#send(name, { method: 'tools/call', params, jsonrpc: '2.0', id });
    const abandon = () => {
      const cancel = { requestId: id, reason: 'AbortError' };
      void this.#send(name, { jsonrpc: '2.0', method: 'notifications/cancelled', params: cancel });
    };
    return { answer, abandon };
  }

  async #connect(server: Server): Promise<void> {
    const { mcpAttempts } = this.#cli.flavor;
    for (let attempt = 1; attempt <= mcpAttempts; attempt += 1) {
      const outcome = await this.#greet(server);
      if (outcome === 'connected') return;
      if (outcome === 'refused') {
        server.isRetryDue = attempt === 1 && !this.#cli.hasPrompted;
        break;
      }
    }
    server.status = 'failed';
  }

  async #retry(server: Server): Promise<void> {
    server.isRetryDue = false;
    server.status = (await this.#greet(server)) === 'connected' ? 'connected' : 'failed';
  }

  async #greet(server: Server): Promise<'connected' | 'refused' | 'silent'> {
    server.nextId = 1;
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'claude-code', version: this.#cli.flavor.version },
    };
    const greeting = this.#send(server.name, { method: 'initialize', params, jsonrpc: '2.0', id: 0 });
    const reply = await this.#inTime(greeting);
    if (reply === 'late' || (reply.kind === 'success' && reply.payload.mcp_response === undefined)) return 'silent';
    if (rpcResult(reply) === undefined) return 'refused';
    await this.#inTime(this.#send(server.name, { jsonrpc: '2.0', method: 'notifications/initialized' }));
    await this.#list(server);
    server.status = 'connected';
    return 'connected';
  }

  async #list(server: Server): Promise<void> {
    const id = server.nextId;
    server.nextId += 1;
    const reply = await this.#inTime(this.#send(server.name, { method: 'tools/list', jsonrpc: '2.0', id }));
    if (reply === 'late') {
      const params = { requestId: id, reason: 'timeout' };
      void this.#send(server.name, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
      return;
    }
    const tools = rpcResult(reply)?.tools;
    server.tools = Array.isArray(tools) ? tools.map((tool: JsonObject) => String(tool.name)) : [];
  }

  #send(name: string, message: JsonObject): Promise<Answer> {
    return this.#cli.own.send({ subtype: 'mcp_message', server_name: name, message });
  }

  async #inTime(answer: Promise<Answer>): Promise<Answer | 'late'> {
    const timeoutMs = Number(process.env.MCP_TIMEOUT ?? this.#cli.flavor.mcpTimeoutMs);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
      timer.unref();
    });
    const first = await Promise.race([answer, late]);
    clearTimeout(timer);
    return first;
  }
}

/** The `result` of a JSON-RPC reply inside `mcp_response`. */
export function rpcResult(answer: Answer): JsonObject | undefined {
  if (answer.kind !== 'success') return undefined;
  return (answer.payload.mcp_response as JsonObject | undefined)?.result as JsonObject | undefined;
}

/** The error text of a failed `tools/call`, as the CLI shows it to the model. */
export function rpcError(answer: Answer): string {
  if (answer.kind === 'error') return answer.message;
  if (answer.kind !== 'success') return 'Stream closed';
  const error = (answer.payload.mcp_response as JsonObject | undefined)?.error as JsonObject | undefined;
  return String(error?.message ?? 'invalid MCP reply');
}
