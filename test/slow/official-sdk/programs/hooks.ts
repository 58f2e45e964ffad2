import { type HookCallback, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

const guard: HookCallback = async (input, toolUseID, { signal }) => {
  if (input.hook_event_name !== 'PreToolUse') return {};
  say('before', { tool: input.tool_name, input: input.tool_input, toolUseID, isAborted: signal.aborted });
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'Files are not read here.',
    },
  };
};

const log: HookCallback = async (input, toolUseID) => {
  if (input.hook_event_name === 'PostToolUse') {
    say('after', { tool: input.tool_name, response: input.tool_response, toolUseID });
  }
  return {};
};

let answered = () => {};
const firstAnswer = new Promise<void>((resolve) => {
  answered = resolve;
});

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield user(`CALL Read ${JSON.stringify({ file_path: '/etc/hostname' })}`);
  await firstAnswer;
  yield user(`CALL Bash ${JSON.stringify({ command: 'echo done', description: 'Say it' })}`);
}

const options = {
  pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude',
  allowedTools: ['Bash', 'Read'],
  hooks: { PreToolUse: [{ matcher: 'Read', hooks: [guard] }], PostToolUse: [{ hooks: [log], timeout: 30 }] },
};

for await (const message of query({ prompt: prompts(), options })) {
  say('message', message);
  if (message.type === 'result') answered();
}

function user(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
