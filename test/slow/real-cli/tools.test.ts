import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, tool } from '../../../src/index.ts';
import { eventOf, stage, statesOf } from './stage.ts';

const call = (name: string, input: object = {}) => `CALL mcp__${name} ${JSON.stringify(input)}`;

function calculator() {
  return createSdkMcpServer({
    name: 'calc',
    tools: [
      tool('add', 'Adds.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
        content: [{ type: 'text', text: `sum ${a + b}` }],
      })),
      tool('refuse', 'Returns an error.', {}, async () => ({
        content: [{ type: 'text', text: 'the calculator is closed' }],
        isError: true,
      })),
      tool('explode', 'Throws.', {}, async () => {
        throw new Error('the calculator exploded');
      }),
    ],
  });
}

const clock = () =>
  createSdkMcpServer({
    name: 'clock',
    tools: [tool('now', 'Tells the time.', {}, async () => ({ content: [{ type: 'text', text: 'it is noon' }] }))],
  });

const allowedTools = [
  'mcp__calc__add',
  'mcp__calc__refuse',
  'mcp__calc__explode',
  'mcp__clock__now',
  'mcp__slow__wait',
];

describe('in-process servers on the real CLI', () => {
  it('passes mcp-setup and connects one server before the first prompt (WIRE §2)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { calc: calculator() } });

    expect(statesOf(session)).toEqual(['waiting', 'spawning', 'initializing', 'mcp-setup', 'ready']);
    expect(session.explain().degradedServers).toEqual([]);
  });

  it('connects two servers and lists both to the model (WIRE §2)', async () => {
    const { start, model } = await stage();
    const session = await start({ mcpServers: { calc: calculator(), clock: clock() }, allowedTools });
    const first = await session.prompt(call('calc__add', { a: 2, b: 40 })).result;
    const second = await session.prompt(call('clock__now')).result;

    expect(first.text).toContain('sum 42');
    expect(second.text).toContain('it is noon');
    expect(JSON.stringify(model.requests[0]?.body)).toContain('mcp__clock__now');
  });

  it('hands results, error results and throws to the model and keeps the server (WIRE §4)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { calc: calculator() }, allowedTools });

    expect((await session.prompt(call('calc__refuse')).result).text).toContain('the calculator is closed');
    expect((await session.prompt(call('calc__explode')).result).text).toContain('the calculator exploded');
    expect((await session.prompt(call('calc__add', { a: 'two' })).result).outcome).toBe('completed');
    expect((await session.prompt(call('calc__add', { a: 1, b: 1 })).result).text).toContain('sum 2');
  });

  it('shares one server among sessions at the same time', async () => {
    const { start } = await stage();
    const shared = calculator();
    const sessions = await Promise.all([1, 2].map(() => start({ mcpServers: { calc: { ...shared } }, allowedTools })));
    const results = await Promise.all(
      sessions.map((session, index) => session.prompt(call('calc__add', { a: index, b: 10 })).result),
    );

    expect(results.map(({ text }) => /sum \d+/.exec(text ?? '')?.[0])).toEqual(['sum 10', 'sum 11']);
  });

  it('aborts a running tool when the turn is interrupted (R97)', async () => {
    const aborted: string[] = [];
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const server = createSdkMcpServer({
      name: 'slow',
      tools: [
        tool('wait', 'Waits.', {}, async (_, { signal }) => {
          begin();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          aborted.push('wait');
          return { content: [{ type: 'text', text: 'never heard' }] };
        }),
      ],
    });
    const { start } = await stage();
    const session = await start({ mcpServers: { slow: server }, allowedTools });
    const turn = session.prompt(call('slow__wait'));
    await begun;
    const receipt = await session.interrupt();

    expect(receipt.effect).toBe('interrupted');
    expect((await turn.result).outcome).toBe('interrupted');
    expect(aborted).toEqual(['wait']);
  });

  it('asks for permission before an in-process tool that was not allowed', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { calc: calculator() } });
    const turn = session.prompt(call('calc__add', { a: 1, b: 2 }));
    const { requestId, toolName } = await eventOf(session, 'permission.requested');
    await session.permissions.answer(requestId, { behavior: 'allow' });

    expect(toolName).toBe('mcp__calc__add');
    expect((await turn.result).text).toContain('sum 3');
  });
});
