import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run as troupeRun } from '../../../src/cli/run/run-command.ts';
import { textOutput } from '../../../src/cli/run/run-output.ts';
import { createSupervisor } from '../../../src/supervision/supervisor.ts';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { delay, hang, type ModelRule, text, toolUse } from '../../../src/testing/fake-model/script.ts';
import { findRealCli, type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { endStragglers, sessionProcesses, troupe } from './troupe-process.ts';

let home: RealCliHome;
const open: (FakeModel | FakeClaude)[] = [];

beforeEach(async () => {
  home = await realCliHome();
});

afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
  endStragglers(dirname(home.home));
  await home.dispose();
});

describe('troupe run with background agents of the real CLI', () => {
  it('waits for the agent and shows its report after the first answer (WIRE §0.6, §17)', async () => {
    const env = await realCli(delay(1_500, text('The agent is done.')));
    const { code, stdout, stderr } = await run(env, ['Delegate it']).finished;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('Launched.\nReport: all is well.\n');
    expect(sessionProcesses(home.home)).toEqual([]);
  });

  it('prints both results with --json, the last one on the last line', async () => {
    const env = await realCli(delay(500, text('The agent is done.')));
    const { code, stdout } = await run(env, ['--json', 'Delegate it']).finished;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(code).toBe(0);
    expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual([
      'Launched.',
      'Report: all is well.',
    ]);
    expect(lines.map(({ subtype }) => subtype)).toContain('task_notification');
    expect(lines.at(-1)).toMatchObject({ type: 'result', origin: { kind: 'task-notification' } });
  });

  it('stops the agent at Ctrl-C and exits 130', async () => {
    const running = run(await realCli(hang()), ['Delegate it']);
    await running.saw('Launched.\n');
    running.child.kill('SIGINT');

    expect(await running.finished).toMatchObject({ code: 130, stdout: 'Launched.\n' });
    expect(sessionProcesses(home.home)).toEqual([]);
  });

  it('stops the agent at --timeout and exits 1', async () => {
    const { code, stdout, stderr } = await run(await realCli(hang()), ['--timeout', '4', 'Delegate it']).finished;

    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Launched.\n' });
    expect(stderr).toContain('4 s');
    expect(sessionProcesses(home.home)).toEqual([]);
  });
});

describe('troupe run with a later turn', () => {
  const AGENT = { task_id: 'agent-1', task_type: 'local_agent', session_id: '$session_id' };
  const agent = (subtype: string, more = {}) => step.emit({ type: 'system', subtype, ...AGENT, ...more });
  const delegating = (...report: Parameters<typeof on>[1][]): Scenario => ({
    rules: [
      on(
        when.prompt('delegate'),
        agent('task_started'),
        step.echoTurn({ text: 'Launched.' }),
        step.delay(300),
        agent('task_notification', { status: 'completed' }),
        ...report,
      ),
    ],
  });

  it('exits 1 with the reason when the agent cannot report', async () => {
    const env = await fakeCli(delegating(step.result({ is_error: true, result: 'The model is overloaded.' })));
    const { code, stdout, stderr } = await run(env, ['delegate']).finished;

    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Launched.\n' });
    expect(stderr).toBe('troupe: A later turn ended with an error: The model is overloaded.\n');
  });

  it('exits 1 when the process is lost before the report', async () => {
    const { code, stdout, stderr } = await run(await fakeCli(delegating(step.exit(3))), ['delegate']).finished;

    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Launched.\n' });
    expect(stderr).toMatch(/^troupe: .*CLI process ended.*\n$/);
  });

  it('waits no longer than the ceiling, says so, and exits 1 (P5)', async () => {
    const fake = await fakeClaude(delegating(agent('task_started', { task_id: 'agent-2' }), step.hang()));
    open.push(fake);
    const supervisor = createSupervisor();
    const told: string[] = [];
    let shown = '';
    const code = await troupeRun(supervisor, {
      prompt: 'delegate',
      options: { pathToClaudeCodeExecutable: fake.path, includePartialMessages: true, cwd: home.cwd, env: home.env },
      timeoutMs: Number.POSITIVE_INFINITY,
      backgroundMs: 1_000,
      output: textOutput((text) => {
        shown += text.toString();
      }),
      tell: (line) => told.push(line),
      onLeave: () => () => {},
    });

    expect({ code, shown }).toEqual({ code: 1, shown: 'Launched.\n' });
    expect(told).toEqual(['Background agents did not end within 1 s and were stopped.']);
    expect(sessionProcesses(home.home)).toEqual([]);
  });

  it('prints a text that came without a stream once for each turn', async () => {
    const env = await fakeCli(
      delegating(step.emit({ type: 'result', subtype: 'success', is_error: false, result: 'Report.' })),
    );
    const { stdout } = await run(env, ['delegate']).finished;

    expect(stdout).toBe('Launched.\nReport.\n');
  });
});

const run = (env: Record<string, string>, args: readonly string[]) =>
  troupe(['run', '--cwd', home.cwd, ...args], { env });

/** The model launches an agent, and repeats what comes of it. */
async function realCli(agentReply: ModelRule['reply']): Promise<Record<string, string>> {
  const cli = await findRealCli();
  if (cli === undefined) throw new Error('The real claude CLI is not installed: run npm ci.');
  const job = { description: 'a job', prompt: 'Work in silence', subagent_type: 'general-purpose' };
  const model = await fakeModel({
    rules: [
      { when: { promptEquals: 'Delegate it', isToolResult: false }, reply: toolUse('Task', job) },
      { when: { promptEquals: 'Delegate it', isToolResult: true }, reply: text('Launched.') },
      { when: { promptContains: 'Work in silence', isToolResult: false }, reply: agentReply, times: 1 },
    ],
    otherwise: text('Report: all is well.'),
  });
  open.push(model);
  return { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1', TROUPE_CLI: cli };
}

async function fakeCli(scenario: Scenario): Promise<Record<string, string>> {
  const fake = await fakeClaude(scenario);
  open.push(fake);
  return { ...home.env, TROUPE_CLI: fake.path };
}
