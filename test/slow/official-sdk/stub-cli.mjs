#!/usr/bin/env node
// Stands in for the CLI: notes its arguments, environment and input in the file STUB_NOTES, and answers just enough to end.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const note = (value) => appendFileSync(process.env.STUB_NOTES, `${JSON.stringify(value)}\n`);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const about = {
  claude_code_version: '2.1.332',
  hook_on_failure_supported: true,
  hooks_applied: true,
  plugins_applied: true,
  mcp_servers_applied: true,
};
const usage = { input_tokens: 0, output_tokens: 0 };
const result = { type: 'result', subtype: 'success', is_error: false, result: '', session_id: 's', uuid: 'u', usage };

note({ argv: process.argv.slice(2), env: process.env });
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const message = JSON.parse(line);
  note({ message });
  if (message.type === 'control_request') {
    const answer = message.request.subtype === 'initialize' ? about : {};
    say({
      type: 'control_response',
      response: { subtype: 'success', request_id: message.request_id, response: answer },
    });
  }
  if (message.type === 'user') say({ ...result, user_message_uuids: [message.uuid] });
});
lines.on('close', () => process.exit(0));
