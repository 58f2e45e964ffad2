import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionOptions } from 'troupe';
import { fakeModel, findRealCli, type ModelRule, streamText, text, toolUse } from 'troupe/testing';

/** What the offline model says to the prompts of the two examples: a first draft that is refused, a second one that is not. */
export const RULES: readonly ModelRule[] = [
  {
    when: { promptContains: 'Write a draft', isToolResult: false },
    reply: toolUse('Write', { file_path: 'notes.txt', content: 'Ideas.\n' }),
  },
  { when: { promptContains: 'Write a draft', isToolResult: true }, reply: text('Our first version: actors.') },
  {
    when: { promptContains: 'Fix the draft' },
    reply: streamText({ text: 'Our second version: supervised actors.', delayMs: 150 }),
  },
  { when: { promptMatches: /Review this draft[\s\S]*second version/ }, reply: text('OK, print it.') },
  { when: { promptContains: 'Review this draft' }, reply: text('Say who looks after the actors.') },
];

export interface OfflineStage extends AsyncDisposable {
  /** Options that every session needs here. */
  readonly setting: SessionOptions;
}

/** The real CLI against a model in this process: no key, no network. */
export async function offlineStage(rules: readonly ModelRule[] = RULES): Promise<OfflineStage> {
  const cli = await findRealCli();
  if (cli === undefined) throw new Error('No claude CLI is installed: npm install -g @anthropic-ai/claude-code');
  const model = await fakeModel({ rules: [...rules] });
  const home = await mkdtemp(join(tmpdir(), 'troupe-example-'));
  const env = { ...model.environment(), HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') };
  return {
    setting: { pathToClaudeCodeExecutable: cli, cwd: home, env },
    async [Symbol.asyncDispose]() {
      await model.close();
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
