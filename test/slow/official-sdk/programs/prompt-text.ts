import { type Options, query } from '@anthropic-ai/claude-agent-sdk';

const options: Options = {
  pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude',
  allowedTools: ['Read'],
  maxTurns: 5,
};

for await (const message of query({ prompt: 'What is two and two?', options })) {
  say('message', message);
  if (message.type === 'system' && message.subtype === 'init') say('model', message.model);
  if (message.type === 'assistant') {
    for (const block of message.message.content) {
      if (block.type === 'text') say('text', block.text.toUpperCase());
    }
  }
  if (message.type === 'result' && message.subtype === 'success') {
    say('answer', message.result);
    say('price', message.total_cost_usd.toFixed(4));
    say('tokens', message.usage.input_tokens + message.usage.output_tokens);
  }
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
