import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SupervisorOptions } from '../../src/index.ts';
import { type FakeClaude, fakeClaude } from '../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../src/testing/fake-cli/scenario.ts';
import { fakeModel } from '../../src/testing/fake-model/fake-model.ts';
import { findRealCli, realCliHome } from '../../src/testing/real-cli.ts';

/** What all runs share. */
export interface StoreProps {
  /** Holds a folder for every run. */
  readonly folder: string;
  /** A session of the real CLI against a model in this process. */
  readonly real: {
    readonly cwd: string;
    readonly supervisor: Pick<SupervisorOptions, 'pathToClaudeCodeExecutable' | 'env'>;
  };
  strike(): Promise<void>;
}

const SLOW_MS = 250;

/** A CLI for one run: its journal says what was executed. */
export function fakeOfRun(recorded: 'asking' | 'running', isForgetful: boolean): Promise<FakeClaude> {
  const input = { command: '$prompt' };
  return fakeClaude({
    ...(isForgetful ? { flavor: { deduplication: 'none' } } : {}),
    lifetimeMs: 600_000,
    rules: [
      on(when.prompt({ contains: 'slow ' }), step.delay(SLOW_MS), step.fallThrough()),
      on(when.prompt({ contains: 'act ' }), step.toolTurn({ tool: 'Write', input, ask: false, runMs: 60 })),
      on(when.prompt({ contains: 'ask ' }), step.toolTurn({ tool: 'Bash', input, recorded, runMs: 40 })),
    ],
  });
}

export async function buildStoreProps(): Promise<StoreProps> {
  const realCli = await findRealCli();
  if (realCli === undefined) throw new Error('The real claude CLI is not installed: run npm ci.');
  const model = await fakeModel({ slowDelayMs: 20 });
  const home = await realCliHome();
  const folder = await mkdtemp(join(tmpdir(), 'chaos-store-'));
  return {
    folder,
    real: {
      cwd: home.cwd,
      supervisor: {
        pathToClaudeCodeExecutable: realCli,
        env: { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1' },
      },
    },
    async strike() {
      await Promise.all([model.close(), home.dispose()]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
