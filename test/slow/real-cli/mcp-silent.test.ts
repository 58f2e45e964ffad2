import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { stage } from './stage.ts';

/** A server of this process that shakes hands and never says which tools it has. */
function listless(): Server {
  const server = new Server({ name: 'listless', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => new Promise<never>(() => {}));
  return server;
}

describe('a server of this process that stays silent (WIRE §4)', () => {
  it('goes on without the tools of a server that never lists them, after mcpServerMs and not after 30 s', async () => {
    const { start, model } = await stage({ timeouts: { mcpServerMs: 1_500 } });
    const session = await start({ mcpServers: { listless: { type: 'sdk', name: 'listless', instance: listless() } } });
    const startedAt = performance.now();
    const result = await session.prompt('hello').result;

    expect(result.outcome).toBe('completed');
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    expect(JSON.stringify(model.requests.at(-1)?.body['tools'])).not.toContain('listless');
  });
});
