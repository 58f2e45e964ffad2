import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sayYes } from '../../../src/cli/demo/audience.ts';
import { createSupervisor } from '../../../src/supervision/supervisor.ts';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { findRealCli, type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { demo, endStragglers, sessionProcesses, troupe } from './troupe-process.ts';

let model: FakeModel;
let home: RealCliHome;
let env: Record<string, string>;

beforeAll(async () => {
  const cli = await findRealCli();
  if (cli === undefined) throw new Error('The real claude CLI is not installed: run npm ci.');
  model = await fakeModel({ slowDelayMs: 20 });
  home = await realCliHome();
  env = { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1', TROUPE_CLI: cli };
});

afterAll(async () => {
  await model.close();
  endStragglers(dirname(home.home));
  await home.dispose();
});

const run = (...args: readonly string[]) => troupe(['run', '--cwd', home.cwd, ...args], { env });

const SIGNALS = [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

describe('troupe run that is told to go', () => {
  it.each(SIGNALS)('ends the whole tree at %s and exits %i (P1)', async (signal, code) => {
    const sleep = JSON.stringify({ command: 'echo started > mark; sleep 300', description: 's' });
    const running = run('--allowed-tools', 'Bash', `CALL Bash ${sleep}`);
    await running.saw('Calling Bash');
    expect(sessionProcesses(home.home)).not.toEqual([]);
    running.child.kill(signal);

    expect((await running.finished).code).toBe(code);
    expect(sessionProcesses(home.home)).toEqual([]);
  });

  it.each(SIGNALS)('leaves nothing when %s comes before the agent is ready', async (signal, code) => {
    const silent = await fakeClaude({ rules: [on(when.initialize(), step.stderr('here'), step.hang())] });
    const running = troupe(['run', '--cwd', home.cwd, 'hello'], {
      env: { ...home.env, TROUPE_CLI: silent.path, TROUPE_LOG_LEVEL: 'debug' },
    });
    if (running.child.stderr !== null) await once(running.child.stderr, 'data');
    running.child.kill(signal);

    expect((await running.finished).code).toBe(code);
    expect(sessionProcesses(home.home)).toEqual([]);
    await silent.dispose();
  });

  it('ends the tree and exits 0 when nobody reads its output any more, as before `head`', async () => {
    const running = run('SLOW 600');
    await running.saw('w2');
    expect(sessionProcesses(home.home)).not.toEqual([]);
    running.child.stdout?.destroy();

    expect(await running.finished).toMatchObject({ code: 0, stderr: '' });
    expect(sessionProcesses(home.home)).toEqual([]);
  });

  it('keeps a --timeout of weeks, longer than any timer of Node', async () => {
    expect(await run('--timeout', '2200000', 'hello').finished).toEqual({
      code: 0,
      stdout: 'Echo: hello\n',
      stderr: '',
    });
  });
});

describe('a demo that is told to go', () => {
  it.each([...SIGNALS, ['SIGINT', 130] as const])(
    'leaves no process and no folder at %s, exit %i',
    async (signal, code) => {
      const running = demo(home.env);
      await running.saw('awaiting-permission');
      const folders = () => readdirSync(home.env['TMPDIR'] ?? '').filter((name) => name.startsWith('troupe-demo-'));
      expect(folders()).toHaveLength(1);
      const stage = `${home.env['TMPDIR']}/${folders()[0]}`;
      expect(sessionProcesses(stage)).not.toEqual([]);
      running.child.kill(signal);

      expect(await running.finished).toMatchObject({ code, stderr: '' });
      expect(sessionProcesses(stage)).toEqual([]);
      expect(folders()).toEqual([]);
    },
  );

  it('shows its sessions on a page that is logged in to once, until Ctrl-C', async () => {
    const running = demo(home.env, ['--dashboard']);
    await running.saw('waits for your permission');
    const address = new URL(/http:\S+login\S+/.exec(running.said())?.[0] ?? '');
    const entered = await fetch(address, { redirect: 'manual' });
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const list = await fetch(`${address.origin}/v1/sessions`, { headers: { cookie } });
    expect(JSON.stringify(await list.json())).toContain('stagehand');
    expect((await fetch(address, { redirect: 'manual' })).headers.getSetCookie()).toEqual([]);
    running.child.kill('SIGINT');

    expect(await running.finished).toMatchObject({ code: 130, stderr: '' });
  });

  it('takes it calmly when somebody else has answered before its audience (P4)', async () => {
    const fake = await fakeClaude({
      rules: [on(when.prompt('ask'), step.toolTurn({ tool: 'Bash', input: { command: 'true' } }))],
    });
    const supervisor = createSupervisor({ pathToClaudeCodeExecutable: fake.path });
    const session = await supervisor.start();
    const turn = session.prompt('ask');
    for await (const event of session.events()) {
      if (event.type !== 'permission.requested') continue;
      await session.permissions.answer(event.requestId, { behavior: 'deny', message: 'no' });
      await expect(sayYes(session, event.requestId)).resolves.toBeUndefined();
      break;
    }

    expect((await turn.result).permissionDenials).toBe(1);
    await supervisor.shutdown();
    await fake.dispose();
  });
});
