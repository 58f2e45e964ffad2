import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClaude } from '../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../src/testing/fake-cli/scenario.ts';
import { fakeModel } from '../../src/testing/fake-model/fake-model.ts';
import { findRealCli, realCliHome } from '../../src/testing/real-cli.ts';

/** What all runs share. */
export interface Props {
  /** Holds a folder for every run. */
  readonly folder: string;
  readonly healthyCli: string;
  /** Ignores the end of its input and SIGTERM. */
  readonly deafCli: string;
  readonly real: { readonly path: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  strike(): Promise<void>;
}

const SLOW_MS = 400;

const RULES = [
  on(when.prompt('slow'), step.delay(SLOW_MS), step.fallThrough()),
  // Nobody answers, so this turn never ends by itself.
  on(when.prompt('tool'), step.toolTurn({ tool: 'Bash', input: { command: 'true' } })),
];

export async function buildProps(): Promise<Props> {
  const realCli = await findRealCli();
  if (realCli === undefined) throw new Error('The real claude CLI is not installed: run npm ci.');
  const healthy = await fakeClaude({ rules: RULES });
  const deaf = await fakeClaude({ atStart: [step.ignore('eof'), step.ignore('SIGTERM')], rules: RULES });
  const model = await fakeModel({ slowDelayMs: 20 });
  const home = await realCliHome();
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  return {
    folder,
    healthyCli: healthy.path,
    deafCli: deaf.path,
    real: {
      path: realCli,
      cwd: home.cwd,
      env: { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1' },
    },
    async strike() {
      await Promise.all([healthy.dispose(), deaf.dispose(), model.close(), home.dispose()]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
