import { query } from '@anthropic-ai/claude-agent-sdk';

const options = { pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude', allowedTools: ['Bash'] };

say('case', 'the API refuses');
await attempt(async () => {
  for await (const message of query({ prompt: 'ERROR 400', options })) say('message', message);
});

say('case', 'too many turns');
await attempt(async () => {
  const prompt = `CALL Bash ${JSON.stringify({ command: 'echo hi', description: 'Say hi' })}`;
  for await (const message of query({ prompt, options: { ...options, maxTurns: 1 } })) say('message', message);
});

say('case', 'an unknown conversation');
await attempt(async () => {
  const resume = '11111111-2222-4333-8444-555555555555';
  for await (const message of query({ prompt: 'hello', options: { ...options, resume } })) say('message', message);
});

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    say('ended', 'without an error');
  } catch (error) {
    // Around it each package says its own words.
    say(
      'threw',
      /API Error.*|Reached maximum.*|No conversation found with session ID: [0-9a-f-]+/.exec(String(error))?.[0],
    );
  }
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
