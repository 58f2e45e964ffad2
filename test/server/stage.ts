import type { FastifySerializerCompiler } from 'fastify';
import { afterEach } from 'vitest';
import { z } from 'zod';
import { createSupervisor, type Supervisor, type SupervisorOptions } from '../../src/index.ts';
import { type AssembledServer, assembleServer } from '../../src/server/server.ts';
import { parseServerOptions, type ServerOptions } from '../../src/server/server-options.ts';

export const TOKEN = 'owner-token-that-nobody-can-guess-0123456789';
export const READER = 'reader-token-that-nobody-can-guess-012345678';
export const ANSWERER = 'answer-token-that-nobody-can-guess-012345678';
export const CONTROLLER = 'control-token-that-nobody-can-guess-01234567';

export const TOKENS = [
  { name: 'owner', token: TOKEN, scopes: ['read', 'answer', 'control'] },
  { name: 'rita', token: READER, scopes: ['read'] },
  { name: 'ann', token: ANSWERER, scopes: ['read', 'answer'] },
  { name: 'bot', token: CONTROLLER, scopes: ['read', 'control'] },
] as const satisfies ServerOptions['tokens'];

export interface ServerStage extends AssembledServer {
  readonly supervisor: Supervisor;
  /** As the owner asks, unless the headers say otherwise. */
  ask(method: 'GET' | 'POST' | 'DELETE' | 'PUT', url: string, body?: unknown, headers?: Headers): Promise<Answer>;
}

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Of an answer that is JSON. */
  readonly body: Record<string, unknown>;
}

const struck: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const strike of struck.splice(0).reverse()) await strike();
});

/** Every answer is what the OpenAPI document says of it, also once it is text; else the route fails. */
const checkedAgainstSchema: FastifySerializerCompiler<unknown> = ({ schema, method, url, httpStatus }) => {
  return (data) => {
    const text = JSON.stringify(data);
    if (!(schema instanceof z.ZodType)) return text;
    const { error } = schema.safeParse(JSON.parse(text));
    if (error !== undefined) throw new Error(`${method} ${url} ${httpStatus}: ${z.prettifyError(error)} ${text}`);
    return text;
  };
};

/** A server that is asked without a socket; struck after the test. */
export async function serverStage(
  options: Partial<ServerOptions> = {},
  supervisorOptions: SupervisorOptions = {},
): Promise<ServerStage> {
  const supervisor = options.supervisor ?? createSupervisor({ reap: 'off', ...supervisorOptions });
  if (options.supervisor === undefined) struck.push(() => supervisor.shutdown());
  const settings = parseServerOptions({ supervisor, tokens: TOKENS, dashboard: false, ...options });
  const server = await assembleServer(settings, supervisor, checkedAgainstSchema);
  struck.push(() => server.close());
  const ask: ServerStage['ask'] = async (method, url, body, headers = {}) => {
    const answer = await server.app.inject({
      method,
      url,
      headers: { host: 'localhost', authorization: `Bearer ${TOKEN}`, ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const isJson = /json/.test(String(answer.headers['content-type']));
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson ? answer.json() : {},
    };
  };
  return { ...server, supervisor, ask };
}
