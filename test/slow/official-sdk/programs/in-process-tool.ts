import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

const add = tool(
  'add',
  'Adds two numbers',
  { left: z.number().describe('The first number'), right: z.number() },
  async ({ left, right }) => {
    say('called', { left, right });
    return { content: [{ type: 'text', text: `The sum is ${left + right}` }] };
  },
  { annotations: { readOnlyHint: true } },
);

const calculator = createSdkMcpServer({ name: 'calculator', version: '1.0.0', tools: [add] });

const conversation = query({
  prompt: `CALL mcp__calculator__add ${JSON.stringify({ left: 2, right: 3 })}`,
  options: {
    pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude',
    mcpServers: { calculator },
    allowedTools: ['mcp__calculator__add'],
  },
});

for await (const message of conversation) {
  say('message', message);
  if (message.type === 'system' && message.subtype === 'init') say('servers', message.mcp_servers);
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
