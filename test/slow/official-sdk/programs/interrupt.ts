import { query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

let answered = () => {};
const interruptedTurn = new Promise<void>((resolve) => {
  answered = resolve;
});

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield user('SLOW 3');
  await interruptedTurn;
  yield user('Are you still there?');
}

const conversation = query({
  prompt: prompts(),
  options: { pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude', includePartialMessages: true },
});

let isAsked = false;
let isChanged = false;
for await (const message of conversation) {
  say('message', message);
  if (message.type === 'stream_event' && message.event.type === 'content_block_delta' && !isAsked) {
    isAsked = true;
    say('receipt', (await conversation.interrupt())?.still_queued);
  }
  if (message.type === 'result' && !isChanged) {
    isChanged = true;
    await conversation.setModel('haiku');
    say('context', Object.keys(await conversation.getContextUsage({ detail: 'summary' })).length > 0);
    answered();
  }
}

function user(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
