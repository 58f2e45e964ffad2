import type { JSONRPCClient } from 'json-rpc-2.0';
import { TroupeError } from '../../errors.ts';
import { isRecord } from '../../wire/fields.ts';
import type { HookMatchers } from './calls.ts';

/** What a session has of the front end that starts it: hooks and servers that run there. */
export interface FrontEndParts {
  readonly hooks?: Readonly<Record<string, readonly FrontEndHook[]>>;
  readonly mcpServers?: Readonly<Record<string, FrontEndServer>>;
}

interface FrontEndHook {
  readonly matcher?: string;
  readonly timeout?: number;
  readonly onFailure?: 'continue' | 'block';
  readonly hooks: readonly ((input: unknown, toolUseId: string | undefined) => Promise<unknown>)[];
}

export interface FrontEndServer {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: RelayedServer;
}

type Ask = Pick<JSONRPCClient<void>, 'request' | 'notify'>;

/** Hooks that are called, and servers that are asked, over the connection. One that is gone fails like one that throws. */
export function frontEndParts(
  client: Ask,
  given: { readonly hooks?: HookMatchers | null | undefined; readonly servers?: readonly string[] | null | undefined },
): FrontEndParts & { readonly relays: ReadonlyMap<string, RelayedServer> } {
  const relays = new Map((given.servers ?? []).map((name) => [name, new RelayedServer(client, name)]));
  const hooks = Object.entries(given.hooks ?? {}).map(([event, matchers]) => [
    event,
    matchers.map(({ matcher, hook_ids: ids, timeout, on_failure: onFailure }) => ({
      ...(typeof matcher === 'string' ? { matcher } : {}),
      ...(typeof timeout === 'number' ? { timeout } : {}),
      ...(onFailure ? { onFailure } : {}),
      hooks: ids.map((id) => (input: unknown, toolUseId: string | undefined) => callHook(client, id, input, toolUseId)),
    })),
  ]);
  const servers = [...relays].map(([name, instance]) => [name, { type: 'sdk', name, instance }] as const);
  return {
    relays,
    ...(hooks.length === 0 ? {} : { hooks: Object.fromEntries(hooks) }),
    ...(servers.length === 0 ? {} : { mcpServers: Object.fromEntries(servers) }),
  };
}

async function callHook(client: Ask, id: string, input: unknown, toolUseId: string | undefined): Promise<unknown> {
  return client.request('hook', {
    hook_id: id,
    input,
    ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
  });
}

/** How a server is connected to: the part of a transport of MCP that is used here. */
interface ServerTransport {
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
}

const SERVER_FAILED = -32_000;

/** A server of the front end, as a session sees it: each message goes over, and what it answers comes back (WIRE §2). */
export class RelayedServer {
  readonly #client: Ask;
  readonly #name: string;
  #transport: ServerTransport | undefined;

  constructor(client: Ask, name: string) {
    this.#client = client;
    this.#name = name;
  }

  async connect(transport: ServerTransport): Promise<void> {
    this.#transport = transport;
    transport.onmessage = (message: unknown) => void this.#relay(message);
    await transport.start();
  }

  async close(): Promise<void> {
    const transport = this.#transport;
    this.#transport = undefined;
    transport?.onclose?.();
  }

  /** Something the server says by itself. */
  hear(message: unknown): void {
    this.#say(message);
  }

  async #relay(message: unknown): Promise<void> {
    const id = isRecord(message) ? message['id'] : undefined;
    const params = { server_name: this.#name, message };
    if (id === undefined || id === null) {
      this.#client.notify('mcp_message', params);
      return;
    }
    try {
      const answer: unknown = await this.#client.request('mcp_message', params);
      this.#say(isRecord(answer) ? answer['mcp_response'] : undefined);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#say({ jsonrpc: '2.0', id, error: { code: SERVER_FAILED, message: text } });
    }
  }

  #say(message: unknown): void {
    if (isRecord(message)) this.#transport?.send(message as never).catch(() => {});
  }
}

/** Throws REQUEST_INVALID. */
export function assertNamed(relays: ReadonlyMap<string, RelayedServer>, name: string): RelayedServer {
  const relay = relays.get(name);
  if (relay === undefined) throw new TroupeError('REQUEST_INVALID', { details: { field: 'params.server_name' } });
  return relay;
}
