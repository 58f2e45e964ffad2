import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LaunchRequest, type PlannedLaunch, planLaunch } from '../../../src/launch/launch-plan.ts';
import { writePrivateFiles } from '../../../src/launch/private-folder.ts';
import { parseSessionOptions } from '../../../src/launch/session-options.ts';

let root: string;
let temporary: string;

beforeEach(async () => {
  root = await mkdtemp(join(await realpath(tmpdir()), 'launch-plan-'));
  temporary = join(root, 'tmp');
  await mkdir(temporary);
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('the plan of a start', () => {
  it('is completely resolved: command, arguments, directory, environment and mark', async () => {
    const { plan, initialize } = await planned({ cwd: 'project', configDir: 'config', systemPrompt: 'Be brief.' });
    expect(plan).toMatchObject({
      command: '/opt/claude',
      cwd: join(root, 'project'),
      mark: 'review-1:1:token',
      temporaryFiles: [],
      keepDescendants: false,
      stderrTailBytes: 100,
    });
    expect(plan.args).toContain('--permission-mode=default');
    expect(plan.env).toMatchObject({
      TROUPE_SESSION: 'review-1:1:token',
      CLAUDE_CONFIG_DIR: join(root, 'config'),
      SHELL: '/bin/sh',
    });
    expect(initialize).toEqual({ systemPrompt: ['Be brief.'] });
  });

  it('starts in the directory of the host when none was given', async () => {
    expect((await planned({})).plan.cwd).toBe(root);
  });

  it('puts the runtime and its arguments before a script', async () => {
    await writeFile(join(root, 'cli.js'), '');
    const { plan } = await planned({ pathToClaudeCodeExecutable: './cli.js', executableArgs: ['--no-warnings'] });
    expect(plan.command).toBe('/opt/node');
    expect(plan.args.slice(0, 3)).toEqual(['--no-warnings', join(root, 'cli.js'), '--output-format=stream-json']);
  });

  it("searches the PATH that the child will have, and the host's when it will have none", async () => {
    const wanted = join(root, 'bin', 'claude');
    await mkdir(dirname(wanted));
    await writeFile(wanted, '', { mode: 0o755 });
    const { pathToClaudeCodeExecutable: _, ...options } = parseSessionOptions({ env: { PATH: dirname(wanted) } });
    expect((await planLaunch(request({ options }))).plan.command).toBe(wanted);
    const host = { ...theHost(), env: { ...theHost().env, PATH: dirname(wanted) } };
    const exact = parseSessionOptions({ envMode: 'exact', env: {} });
    expect((await planLaunch(request({ options: exact, host }))).plan.command).toBe(wanted);
  });
});

describe('a restart (P8)', () => {
  const options = { resume: 'a', forkSession: true, model: 'opus', permissionMode: 'plan' };

  it('resumes the conversation, with model and mode as they were last set', async () => {
    const settings = { model: 'haiku', permissionMode: 'acceptEdits' };
    const { plan } = await planned(options, { incarnation: 2, resume: 'b', settings });
    expect(conversationFlags(plan.args)).toEqual(['--resume=b']);
    expect(plan.args).toEqual(expect.arrayContaining(['--model=haiku', '--permission-mode=acceptEdits']));
    expect(plan.mark).toBe('review-1:2:token');
  });

  it('keeps the options for what was not changed', async () => {
    const settings = { model: undefined, permissionMode: undefined };
    const { plan } = await planned(options, { incarnation: 2, resume: 'b', settings });
    expect(plan.args).toEqual(expect.arrayContaining(['--model=opus', '--permission-mode=plan']));
  });

  it('follows the options the first time, and also later while no conversation is known', async () => {
    const flags = ['--resume=a', '--fork-session'];
    expect(conversationFlags((await planned(options, { incarnation: 1, resume: 'b' })).plan.args)).toEqual(flags);
    expect(conversationFlags((await planned(options, { incarnation: 2 })).plan.args)).toEqual(flags);
  });

  it('resumes nothing that is not kept: the CLI would find no such conversation (WIRE §12)', async () => {
    const { plan } = await planned({ persistSession: false }, { incarnation: 2, resume: 'b' });
    expect(conversationFlags(plan.args)).toEqual(['--no-session-persistence']);
  });

  it('needs the second key to bypass also for a mode that was set at run time (R93)', async () => {
    const change = { incarnation: 2, settings: { permissionMode: 'bypassPermissions' } };
    await expect(planned({}, change)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    const { plan } = await planned({ allowDangerouslySkipPermissions: true }, change);
    expect(plan.args).toContain('--permission-mode=bypassPermissions');
  });

  it('may run on the fallback model', async () => {
    const { plan } = await planned({ fallbackModel: 'haiku' }, { incarnation: 2, settings: { model: 'haiku' } });
    expect(plan.args).toEqual(expect.arrayContaining(['--model=haiku', '--fallback-model=haiku']));
  });
});

describe('private files (R94, P11)', () => {
  const secretive = {
    mcpServers: {
      calc: { type: 'sdk', name: 'calc', instance: { connect: () => {}, close: () => {} } },
      files: { command: 'files', env: { TOKEN: 'secret-1' } },
      web: { type: 'http', url: 'http://127.0.0.1', headers: { Authorization: 'secret-2' } },
    },
    settings: { env: { KEY: 'secret-3' } },
    env: { ANTHROPIC_API_KEY: 'secret-4' },
  };

  it('hold what is secret or big, readable by this user alone, in a folder of this user alone', async () => {
    const { plan } = await planned(secretive);
    const [servers = '', settings = '', folder = ''] = plan.temporaryFiles;
    expect(dirname(folder)).toBe(temporary);
    expect((await readdir(folder)).sort()).toEqual(['mcp-config.json', 'settings.json']);
    expect([await modeOf(folder), await modeOf(servers), await modeOf(settings)]).toEqual([0o700, 0o600, 0o600]);
    expect(plan.args).toEqual(expect.arrayContaining([`--mcp-config=${servers}`, `--settings=${settings}`]));
    expect(JSON.parse(await readFile(settings, 'utf8'))).toEqual(secretive.settings);
    expect(JSON.parse(await readFile(servers, 'utf8'))).toEqual({
      mcpServers: {
        calc: { type: 'sdk', name: 'calc' },
        files: { type: 'stdio', command: 'files', env: { TOKEN: 'secret-1' } },
        web: { type: 'http', url: 'http://127.0.0.1', headers: { Authorization: 'secret-2' } },
      },
    });
  });

  it('keep every secret out of the arguments', async () => {
    const { plan } = await planned(secretive);
    expect(plan.args.join('\n')).not.toContain('secret');
  });

  it('keep every argument small, however big prompt, agents, servers, settings and rule lists are (R94)', async () => {
    const big = 'x'.repeat(200_000);
    const { plan, initialize } = await planned({
      systemPrompt: big,
      agents: { reviewer: { description: 'd', prompt: big } },
      mcpServers: { files: { command: 'files', args: [big] } },
      settings: { note: big },
      outputFormat: { type: 'json_schema', schema: { description: big } },
      allowedTools: Array.from({ length: 4_000 }, (_, index) => `Bash(command-${index}:*)`),
    });
    expect(Math.max(...plan.args.map((argument) => argument.length))).toBeLessThan(1_000);
    expect(JSON.stringify(initialize).length).toBeGreaterThan(600_000);
    const settings = JSON.parse(await readFile(plan.temporaryFiles[1] ?? '', 'utf8'));
    expect(settings.permissions.allow).toHaveLength(4_000);
  });

  it('are not written when nothing needs one', async () => {
    const { calc } = secretive.mcpServers;
    expect((await planned({ mcpServers: { calc }, settings: '/my/settings.json' })).plan.temporaryFiles).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('are not left behind by a start that cannot be planned', async () => {
    const { mcpServers } = secretive;
    const pathToClaudeCodeExecutable = 'no-such-program';
    await expect(planned({ mcpServers, pathToClaudeCodeExecutable })).rejects.toMatchObject({ code: 'CLI_NOT_FOUND' });
    const allowedTools = Array.from({ length: 4_000 }, (_, index) => `Bash(command-${index}:*)`);
    const tooLarge = planned({ mcpServers, allowedTools, settings: '/my/settings.json' });
    await expect(tooLarge).rejects.toMatchObject({ code: 'ARGUMENTS_TOO_LARGE', details: { field: 'allowedTools' } });
    expect(await readdir(temporary)).toEqual([]);
  });

  it('are all taken back when one of them cannot be written', async () => {
    const files = [
      { name: 'good.json', content: '{}' },
      { name: 'no/such/folder.json', content: '{}' },
    ];
    const refusal: unknown = expect.objectContaining({
      code: 'SPAWN_FAILED',
      details: expect.objectContaining({ errno: 'ENOENT' }),
    });
    expect(() => writePrivateFiles(temporary, files)).toThrow(refusal as Error);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('say so when there is no place for them', async () => {
    temporary = join(root, 'missing');
    await expect(planned(secretive)).rejects.toMatchObject({ code: 'SPAWN_FAILED', details: { errno: 'ENOENT' } });
  });
});

function theHost() {
  return {
    env: { PATH: '/nowhere', SHELL: '/bin/sh', CLAUDECODE: '1', TMPDIR: temporary },
    cwd: root,
    execPath: '/opt/node',
  };
}

function request(overrides: Partial<LaunchRequest> & Pick<LaunchRequest, 'options'>): LaunchRequest {
  return { sessionId: 'review-1', incarnation: 1, host: theHost(), stderrTailBytes: 100, token: 'token', ...overrides };
}

function planned(options: Record<string, unknown>, overrides: Partial<LaunchRequest> = {}): Promise<PlannedLaunch> {
  const parsed = parseSessionOptions({ pathToClaudeCodeExecutable: '/opt/claude', ...options });
  return planLaunch(request({ options: parsed, ...overrides }));
}

function conversationFlags(args: readonly string[]): string[] {
  return args.filter((argument) => /^--(resume|continue|fork|session-id|no-session)/.test(argument));
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
