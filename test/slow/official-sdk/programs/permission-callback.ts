import { type CanUseTool, type PermissionResult, query } from '@anthropic-ai/claude-agent-sdk';

const canUseTool: CanUseTool = async (toolName, input, { signal, toolUseID }): Promise<PermissionResult> => {
  say('asked', { toolName, input, toolUseID, isAborted: signal.aborted });
  if (String(input['command']).startsWith('rm')) return { behavior: 'deny', message: 'Nothing is removed here.' };
  return { behavior: 'allow', updatedInput: { ...input, command: 'touch second.txt && echo changed' } };
};

for (const command of ['rm first.txt', 'touch first.txt']) {
  const options = {
    pathToClaudeCodeExecutable: process.env['CLAUDE_PATH'] ?? 'claude',
    permissionMode: 'default',
    settingSources: [],
    canUseTool,
  } as const;
  const prompt = `CALL Bash ${JSON.stringify({ command, description: 'Work on a file' })}`;
  for await (const message of query({ prompt, options: { ...options, settingSources: [...options.settingSources] } })) {
    say('message', message);
    if (message.type === 'result') say('denials', message.permission_denials.length);
  }
}

function say(what: string, value: unknown): void {
  console.log(JSON.stringify([what, value]));
}
