import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { findRealCli, type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { demo, troupe } from './troupe-process.ts';

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
  await home.dispose();
});

const run = (args: readonly string[], input = '') => troupe(['run', '--cwd', home.cwd, ...args], { env, input });

describe('troupe run', () => {
  it('prints the answer and nothing else, exit 0', async () => {
    expect(await run(['hello']).finished).toEqual({ code: 0, stdout: 'Echo: hello\n', stderr: '' });
  });

  it('streams the words as they come', async () => {
    const { code, stdout } = await run(['SLOW 12']).finished;

    expect(code).toBe(0);
    expect(stdout.trim().split(' ')).toHaveLength(12);
  });

  it('prints the raw lines with --json, each a JSON object, ending with the result', async () => {
    const { code, stdout } = await run(['--json', 'hello']).finished;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(code).toBe(0);
    expect(lines.map(({ type }) => type)).toContain('assistant');
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Echo: hello' });
  });

  it('reads the prompt from a pipe', async () => {
    expect(await run(['-'], 'from a pipe').finished).toMatchObject({ code: 0, stdout: 'Echo: from a pipe\n' });
    expect(await run([], 'no argument').finished).toMatchObject({ code: 0, stdout: 'Echo: no argument\n' });
  });

  it('exits 1 with the reason when the turn fails', async () => {
    const { code, stderr } = await run(['ERROR 400']).finished;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^troupe: .*400.*\n$/);
  });

  it('exits 1 with one clear line when the binary is missing (R02)', async () => {
    const finished = await troupe(['run', 'hello'], { env: { ...env, TROUPE_CLI: '/nonexistent/claude' } }).finished;

    expect(finished).toMatchObject({ code: 1, stdout: '' });
    expect(finished.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(finished.stderr).toContain('/nonexistent/claude');
  });

  it.each([
    ['an unknown conversation', ['--resume', '99999999-1111-4111-8111-111111111111', 'x'], 1, /No conversation found/],
    ['a missing directory', ['--cwd', '/nonexistent', 'x'], 1, /working directory/],
    ['a flag in place of an id', ['--resume=--version', 'x'], 2, /resume/],
    ['an unknown option', ['--bogus', 'x'], 2, /unknown option/],
    ['an unknown mode', ['--permission-mode', 'nonsense', 'x'], 2, /permission-mode/],
    ['an empty prompt', [' '], 2, /empty/],
    ['a bad time', ['--timeout', 'soon', 'x'], 2, /timeout/],
  ])('refuses %s with its exit code', async (_, args, code, reason) => {
    const finished = await run(args).finished;

    expect(finished.code).toBe(code);
    expect(finished.stderr).toMatch(reason);
    expect(finished.stdout).toBe('');
  });

  it('denies tools without a terminal, says so, and does not call it a success (R37)', async () => {
    const command = JSON.stringify({ command: 'echo hi > denied.txt', description: 'w' });
    const { code, stderr } = await run([`CALL Bash ${command}`]).finished;

    expect(code).toBe(1);
    expect(stderr).toContain('denied');
    expect(existsSync(join(home.cwd, 'denied.txt'))).toBe(false);
  });

  it('runs tools that were allowed, wherever the list stands', async () => {
    const command = JSON.stringify({ command: 'echo hi > allowed.txt', description: 'w' });
    const { code } = await run(['--allowed-tools', 'Read,Bash', `CALL Bash ${command}`]).finished;

    expect(code).toBe(0);
    expect(existsSync(join(home.cwd, 'allowed.txt'))).toBe(true);
  });

  it('interrupts on Ctrl-C and exits 130', async () => {
    const running = run(['SLOW 600']);
    await running.saw('w2');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.finished;

    expect(code).toBe(130);
    expect(stdout.endsWith('\n')).toBe(true);
  });

  it('stops at --timeout and exits 1', async () => {
    const { code, stderr } = await run(['--timeout', '2', 'SLOW 600']).finished;

    expect(code).toBe(1);
    expect(stderr).toContain('2 s');
  });

  it('shows its options with --help', async () => {
    const { code, stdout } = await troupe(['run', '--help'], { env }).finished;

    expect(code).toBe(0);
    expect(stdout).toContain('--permission-mode');
    expect(stdout).toContain('130 interrupted');
  });
});

describe('npm run demo', () => {
  it('shows every session passing its states and ends 0', async () => {
    const { code, stdout } = await demo(home.env).finished;

    expect(code).toBe(0);
    expect(stdout).toContain('spawning → initializing → ready → closing → closed');
    expect(stdout).toContain('spawning → initializing → mcp-setup → ready → closing → closed');
    expect(stdout).toContain('ready → awaiting-permission → ready → closing → closed');
    expect(stdout).toContain('every process tree is gone');
  });
});
