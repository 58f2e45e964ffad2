import { spawn } from 'node:child_process';
import type { JsonObject } from './scenario.ts';

/** How a process without a control channel asks its host: over HTTP, and by running commands. Rejects where that fails. */
export type Carrier = (request: JsonObject) => Promise<JsonObject>;

/** `servers` by name, and the full name of the tool that decides about others. */
export function printCarrier(servers: Readonly<Record<string, JsonObject>>, permissionTool: string): Carrier {
  const connections = new Map<string, Promise<string>>();
  const call = async (server: string, message: JsonObject): Promise<JsonObject> => {
    const url = String(servers[server]?.url);
    // One handshake of the connection, however often the fake itself greets the server.
    const connection = connections.get(server) ?? connect(url);
    connections.set(server, connection);
    const { reply } = await post(url, message, await connection);
    return reply ?? {};
  };
  return async (request) => {
    if (request.subtype === 'mcp_message') {
      const message = request.message as JsonObject;
      const isGreeting = message.method === 'initialize' || message.method === 'notifications/initialized';
      if (!isGreeting) return { mcp_response: await call(String(request.server_name), message) };
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
      return { mcp_response: { jsonrpc: '2.0', id: message.id, result } };
    }
    if (request.subtype === 'hook_callback') return run(String(request.callback_id), request.input as JsonObject);
    const [, server = '', ...name] = permissionTool.split('__');
    const { tool_name, input, tool_use_id } = request;
    const params = { name: name.join('__'), arguments: { tool_name, input, tool_use_id } };
    const reply = await call(server, {
      jsonrpc: '2.0',
      id: `ask-${String(tool_use_id)}`,
      method: 'tools/call',
      params,
    });
    const [content] = (reply.result as { content: { text: string }[] }).content;
    return JSON.parse(content?.text ?? '{}') as JsonObject;
  };
}

/** Hooks of a settings file as the fake keeps those of `initialize`: each is known by its command. */
export function commandHooks(settings: JsonObject): JsonObject {
  const hooks = (settings.hooks ?? {}) as Readonly<
    Record<string, { matcher?: string; hooks: { command: string }[] }[]>
  >;
  const entries = Object.entries(hooks).map(([event, list]) => [
    event,
    list.map(({ matcher, hooks: each }) => ({ matcher, hookCallbackIds: each.map(({ command }) => command) })),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

async function connect(url: string): Promise<string> {
  const clientInfo = { name: 'claude-code', version: '0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const { session } = await post(url, { jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  return session;
}

async function post(url: string, message: JsonObject, session = ''): Promise<{ reply?: JsonObject; session: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === '' ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  const named = { session: response.headers.get('mcp-session-id') ?? session };
  const data = text.split('\n').find((line) => line.startsWith('data: {'));
  const body = data?.slice('data: '.length) ?? text;
  return body.startsWith('{') ? { reply: JSON.parse(body) as JsonObject, ...named } : named;
}

function run(command: string, input: JsonObject): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output === '' ? {} : (JSON.parse(output) as JsonObject));
      else reject(new Error(`The hook ended with ${String(code)}.`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
  });
}
