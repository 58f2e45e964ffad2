import { fakeClaude, on, step, when } from 'troupe/testing';
import { expect, it } from 'vitest';
import { release } from './release-agent.js';

const asks = (command: string) => step.toolTurn({ tool: 'Bash', input: { command }, output: 'released' });

it('lets make run', async () => {
  await using cli = await fakeClaude({ rules: [on(when.prompt({ contains: 'Release 1.2.3' }), asks('make release'))] });

  expect(await release('1.2.3', { pathToClaudeCodeExecutable: cli.path })).toContain('released');
  await cli.assertClean();
});

it('lets nothing else run', async () => {
  await using cli = await fakeClaude({ rules: [on(when.prompt(), asks('rm -rf build'))] });

  await release('1.2.3', { pathToClaudeCodeExecutable: cli.path });
  expect((await cli.journal()).filter(({ kind }) => kind === 'tool')).toEqual([]);
});
