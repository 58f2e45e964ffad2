import { z } from 'zod';
import { createSdkMcpServer, type ToolExtra, type ToolExtras, tool } from '../../src/mcp/tool.ts';
import { type OpenPromise, openPromise } from '../control/open-promise.ts';

export interface Call {
  readonly tag: string;
  readonly extra: ToolExtra;
  readonly answer: OpenPromise<string>;
}

/** A server with a tool `wait` that answers when the test says so, and keeps every call. */
export function serverThatWaits(extras: ToolExtras = {}) {
  const calls: Call[] = [];
  const wait = tool(
    'wait',
    'Waits.',
    { tag: z.string() },
    async ({ tag }, extra) => {
      const answer = openPromise<string>();
      calls.push({ tag, extra, answer });
      return { content: [{ type: 'text', text: await answer.promise }] };
    },
    extras,
  );
  const { instance } = createSdkMcpServer({ name: 'waits', tools: [wait] });
  return { instance, calls, callOf: (tag: string) => calls.find((call) => call.tag === tag) };
}
