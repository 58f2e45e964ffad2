import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { afterEach, describe, expect, it } from 'vitest';
import { processesOf, stage } from './stage.ts';

const struck: (() => void)[] = [];

afterEach(() => {
  for (const strike of struck.splice(0)) strike();
});

/** A server of the older transport on 127.0.0.1: a stream of events, and a path for messages. Resolves with its address. */
async function serveSse(): Promise<string> {
  const transports = new Map<string, SSEServerTransport>();
  const http = createServer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer let-me-in') {
      response.writeHead(403).end('the token is wrong');
      return;
    }
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const known = transports.get(searchParams.get('sessionId') ?? '');
    if (known !== undefined) return known.handlePostMessage(request, response);
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    const server = new McpServer({ name: 'feed', version: '1.0.0' });
    server.registerTool('news', { description: 'Tells news.' }, () => ({
      content: [{ type: 'text', text: 'all is well' }],
    }));
    await server.connect(transport);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  struck.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`;
}

describe('a server over SSE', () => {
  it('is reached with its headers, which no command line shows (P11)', async () => {
    const { start } = await stage();
    const feed = {
      type: 'sse' as const,
      url: await serveSse(),
      headers: { Authorization: 'Bearer let-me-in' },
      required: true,
    };
    const session = await start({ id: 'sse', mcpServers: { feed }, allowedTools: ['mcp__feed__*'] });
    expect((await session.prompt('CALL mcp__feed__news {}').result).text).toContain('all is well');
    expect((await session.mcpServerStatus()).map(({ name, status }) => [name, status])).toEqual([
      ['feed', 'connected'],
    ]);
    const commands = processesOf('sse').map(({ command }) => command);
    expect(commands).not.toEqual([]);
    expect(commands.join('\n')).not.toContain('let-me-in');
  });

  it('fails the start with its name when its token is wrong (MCP_SERVER_FAILED)', async () => {
    const { start } = await stage();
    const headers = { Authorization: 'Bearer let-me-out' };
    const feed = { type: 'sse' as const, url: await serveSse(), headers, required: true };
    const error = await start({ mcpServers: { feed } }).catch((it: unknown) => it);
    expect(error).toMatchObject({ code: 'MCP_SERVER_FAILED', details: { server: 'feed' } });
    expect(JSON.stringify(error)).not.toContain('let-me-out');
  });
});
