import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, kept, linesTo, newFake, newSupervisor, reaches, script, stage } from './stage.ts';

describe('the environment of a process', () => {
  it('holds nothing by which an outer session marks its children, unless the caller sets it (R91, P11)', async () => {
    const marks = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SSE_PORT: '1',
      CLAUDE_CODE_SESSION_ID: 'x',
    };
    const before = { ...process.env };
    Object.assign(process.env, marks, { TROUPE_TEST_PLAIN: 'kept' });
    onTestFinished(() => {
      for (const name of [...Object.keys(marks), 'TROUPE_TEST_PLAIN']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    });
    const { start } = await stage({ rules: [on(when.prompt('env'), step.printEnvironment(), step.echoTurn())] });
    const printed = async (env: Record<string, string>) => {
      const session = await start({ env });
      await session.prompt('env').result;
      const { message } = await eventOf(session, 'message', (event) => event.message.subtype === 'fake_environment');
      return message.value?.['environment'] as Record<string, string>;
    };
    const stripped = await printed({});
    expect(stripped['CLAUDECODE']).toBeUndefined();
    expect(stripped['CLAUDE_CODE_SSE_PORT']).toBeUndefined();
    expect(stripped['CLAUDE_CODE_SESSION_ID']).toBeUndefined();
    expect(stripped['CLAUDE_CODE_ENTRYPOINT']).not.toBe('cli');
    expect(stripped['TROUPE_TEST_PLAIN']).toBe('kept');
    expect(stripped['TROUPE_SESSION']).toMatch(/^session-[\w-]+:/);
    expect((await printed({ CLAUDECODE: '1' }))['CLAUDECODE']).toBe('1');
  });
});

describe('the command line', () => {
  it('always names the permission mode, and bypass needs its second key (R93)', async () => {
    const { start, fake } = await stage();
    const plain = await start();
    await plain.prompt('hello').result;
    expect(plain.facts.permissionMode).toBe('default');
    const planning = await start({ permissionMode: 'plan' });
    await planning.prompt('hello').result;
    expect(planning.facts.permissionMode).toBe('plan');
    const refused = await errorFrom(start({ permissionMode: 'bypassPermissions' }));
    expect(refused.code).toBe('INVALID_OPTIONS');
    const modes = (await fake.starts()).map(({ argv }) => argv.filter((flag) => flag.startsWith('--permission-mode')));
    expect(modes).toEqual([['--permission-mode=default'], ['--permission-mode=plan']]);
  });

  it('stays small with a system prompt, agents and servers of 200 KB; files are private and go away (R94, P11)', async () => {
    const { start, fake } = await stage();
    // A folder of its own: others use the common one at the same time.
    const folder = await ownTemporaryFolder();
    const text = 's'.repeat(200_000);
    const session = await start({
      systemPrompt: text,
      agents: { helper: { description: 'Helps.', prompt: text } },
      mcpServers: { far: { type: 'http', url: 'http://127.0.0.1:9/', headers: { 'x-secret': `secret-${text}` } } },
    });
    await session.prompt('hello').result;
    const [first] = await fake.starts();
    expect(first?.argv.every((argument) => argument.length < 10_000)).toBe(true);
    expect(first?.argv.join(' ')).not.toContain('secret-');
    const made = readdirSync(folder);
    expect(made).not.toEqual([]);
    for (const name of made) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    const sizes = (await fake.journal()).flatMap((entry) => (entry.kind === 'line' ? [entry.bytes] : []));
    expect(Math.max(...sizes)).toBeGreaterThan(400_000);
    await session.close();
    await errorFrom(
      start({
        systemPrompt: text,
        pathToClaudeCodeExecutable: '/bin/false',
        mcpServers: { far: { type: 'http', url: 'http://127.0.0.1:9/', headers: { a: text } } },
      }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('too large for the system is refused before the spawn, naming the limit (R94)', async () => {
    const { start, fake } = await stage();
    const error = await errorFrom(start({ extraArgs: { note: 'n'.repeat(200_000) } }));
    expect(error.code).toBe('ARGUMENTS_TOO_LARGE');
    expect(await fake.starts()).toEqual([]);
  });
});

describe('the identity of a conversation', () => {
  it('may change: the change is told, and the newest id is the one that is resumed (R67)', async () => {
    const die = on(when.control('die'), step.killSelf('SIGKILL'));
    const { start, fake } = await stage({ perStart: [{ rules: [die] }, {}] });
    const session = await start({ id: 'stable' });
    expect(session.conversationId).toBeUndefined();
    await session.prompt('hello').result;
    const first = session.conversationId;
    await session.prompt('/clear').result;
    await session.prompt('hello again').result;
    const second = session.conversationId;
    expect(second).not.toBe(first);
    const changes = (await kept(session)).flatMap((event) =>
      event.type === 'session.conversation-changed' ? [[event.from, event.to]] : [],
    );
    expect(changes).toEqual([
      [undefined, first],
      [first, second],
    ]);
    await errorFrom(session.control('die'));
    await reaches(session, 'ready', 2);
    expect((await fake.starts())[1]?.argv).toContain(`--resume=${second}`);
    expect(session.id).toBe('stable');
  });
});

describe('stderr', () => {
  it('is heard to its last line although the callback throws, and its tail explains the end (R100)', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const { start } = await stage({
      rules: [on(when.prompt('go'), ...lines.map((line) => step.stderr(`${line}\n`)), step.exit(4))],
    });
    const heard: string[] = [];
    const session = await start({
      restart: { type: 'temporary' },
      stderr: (line) => {
        heard.push(line);
        throw new Error('a broken observer');
      },
    });
    const { error } = await session.prompt('go').result;
    expect(heard).toEqual(lines);
    expect(error?.message).toContain('line 99');
    expect(error?.details).toMatchObject({ exitCode: 4 });
    const logged = (await kept(session)).flatMap((event) => (event.type === 'stderr' ? [event.line] : []));
    expect(logged).toEqual(lines);
  });

  it('of 10 MB costs a bounded amount and holds nothing up (R100, P9)', async () => {
    const path = await script('head -c 10000000 /dev/zero | tr "\\0" "e" >&2', 'echo "the last word" >&2', 'exit 5');
    const supervisor = newSupervisor({ limits: { stderrTailBytes: 4_096 } });
    const error = await errorFrom(supervisor.start({ pathToClaudeCodeExecutable: path }));
    expect(error.details).toMatchObject({ exitCode: 5 });
    expect(error.message).toContain('the last word');
    expect(error.message.length).toBeLessThan(5_000);
  });

  it('and every other observer that throws harms nobody (R100)', async () => {
    const fake = await newFake();
    const told: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => told.push(message) };
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: fake.path, logger });
    const types: string[] = [];
    supervisor.on('event', () => {
      throw new Error('a broken listener');
    });
    const stop = supervisor.on('event', ({ type }) => types.push(type));
    const session = await supervisor.start();
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    stop();
    expect(types).toContain('prompt.ended');
    expect(told.length).toBeGreaterThan(0);
    expect(await linesTo(fake)).not.toEqual([]);
  });
});

/** A folder that host and children take for the temporary one until the test is over. */
async function ownTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-own-'));
  const former = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  onTestFinished(async () => {
    if (former === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = former;
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}
