import { fakeModel, findRealCli, realCliHome, text, toolUse } from 'troupe/testing';
import { expect, it } from 'vitest';
import { release } from './release-agent.js';

const cli = await findRealCli();

it.runIf(cli !== undefined)('asks the model with what make said, on the real CLI and without a network', async () => {
  await using home = await realCliHome();
  await using model = await fakeModel({
    rules: [
      { when: { isToolResult: true }, reply: text('Version 1.2.3 is out.') },
      { when: { promptContains: 'Release' }, reply: toolUse('Bash', { command: 'make --version' }) },
    ],
  });
  const env = { ...home.env, ...model.environment() };

  const said = await release('1.2.3', {
    pathToClaudeCodeExecutable: String(cli),
    cwd: home.cwd,
    env,
    envMode: 'exact',
  });
  expect(said).toBe('Version 1.2.3 is out.');
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('GNU Make');
});
