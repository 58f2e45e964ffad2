import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { findRealCli, type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { endStragglers, sessionProcesses, troupeOnTerminal } from './troupe-process.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** Shown as text, so that the test sees it on the terminal. */
const HEARD = {
  type: 'stream_event',
  event: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'heard you' } },
};

let model: FakeModel;
let home: RealCliHome;
let env: Record<string, string>;

beforeEach(async () => {
  const cli = await findRealCli();
  if (cli === undefined) throw new Error('The real claude CLI is not installed: run npm ci.');
  model = await fakeModel();
  home = await realCliHome();
  env = { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1', TROUPE_CLI: cli, TERM: 'xterm' };
});

afterEach(async () => {
  await model.close();
  endStragglers(dirname(home.home));
  await home.dispose();
});

const ask = (command: string, environment = env) =>
  troupeOnTerminal(
    ['run', '--cwd', home.cwd, `CALL Bash ${JSON.stringify({ command, description: 'd' })}`],
    environment,
  );

describe('a permission question on a terminal', () => {
  it.each([
    ['y', 'y\r', true],
    ['yes', 'YES\r', true],
    ['a', 'a\r', true],
    ['n', 'n\r', false],
    ['nothing', '\r', false],
    ['Ctrl-D', CTRL_D, false],
  ])('takes %s for an answer, and goes on', async (_, keys, isAllowed) => {
    const running = ask('mkdir made');
    await running.saw('[y]es, [a]lways, [N]o');
    running.type(keys);
    const { code, stdout } = await running.finished;

    expect(code).toBe(0);
    expect(stdout).toContain('Tool said:');
    expect(stdout.includes('The user refused this tool call.')).toBe(!isAllowed);
    expect(existsSync(join(home.cwd, 'made'))).toBe(isAllowed);
  });

  it('says how much of a long input it does not show', async () => {
    const running = ask(`mkdir ${'x'.repeat(1_000)}`);
    await running.saw('… (+');
    running.type('n\r');
    const { stdout } = await running.finished;

    expect(stdout).toMatch(/x… \(\+\d{3} characters\)\? \[y\]es/);
  });

  it('counts Ctrl-C as the first interrupt: exit 130, nothing done, nothing left', async () => {
    const running = ask('mkdir made');
    await running.saw('[N]o');
    running.type(CTRL_C);
    const { code, stdout } = await running.finished;

    expect(code).toBe(130);
    expect(stdout).toContain('Interrupted.');
    expect(existsSync(join(home.cwd, 'made'))).toBe(false);
    expect(sessionProcesses(home.home)).toEqual([]);
  });

  it('kills at the second Ctrl-C an agent that does not heed the first', async () => {
    const deaf = await fakeClaude({
      atStart: [step.ignore('SIGTERM'), step.ignore('SIGINT'), step.ignore('eof')],
      rules: [
        on(when.prompt({ contains: 'CALL' }), step.toolTurn({ tool: 'Bash', input: { command: 'true' } })),
        on(when.control('interrupt'), step.emit(HEARD), step.hang()),
      ],
    });
    const running = ask('true', { ...env, TROUPE_CLI: deaf.path });
    await running.saw('[N]o');
    const startedAt = performance.now();
    running.type(CTRL_C);
    await running.saw('heard you');
    expect(sessionProcesses(home.home)).not.toEqual([]);
    running.type(CTRL_C);

    expect((await running.finished).code).toBe(130);
    // Alone, the first one would have waited 30 s for its effect.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(sessionProcesses(home.home)).toEqual([]);
    await deaf.dispose();
  });
});
