import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type SessionOptions, tool } from '../../../src/index.ts';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { temporaryFolder } from '../../recording/temporary-folder.ts';
import { newSupervisor, stage } from '../session/stage.ts';

describe('a recording as a program', () => {
  it('does again what a session with questions, hooks, tools and a crash did, for a host that does the same (P8)', async () => {
    const folder = await temporaryFolder();
    const sum = on(when.prompt('sum'), step.toolTurn({ tool: 'mcp__calc__add', input: { a: 1, b: 2 } }));
    const crash = on(when.prompt('crash'), step.killSelf('SIGKILL'));
    const { supervisor } = await stage({ rules: [sum, crash] }, { record: folder });
    const first = await played(supervisor);
    await supervisor.shutdown();

    await using replay = await fakeClaude({ recording: join(folder, 'review.ndjson'), timing: 50 });
    const again = newSupervisor({ pathToClaudeCodeExecutable: replay.path });
    expect(await played(again)).toEqual(first);
    await again.shutdown();
    expect(first.outcomes).toEqual(['completed', 'lost', 'completed']);
    expect(first.asked).toEqual(['mcp__calc__add']);
    expect(await replay.violations()).toEqual([]);
    expect((await replay.starts()).length).toBe(2);
  });

  it('says at which step the host did something else, and what was expected of it', async () => {
    const folder = await temporaryFolder();
    const { supervisor } = await stage({}, { record: folder });
    await (await supervisor.start({ id: 'review' })).prompt('hello').result;
    await supervisor.shutdown();

    await using replay = await fakeClaude({ recording: join(folder, 'review.ndjson') });
    const again = newSupervisor({ pathToClaudeCodeExecutable: replay.path });
    await (await again.start({ id: 'review' })).prompt('good bye').result;
    await again.shutdown();
    expect((await replay.problems()).map(({ text }) => text)).toEqual([
      expect.stringMatching(/step \d+, message\.content.*\n +expected hello\n +got +good bye/),
    ]);
  });

  it('is checked before it is played', async () => {
    await expect(fakeClaude({ recording: import.meta.filename })).rejects.toMatchObject({
      code: 'RECORDING_INVALID',
      details: { line: 1, reason: 'it is no JSON' },
    });
  });
});

async function played(supervisor: ReturnType<typeof newSupervisor>) {
  const asked: string[] = [];
  const session = await supervisor.start({ id: 'review', ...optionsOf((name) => asked.push(name)) });
  const results = [];
  for (const text of ['sum', 'crash', 'after']) results.push(await session.prompt(text).result);
  return {
    asked,
    outcomes: results.map(({ outcome }) => outcome),
    texts: results.map(({ text }) => text),
    costs: results.map(({ costUsd }) => costUsd),
  };
}

function optionsOf(onAsked: (name: string) => void): SessionOptions {
  const add = tool('add', 'adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return {
    mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
    hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] },
    canUseTool: async (name, input) => {
      onAsked(name);
      return { behavior: 'allow', updatedInput: input };
    },
    onPromptLost: 'fail',
  };
}
