import { query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

/** Resolves with the end of the first turn. */
let answered = () => {};
const firstAnswer = new Promise<void>((resolve) => {
  answered = resolve;
});

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield user('My name is Ada.');
  await firstAnswer;
  yield user('What is my name?');
}

const conversation = query({
  prompt: prompts(),
  options: { pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude', includePartialMessages: true },
});

say('models', (await conversation.supportedModels()).length);
say(
  'commands',
  (await conversation.supportedCommands()).map(({ name }) => name),
);
say(
  'agents',
  (await conversation.supportedAgents()).map(({ name }) => name),
);
for await (const message of conversation) {
  say('message', message);
  if (message.type === 'stream_event') say('event', message.event.type);
  if (message.type === 'result') answered();
}

function user(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
