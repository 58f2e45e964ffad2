import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient } from 'json-rpc-2.0';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  createMessageConnection,
  type DataCallback,
  type Message,
  ResponseError,
} from 'vscode-jsonrpc/node';

export type Json = Readonly<Record<string, unknown>>;

/** How text reaches the engine, whatever carries it. */
export interface Pipe {
  send(frame: string): void;
  listen(hear: (frame: string) => void): void;
}

/** What a public library makes of it: nothing of ours is inside. */
export interface PublicClient {
  readonly name: string;
  call(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  readonly notices: readonly { readonly method: string; readonly params: Json }[];
  /** Answers every `permission_request`. */
  decide: (question: Json) => unknown;
}

export const PUBLIC_CLIENTS: readonly ((pipe: Pipe) => PublicClient)[] = [jsonRpc2Client, vscodeClient];

const NOTICES = ['assistant_token', 'tool_use_start', 'tool_result', 'turn_complete', 'permission_resolved'];

/** The package `json-rpc-2.0`. */
export function jsonRpc2Client(pipe: Pipe): PublicClient {
  const both = new JSONRPCServerAndClient(
    new JSONRPCServer(),
    new JSONRPCClient((frame) => pipe.send(JSON.stringify(frame))),
  );
  pipe.listen((frame) => void both.receiveAndSend(JSON.parse(frame)));
  const client: PublicClient & { notices: { method: string; params: Json }[] } = {
    name: 'json-rpc-2.0',
    call: async (method, params) => both.request(method, params),
    notify: (method, params) => both.notify(method, params),
    notices: [],
    decide: () => ({ decision: 'deny' }),
  };
  for (const method of NOTICES) both.addMethod(method, (params: Json) => void client.notices.push({ method, params }));
  both.addMethod('permission_request', (question: Json) => client.decide(question));
  return client;
}

/** The package `vscode-jsonrpc`, as editors use it, with one message a line. */
export function vscodeClient(pipe: Pipe): PublicClient {
  const connection = createMessageConnection(new LineMessages(pipe), new LineWriter(pipe));
  const client: PublicClient & { notices: { method: string; params: Json }[] } = {
    name: 'vscode-jsonrpc',
    call: (method, params) => connection.sendRequest(method, params),
    notify: (method, params) => void connection.sendNotification(method, params),
    notices: [],
    decide: () => ({ decision: 'deny' }),
  };
  connection.onNotification((method, params) => {
    client.notices.push({ method, params: params as unknown as Json });
  });
  connection.onRequest('permission_request', (question: Json) => client.decide(question));
  connection.onError(() => {});
  connection.listen();
  return client;
}

/** The code of a JSON-RPC error, as each library throws it. */
export function codeOf(error: unknown): unknown {
  return error instanceof ResponseError || (error instanceof Error && 'code' in error) ? error.code : error;
}

class LineMessages extends AbstractMessageReader {
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    super();
    this.#pipe = pipe;
  }

  override listen(callback: DataCallback) {
    this.#pipe.listen((frame) => callback(JSON.parse(frame) as Message));
    return { dispose: () => {} };
  }
}

class LineWriter extends AbstractMessageWriter {
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    super();
    this.#pipe = pipe;
  }

  async write(message: Message): Promise<void> {
    this.#pipe.send(JSON.stringify(message));
  }

  end(): void {}
}
