import { setImmediate as nextLoop } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  McpError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type ToolExtra, tool } from '../../src/mcp/tool.ts';
import { openBridge } from './bridge-harness.ts';

type Handler = (args: Record<string, unknown>, extra: ToolExtra) => Promise<CallToolResult>;

const SHAPE = { text: z.string(), times: z.number().default(2), more: z.object({ deep: z.boolean() }).optional() };

/** A server of ours and one that the SDK made, with the same tool. */
function bothWith(handler: Handler) {
  const ours = createSdkMcpServer({ name: 'both', tools: [tool('echo', 'Echo.', SHAPE, handler)] }).instance;
  const theirs = new McpServer({ name: 'both', version: '1.0.0' });
  theirs.registerTool('echo', { description: 'Echo.', inputSchema: SHAPE }, handler);
  return { ours, theirs, bridge: openBridge({ ours, theirs }) };
}

/** What both reply to the same `tools/call`. */
async function repliesTo(params: unknown, handler: Handler) {
  const { bridge } = bothWith(handler);
  const ask = async (server: string) =>
    JSON.parse(JSON.stringify(await bridge.request(server, 7, 'tools/call', params)));
  return { direct: await ask('ours'), official: await ask('theirs') };
}

const returning =
  (result: unknown): Handler =>
  async () =>
    result as CallToolResult;
const ARGUMENTS = { text: 'a' };
const BROKEN = {
  get content() {
    throw new Error('unreadable');
  },
};
const text = { type: 'text' as const, text: 'hello' };

describe('a call of a tool that was made here (WIRE §2, §4)', () => {
  it('does not go through the JSON-RPC of the SDK: its signal is made when somebody looks', async () => {
    let seen: ToolExtra | undefined;
    const { bridge } = bothWith(async (_, extra) => {
      seen = extra;
      return { content: [] };
    });
    await bridge.call('ours', 1, 'echo', ARGUMENTS);
    expect(Object.getOwnPropertyDescriptor(seen, 'signal')?.get).toBeDefined();
    await bridge.call('theirs', 1, 'echo', ARGUMENTS);
    expect(Object.getOwnPropertyDescriptor(seen, 'signal')?.get).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['text', { content: [text] }],
    ['a failure', { content: [text], isError: true }],
    ['fields of its own', { content: [{ ...text, own: 1 }], own: 2 }],
    ['annotations', { content: [{ ...text, annotations: { priority: 1 }, _meta: { a: 1 } }] }],
    ['structure alone', { structuredContent: { sum: 3 } }],
    ['an image', { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }],
    ['an unknown kind', { content: [{ type: 'smell' }] }],
    ['a hole', { content: new Array(1) }],
    ['what is no text', { content: [{ type: 'text', text: 3 }] }],
    ['what is no failure', { content: [], isError: 'yes' }],
    ['what writes itself', { content: [Object.assign(Object.create({ toJSON: () => 'x' }), text)] }],
    ['content that is no list', { content: 'hello' }],
    ['what cannot be read', BROKEN],
    ['nothing', undefined],
    ['null', null],
    ['a word', 'hello'],
  ])('is replied to as the SDK does where it returns %s', async (_, result) => {
    const { direct, official } = await repliesTo({ name: 'echo', arguments: ARGUMENTS }, returning(result));
    expect(direct).toEqual(official);
  });

  it.each<[string, unknown]>([
    ['an error', new Error('broken')],
    ['what is no error', 'broken'],
    ['an error of the protocol', new McpError(ErrorCode.InvalidParams, 'odd', { why: 1 })],
    ['a wish to go somewhere first', new UrlElicitationRequiredError([])],
  ])('is replied to as the SDK does where it throws %s (R98)', async (_, error) => {
    const { direct, official } = await repliesTo({ name: 'echo', arguments: ARGUMENTS }, async () => {
      throw error;
    });
    expect(direct).toEqual(official);
  });

  it.each<[string, unknown]>([
    ['no arguments', { name: 'echo' }],
    ['arguments of another shape', { name: 'echo', arguments: { text: 3 } }],
    ['arguments that are none', { name: 'echo', arguments: [] }],
    ['a tool that is not there', { name: 'other', arguments: ARGUMENTS }],
    ['no tool', { arguments: ARGUMENTS }],
    ['a task', { name: 'echo', arguments: ARGUMENTS, task: {} }],
    ['a task that is none', { name: 'echo', arguments: ARGUMENTS, task: 3 }],
    [
      'what belongs to a task',
      { name: 'echo', arguments: ARGUMENTS, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'a' } } },
    ],
    ['a note that is none', { name: 'echo', arguments: ARGUMENTS, _meta: 3 }],
    ['no object', 3],
  ])('is replied to as the SDK does where it names %s (R99)', async (_, params) => {
    const { direct, official } = await repliesTo(params, returning({ content: [text] }));
    expect(direct).toEqual(official);
  });

  it('has its arguments seen by the same schema, and gives its handler the same, whatever they are', async () => {
    const one = fc.record(
      { text: fc.oneof(fc.string(), fc.integer()), times: fc.jsonValue(), more: fc.jsonValue(), odd: fc.jsonValue() },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        one,
        fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
        async (args, meta) => {
          const seen: unknown[] = [];
          const params = { name: 'echo', arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
          const { direct, official } = await repliesTo(params, async (given, { _meta }) => {
            seen.push({ given, _meta });
            return { content: [text] };
          });
          expect(direct).toEqual(official);
          expect(seen[0]).toEqual(seen[1]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a tool that somebody changed', () => {
  const disabled = { result: { isError: true, content: [{ text: expect.stringContaining('disabled') }] } };

  it('is the changed one, and one that was switched off runs no more (R99)', async () => {
    const { ours, bridge } = bothWith(returning({ content: [text] }));
    const registered = ours['_registeredTools']['echo'];
    registered?.update({ callback: async () => ({ content: [{ type: 'text' as const, text: 'changed' }] }) });
    expect(await bridge.call('ours', 1, 'echo', ARGUMENTS)).toMatchObject({
      result: { content: [{ text: 'changed' }] },
    });
    registered?.disable();
    expect(await bridge.call('ours', 2, 'echo', ARGUMENTS)).toMatchObject(disabled);
  });

  it('is seen by a schema that was put in the place of its own', async () => {
    const { ours, bridge } = bothWith(returning({ content: [text] }));
    ours['_registeredTools']['echo']?.update({ paramsSchema: { number: z.number() } });
    expect(await bridge.call('ours', 1, 'echo', ARGUMENTS)).toMatchObject({ result: { isError: true } });
    expect(await bridge.call('ours', 2, 'echo', { number: 1 })).toMatchObject({ result: { content: [text] } });
  });

  it('is called by nobody where the server has its calls handled otherwise', async () => {
    const { ours, bridge } = bothWith(returning({ content: [text] }));
    const other = { content: [{ type: 'text' as const, text: 'other' }] };
    ours.server.setRequestHandler(CallToolRequestSchema, () => other);
    expect(await bridge.call('ours', 1, 'echo', ARGUMENTS)).toMatchObject({ result: other });
  });
});

describe('a direct call that is given up (R97)', () => {
  it('aborts the signal that its handler looks at, now or later, and sends nothing more', async () => {
    let seen: ToolExtra | undefined;
    const { bridge } = bothWith(async (_, extra) => {
      seen = extra;
      await nextLoop();
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
      return { content: [] };
    });
    const reply = bridge.call('ours', 3, 'echo', ARGUMENTS);
    while (seen === undefined) await Promise.resolve();
    await bridge.cancel('ours', 3, 'enough');
    expect(await reply).toMatchObject({ id: 3, error: { message: 'enough' } });
    await nextLoop();
    expect(seen.signal).toMatchObject({ aborted: true, reason: 'enough' });
    expect(bridge.told.filter(([what]) => what === 'notification')).toEqual([]);
    await expect(seen.sendRequest({ method: 'ping' }, z.looseObject({}))).rejects.toThrow('Request was cancelled');
  });

  it('is aborted as well when the owner closes the server (P5)', async () => {
    let seen: ToolExtra | undefined;
    const { ours, bridge } = bothWith((_, extra) => {
      seen = extra;
      return new Promise(() => {});
    });
    const reply = bridge.call('ours', 3, 'echo', ARGUMENTS);
    while (seen === undefined) await Promise.resolve();
    await ours.close();
    expect(await reply).toMatchObject({ error: { code: -32000 } });
    expect(seen.signal.aborted).toBe(true);
  });
});
