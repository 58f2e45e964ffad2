import { query, startup } from '@anthropic-ai/claude-agent-sdk';

const options = { pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude' };

const warm = await startup({ options, initializeTimeoutMs: 60_000 });
for await (const message of warm.query('hello')) say('message', message);

await using unused = await startup({ options });
unused.close();

const conversation = query({ prompt: 'one', options });
let isAdded = false;
for await (const message of conversation) {
  say('message', message);
  if (message.type !== 'system' || isAdded) continue;
  isAdded = true;
  await conversation.streamInput(
    (async function* () {
      yield { type: 'user' as const, message: { role: 'user' as const, content: 'two' }, parent_tool_use_id: null };
    })(),
  );
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
