import { query } from '@anthropic-ai/claude-agent-sdk';

const options = { pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude', systemPrompt: 'Be brief.' };
const prompt = `CALL Bash ${JSON.stringify({ command: 'touch file.txt', description: 'Make a file' })}`;

for await (const message of query({ prompt, options })) say('message', message);

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
