import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, tool } from '../../src/mcp/tool.ts';
import { openBridge } from './bridge-harness.ts';

describe('a tool in this process', () => {
  it('is listed with its description, its schema and its annotations', async () => {
    const add = tool('add', 'Adds.', { a: z.number(), b: z.number().optional() }, sayHello, {
      annotations: { readOnlyHint: true },
    });
    const { type, name, instance } = createSdkMcpServer({ name: 'calc', tools: [add] });
    expect([type, name]).toEqual(['sdk', 'calc']);

    const { result } = await openBridge({ calc: instance }).handshake('calc');
    expect(result.tools).toMatchObject([
      {
        name: 'add',
        description: 'Adds.',
        annotations: { readOnlyHint: true },
        inputSchema: { type: 'object', required: ['a'], properties: { a: { type: 'number' } } },
      },
    ]);
  });

  it('gets its arguments validated and its defaults filled in', async () => {
    const got: unknown[] = [];
    const greet = tool('greet', 'Greets.', { name: z.string(), times: z.number().default(2) }, async (args) => {
      got.push(args);
      return { content: [] };
    });
    const { instance } = createSdkMcpServer({ name: 'calc', tools: [greet] });
    await openBridge({ calc: instance }).call('calc', 1, 'greet', { name: 'Ada', extra: true });
    expect(got).toEqual([{ name: 'Ada', times: 2 }]);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'may be named %s and is listed and called like any other (R99)',
    async (name) => {
      const { instance } = createSdkMcpServer({ name: 'odd', tools: [tool(name, 'Odd.', {}, sayHello)] });
      const { handshake, call } = openBridge({ odd: instance });
      expect((await handshake('odd')).result.tools.map((listed: { name: string }) => listed.name)).toEqual([name]);
      expect((await call('odd', 2, name)).result).toEqual({ content: [{ type: 'text', text: 'hello' }] });
    },
  );

  it.each(['constructor', '__proto__', 'toString'])(
    'is not found by the name %s that every object has (R99)',
    async (name) => {
      const { instance } = createSdkMcpServer({ name: 'odd', tools: [tool('plain', 'Plain.', {}, sayHello)] });
      const { result } = await openBridge({ odd: instance }).call('odd', 1, name);
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not found') }] });
    },
  );

  it('carries what tool search and the CLI read about it, as the official SDK writes it', async () => {
    const found = tool('found', 'Found.', {}, sayHello, { searchHint: 'hello greet' });
    const shown = tool('shown', 'Shown.', {}, sayHello, {
      alwaysLoad: true,
      _meta: { 'anthropic/maxResultSizeChars': 9_000 },
    });
    const { instance } = createSdkMcpServer({ name: 'calc', tools: [found, shown] });
    const { result } = await openBridge({ calc: instance }).handshake('calc');
    expect(result.tools.map(({ _meta }: { _meta?: unknown }) => _meta)).toEqual([
      { 'anthropic/searchHint': 'hello greet' },
      { 'anthropic/maxResultSizeChars': 9_000, 'anthropic/alwaysLoad': true },
    ]);
  });

  it('is always loaded where its server is, whatever it says itself; the server has instructions and a timeout', async () => {
    const plain = tool('plain', 'Plain.', {}, sayHello, { alwaysLoad: false });
    const made = createSdkMcpServer({
      name: 'calc',
      instructions: 'Be exact.',
      alwaysLoad: true,
      timeout: 7_000,
      tools: [plain],
    });
    expect(made.timeout).toBe(7_000);
    const { request, handshake } = openBridge({ calc: made.instance });
    expect((await handshake('calc')).result.tools).toMatchObject([{ _meta: { 'anthropic/alwaysLoad': true } }]);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    expect((await request('calc', 0, 'initialize', params)).result).toMatchObject({
      serverInfo: { name: 'calc', version: '1.0.0' },
      instructions: 'Be exact.',
    });
  });

  it('may return whatever MCP knows: structured content, images, resources, links, and _meta', async () => {
    const content = [
      { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' },
      { type: 'resource_link' as const, uri: 'file:///a', name: 'a' },
      { type: 'resource' as const, resource: { uri: 'file:///b', text: 'b\u2028c' } },
    ];
    const rich = tool('rich', 'Rich.', {}, async () => ({ content, structuredContent: { sum: 3 }, _meta: { a: 1 } }));
    const { instance } = createSdkMcpServer({ name: 'calc', tools: [rich] });
    const { result } = await openBridge({ calc: instance }).call('calc', 1, 'rich');
    expect(result).toEqual({ content, structuredContent: { sum: 3 }, _meta: { a: 1 } });
  });

  it.each([0, -1, Number.NaN])('has no deadline of %s ms', (timeoutMs) => {
    expect(() => tool('slow', 'Slow.', {}, sayHello, { timeoutMs })).toThrow('"timeoutMs" of the tool "slow"');
  });

  it('has a name of its own in its server', () => {
    const twice = tool('twice', 'Twice.', {}, sayHello);
    expect(() => createSdkMcpServer({ name: 'odd', tools: [twice, twice] })).toThrow('already registered');
  });
});

async function sayHello() {
  return { content: [{ type: 'text' as const, text: 'hello' }] };
}
