import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type Session, type ToolDefinition, tool } from '../../../src/index.ts';
import { type Stage, stage } from './stage.ts';

const allowedTools = ['a', 'b', 'make', 'later'].map((name) => `mcp__kit__${name}`);
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

describe('what a tool of this process returns', () => {
  it.each([
    ['structured content', { ...say('plain'), structuredContent: { sum: 3 } }, '{"sum":3}'],
    ['nothing', { content: [] }, 'completed with no output'],
    [
      'a resource',
      { content: [{ type: 'resource' as const, resource: { uri: 'file:///b', text: 'inside' } }] },
      'inside',
    ],
    ['a link', { content: [{ type: 'resource_link' as const, uri: 'file:///a', name: 'a' }] }, 'file:///a'],
    ['line separators (R10)', say('one\u2028two\u2029three'), 'one\u2028two\u2029three'],
    ['an error', { ...say('it went wrong'), isError: true }, 'it went wrong'],
  ])('reaches the model: %s (PEER test_sdk_mcp_integration)', async (_title, result, told) => {
    const { toolResult } = await ask(tool('make', 'Makes.', {}, async () => result));
    const { content, is_error: isError } = toolResult();
    expect(typeof content === 'string' ? content : textOf(content)).toContain(told);
    expect(isError === true).toBe('isError' in result);
  });

  it('reaches the model as an image where it is one', async () => {
    const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
    const { toolResult } = await ask(tool('make', 'Makes.', {}, async () => ({ content: [image] })));
    expect(toolResult().content).toContainEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG },
    });
  });

  it('goes to a file when it is large, and the model gets its beginning and its place (PEER test_mcp_large_output)', async () => {
    const { toolResult } = await ask(tool('make', 'Makes.', {}, async () => say('x'.repeat(400_000))));
    const content = toolResult().content;
    const text = typeof content === 'string' ? content : textOf(content);
    expect(text.length).toBeLessThan(20_000);
    const path = /saved to:? (\S+?)\.?(\s|$)/.exec(text)?.[1] ?? '';
    expect(readFileSync(path, 'utf8')).toContain('x'.repeat(400_000));
  });

  it('stays in the prompt up to the size its listing names (anthropic/maxResultSizeChars)', async () => {
    const make = tool('make', 'Makes.', {}, async () => say('y'.repeat(150_000)), {
      _meta: { 'anthropic/maxResultSizeChars': 400_000 },
    });
    const { toolResult } = await ask(make);
    expect(textOf(toolResult().content)).toBe('y'.repeat(150_000));
  });
});

describe('calls at the same time (R98)', () => {
  it('run together where the tools only read, and one after the other where they do not', async () => {
    for (const readOnlyHint of [true, false]) {
      const seen: string[] = [];
      const two = ['a', 'b'].map((name) =>
        tool(
          name,
          'Reads.',
          {},
          async (_, { _meta }) => {
            seen.push(`${name} began`);
            // Together or not, each call carries the id of its tool use and a token for its progress (WIRE §2).
            expect(_meta).toMatchObject({ 'claudecode/toolUseId': expect.stringMatching(/^toolu_/) });
            expect(_meta?.progressToken).toBeDefined();
            // Where they run together the first one waits for the second; else the second has its chance to begin too early.
            if (readOnlyHint) await expect.poll(() => seen, { timeout: 20_000 }).toContain('b began');
            else await new Promise((resolve) => setTimeout(resolve, 100));
            seen.push(`${name} ended`);
            return say(name);
          },
          { annotations: { readOnlyHint } },
        ),
      );
      const { session } = await open(two);
      const calls = ['a', 'b'].map((name) => ({ name: `mcp__kit__${name}`, input: {} }));
      const { text } = await session.prompt(`CALLS ${JSON.stringify(calls)}`).result;
      expect(text).toContain('"text":"a"');
      expect(text).toContain('"text":"b"');
      expect(seen.slice(0, 2)).toEqual(readOnlyHint ? ['a began', 'b began'] : ['a began', 'a ended']);
    }
  });
});

describe('what a server says on its own', () => {
  it('as progress and as a log disturbs neither the call nor the session (R99)', async () => {
    const make = tool('make', 'Makes.', { steps: z.number() }, async ({ steps }, { _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken ?? 0;
      for (let progress = 1; progress <= steps; progress += 1) {
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: steps, message: `step ${progress}` },
        });
      }
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'a line of a log' } });
      return say('made');
    });
    const { session } = await open([make], { logging: {} });
    expect((await session.prompt('CALL mcp__kit__make {"steps":200}').result).text).toContain('made');
    expect((await session.prompt('hello').result).text).toContain('hello');
  });

  it('about its list of tools brings a new one to the next turn, where the release listens (WIRE §2, §23)', async () => {
    const { session, kit, cli } = await open([tool('make', 'Makes.', {}, async () => say('made'))]);
    await session.prompt('CALL mcp__kit__make {}').result;
    kit.instance.registerTool('later', { description: 'Came later.' }, async () => say('better late'));
    const names = async () => (await session.mcpServerStatus())[0]?.tools?.map(({ name }) => name);
    const listens = cli.since('2.1.290');
    if (listens) await expect.poll(names).toEqual(['make', 'later']);
    const { text } = await session.prompt('CALL mcp__kit__later {}').result;
    expect(text).toContain(listens ? 'better late' : 'No such tool available');
  });
});

type AnyTool = ToolDefinition<Record<string, never>>;
interface ToolResult {
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  readonly is_error?: boolean;
}

async function open(
  tools: readonly unknown[],
  more: object = {},
): Promise<Stage & { session: Session; kit: ReturnType<typeof kitOf> }> {
  const set = await stage();
  const kit = kitOf(tools);
  kit.instance.server.registerCapabilities(more);
  return { ...set, kit, session: await set.start({ mcpServers: { kit }, allowedTools }) };
}

function kitOf(tools: readonly unknown[]) {
  return createSdkMcpServer({ name: 'kit', tools: tools as AnyTool[] });
}

/** Calls the tool `make` once, and finds what the model was told of it. */
async function ask(make: unknown) {
  const { session, model } = await open([make]);
  expect((await session.prompt('CALL mcp__kit__make {}').result).outcome).toBe('completed');
  const toolResult = (): ToolResult => {
    const { messages } = (model.requests.at(-1)?.body ?? {}) as { messages?: { content: unknown }[] };
    const blocks = (messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
    return blocks.findLast((block) => block.type === 'tool_result');
  };
  return { toolResult };
}

function textOf(content: ToolResult['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}
