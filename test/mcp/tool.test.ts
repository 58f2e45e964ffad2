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

  it('has a name of its own in its server', () => {
    const twice = tool('twice', 'Twice.', {}, sayHello);
    expect(() => createSdkMcpServer({ name: 'odd', tools: [twice, twice] })).toThrow('already registered');
  });
});

async function sayHello() {
  return { content: [{ type: 'text' as const, text: 'hello' }] };
}
