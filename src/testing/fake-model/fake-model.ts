import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nameTools } from './message-events.ts';
import { type ModelRequest, type RequestFacts, readRequest } from './model-request.ts';
import { replyChoice } from './reply-choice.ts';
import { deliver, sendError, sendJson } from './reply-delivery.ts';
import { CountLog, RequestLog } from './request-log.ts';
import { checkScript, error, type ModelScript } from './script.ts';

/** Requests kept in `requests` where the script does not say. */
export const DEFAULT_KEPT_REQUESTS = 200;
/** What a request to count tokens is answered where the script does not say. */
export const DEFAULT_COUNTED_TOKENS = 10;
/** A longer request body is answered 413. */
export const MAX_BODY_BYTES = 64 * 2 ** 20;
/** Connections open at the same time; more are refused. */
export const MAX_CONNECTIONS = 1_024;

/** A Messages API on this machine that answers from a script. */
export interface FakeModel extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The variables that make a CLI talk to this server and to nothing else. Lay them over the environment of the child. */
  environment(): Record<string, string>;
  /** The last message requests, oldest first (200 by default), with those under way. Token counts are not among them. */
  readonly requests: readonly ModelRequest[];
  /** The last requests to count tokens, oldest first, and as many at most. */
  readonly counts: readonly RequestFacts[];
  /** The n-th message request, as soon as it has come. Rejects with ABORTED on close, INVALID_OPTIONS when no longer kept. */
  received(ordinal: number): Promise<ModelRequest>;
  /** Ends open answers and connections, and frees the port. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a Messages API on a free port of 127.0.0.1, so that the real CLI runs offline and answers the same every time.
 * Without a script it echoes, and obeys the prompt language (`CALL Bash {…}`, `SLOW 20`, `ERROR 529` …).
 * INVALID_OPTIONS for a script that cannot be kept.
 */
export async function fakeModel(script: ModelScript = {}): Promise<FakeModel> {
  checkScript(script);
  const limit = script.keptRequests ?? DEFAULT_KEPT_REQUESTS;
  const log = new RequestLog(limit);
  const counts = new CountLog(limit);
  const closing = new AbortController();
  const server = createServer(requestHandler(script, { log, counts }, closing.signal));
  server.maxConnections = MAX_CONNECTIONS;
  // An idle connection closed here just as the client reuses it would look like a network error and start a retry.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= closeServer(server, closing, log);
    return closed;
  };
  return {
    url,
    environment: () => offlineEnvironment(url),
    requests: log.kept,
    counts: counts.kept,
    received: (ordinal) => log.received(ordinal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function offlineEnvironment(url: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-offline-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    IS_SANDBOX: '1',
    // A proxy of the surrounding environment cannot reach this machine's loopback.
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}

async function closeServer(server: Server, closing: AbortController, log: RequestLog): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  closing.abort();
  log.close();
  server.closeAllConnections();
  await ended;
}

interface Logs {
  readonly log: RequestLog;
  readonly counts: CountLog;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function requestHandler(script: ModelScript, { log, counts }: Logs, closing: AbortSignal): Handler {
  const choose = replyChoice(script);
  const ids = { message: 0, tool: 0, request: 0 };
  const nextId = (kind: keyof typeof ids, prefix: string): string => {
    ids[kind] += 1;
    return `${prefix}_${String(ids[kind]).padStart(22, '0')}`;
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const requestId = nextId('request', 'req');
    const path = new URL(incoming.url ?? '/', 'http://127.0.0.1').pathname;
    const body = await readBody(incoming);
    const isCount = path === '/v1/messages/count_tokens';
    if (incoming.method !== 'POST' || !(isCount || path === '/v1/messages')) return sendJson(response, 200, {});
    if (body === undefined) {
      return sendError(response, error(413, undefined, 'The body is too long.'), requestId);
    }
    const facts = readRequest(parse(body));
    if (isCount) {
      if (facts !== undefined) counts.add(facts);
      return sendJson(response, 200, { input_tokens: script.countedTokens ?? DEFAULT_COUNTED_TOKENS });
    }
    if (facts === undefined) {
      return sendError(response, error(400, undefined, 'The body is not a message request.'), requestId);
    }

    const { request, settle } = log.add(facts, headerOf(incoming, 'x-claude-code-session-id'));
    const plan = choose(facts, request.ordinal);
    const reply = plan.answer.kind === 'message' ? nameTools(plan.answer, () => nextId('tool', 'toolu')) : plan.answer;
    const head = { id: nextId('message', 'msg'), model: facts.model };
    const delivery = { response, head, requestId, isStreaming: facts.isStreaming, signal: gone.signal };
    response.once('finish', () => settle('answered'));
    const giveUp = (): void => settle(closing.aborted ? 'closed' : 'aborted');
    if (gone.signal.aborted) giveUp();
    else gone.signal.addEventListener('abort', giveUp, { once: true });
    const end = await deliver({ ...plan, answer: reply }, delivery);
    if (end === 'answered') return;
    settle('cut');
    if (end === 'reset') incoming.socket.resetAndDestroy();
    else response.destroy();
  };
  // A client that goes away in the middle is daily life here: its request is noted as aborted, nothing else happens.
  return (request, response) => void answer(request, response).catch(() => response.destroy());
}

/** The whole body; undefined when it is longer than `MAX_BODY_BYTES`. Rejects when the client goes away. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    // The rest is read and dropped, so that the client gets its answer.
    if (byteCount <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return byteCount > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
