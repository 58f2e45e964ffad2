import { AbortError, query } from '@anthropic-ai/claude-agent-sdk';

const options = { pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude' };

say('case', 'aborted in the middle');
await attempt(async () => {
  const abortController = new AbortController();
  for await (const message of query({ prompt: 'HANG', options: { ...options, abortController } })) {
    say('type', message.type);
    abortController.abort();
  }
});

say('case', 'aborted before the start');
await attempt(async () => {
  const abortController = new AbortController();
  abortController.abort();
  for await (const message of query({ prompt: 'hello', options: { ...options, abortController } })) {
    say('type', message.type);
  }
});

say('case', 'closed');
await attempt(async () => {
  const conversation = query({ prompt: 'HANG', options });
  for await (const message of conversation) {
    say('type', message.type);
    conversation.close();
  }
  say('after', await conversation.next());
});

say('case', 'closed before the first step');
await attempt(async () => {
  const conversation = query({ prompt: 'hello', options });
  conversation.close();
  say('first', await conversation.next());
});

say('case', 'left early');
await attempt(async () => {
  for await (const message of query({ prompt: 'HANG', options })) {
    say('type', message.type);
    break;
  }
});

say('case', 'thrown into');
await attempt(async () => {
  const conversation = query({ prompt: 'HANG', options });
  say('type', (await conversation.next()).done);
  await conversation.throw(new Error('mine'));
});

say('case', 'disposed');
await attempt(async () => {
  await using conversation = query({ prompt: 'HANG', options });
  say('type', (await conversation.next()).done);
});

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    say('ended', 'without an error');
  } catch (error) {
    say('threw', error instanceof AbortError ? 'an AbortError' : String(error));
  }
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
