import { z } from 'zod';
import type { SessionOptions } from '../../launch/session-options.ts';
import { createSdkMcpServer, tool } from '../../mcp/tool.ts';
import { type ModelRule, streamText, text, toolUse } from '../../testing/fake-model/script.ts';

/** One session of the demo: what it is asked, and what its offline model answers. */
export interface Scene {
  readonly id: string;
  readonly shows: string;
  readonly prompt: string;
  readonly options: SessionOptions;
  readonly rules: readonly ModelRule[];
}

export const GREETING: Scene = {
  id: 'greeter',
  shows: 'a plain answer, streamed',
  prompt: 'Greet the audience.',
  options: {},
  rules: [
    {
      when: { promptContains: 'Greet the audience' },
      reply: streamText({ text: 'Good evening, and welcome to the show.', delayMs: 120 }),
    },
  ],
};

export const SUM: Scene = {
  id: 'accountant',
  shows: 'a tool that runs in this process',
  prompt: 'How many seats are sold?',
  options: {
    allowedTools: ['mcp__box-office__seats_sold'],
    mcpServers: {
      'box-office': createSdkMcpServer({
        name: 'box-office',
        tools: [
          tool(
            'seats_sold',
            'Adds up the seats sold in two rows.',
            { front: z.number(), back: z.number() },
            async (seats) => ({
              content: [{ type: 'text', text: `${seats.front + seats.back} seats are sold.` }],
            }),
          ),
        ],
      }),
    },
  },
  rules: [
    {
      when: { promptContains: 'seats are sold', isToolResult: false },
      reply: toolUse('mcp__box-office__seats_sold', { front: 19, back: 23 }),
    },
    { when: { isToolResult: true, toolResultContains: '42' }, reply: text('The box office says: 42 seats are sold.') },
  ],
};

export const PROPS: Scene = {
  id: 'stagehand',
  shows: 'a Bash call that waits for permission',
  prompt: 'Put the props on the stage.',
  options: {},
  rules: [
    {
      when: { promptContains: 'props on the stage', isToolResult: false },
      reply: toolUse('Bash', {
        command: 'echo "a chair, a lamp" > stage.txt',
        description: 'Put the props on the stage',
      }),
    },
    { when: { isToolResult: true, promptContains: 'props on the stage' }, reply: text('The stage is set.') },
  ],
};
