import { randomBytes, randomUUID } from 'node:crypto';
import type { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { TroupeError } from '../../errors.ts';
import { isRecord } from '../../wire/fields.ts';

type Message = Record<string, unknown>;

export interface LoopbackHandlers {
  /** The reply of that server; undefined to a notification. */
  mcp(server: string, message: Message): Promise<Message | undefined>;
  /** What the hook says; rejects when it failed. */
  hook(callbackId: string, input: Message): Promise<unknown>;
}

/** The input of a hook is a call of a tool; what is larger is none. */
const MAX_HOOK_BYTES = 64 * 2 ** 20;
const MAX_CONNECTIONS = 256;

/**
 * What a process without a control channel calls instead: servers of this program over HTTP, and its hooks. On 127.0.0.1 alone,
 * at addresses that nobody can guess (P11).
 */
export class Loopback {
  readonly #handlers: LoopbackHandlers;
  readonly #server: Server;
  readonly #secret = randomBytes(24).toString('base64url');
  readonly #transports = new Map<string, StreamableHTTPServerTransport>();
  #port = 0;

  private constructor(handlers: LoopbackHandlers, create: typeof createServer) {
    this.#handlers = handlers;
    this.#server = create((request, response) => void this.#serve(request, response));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // A person may take any time to answer.
    this.#server.requestTimeout = 0;
    this.#server.unref();
  }

  static async open(handlers: LoopbackHandlers): Promise<Loopback> {
    const { createServer } = await import('node:http');
    const loopback = new Loopback(handlers, createServer);
    await new Promise<void>((resolve, reject) => {
      loopback.#server.once('error', (cause) => {
        reject(new TroupeError('SPAWN_FAILED', { reason: 'There is no port for its tools and questions.', cause }));
      });
      loopback.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = loopback.#server.address();
    loopback.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return loopback;
  }

  url(kind: 'mcp' | 'hook', name: string): string {
    return `http://127.0.0.1:${this.#port}/${this.#secret}/${kind}/${encodeURIComponent(name)}`;
  }

  /** A process is over: so are its connections. */
  forget(): void {
    for (const transport of this.#transports.values()) void transport.close().catch(() => {});
    this.#transports.clear();
  }

  close(): void {
    this.forget();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, secret, kind, name = ''] = (request.url ?? '').split('/');
    const isOurs = secret === this.#secret && request.headers.host === `127.0.0.1:${this.#port}`;
    try {
      if (isOurs && kind === 'mcp') await this.#serveMcp(decodeURIComponent(name), request, response);
      else if (isOurs && kind === 'hook') await this.#serveHook(decodeURIComponent(name), request, response);
      else response.writeHead(404).end();
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
    }
  }

  async #serveMcp(server: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#transports.get(id) : undefined;
    await (known ?? (await this.#connect(server))).handleRequest(request, response);
  }

  async #connect(server: string): Promise<StreamableHTTPServerTransport> {
    // No other dialect needs it, and it is large.
    const http = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const transport = new http.StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#transports.set(id, transport);
      },
    });
    transport.onmessage = (message) => void this.#answer(server, transport, message);
    await transport.start();
    return transport;
  }

  async #answer(server: string, transport: StreamableHTTPServerTransport, message: JSONRPCMessage): Promise<void> {
    const id = 'id' in message ? message.id : undefined;
    const reply = await this.#handlers.mcp(server, { ...message }).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      return { jsonrpc: '2.0', id, error: { code: -32_603, message: text } };
    });
    if (id === undefined || reply === undefined) return;
    // Whoever asked may be gone. The host says JSON-RPC, as every server does.
    await transport.send(reply as unknown as JSONRPCMessage, { relatedRequestId: id }).catch(() => {});
  }

  async #serveHook(callbackId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > MAX_HOOK_BYTES) throw new Error('The input of the hook is too large.');
      chunks.push(chunk);
    }
    const input: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const output = await this.#handlers.hook(callbackId, isRecord(input) ? input : {});
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(output ?? {}));
  }
}
