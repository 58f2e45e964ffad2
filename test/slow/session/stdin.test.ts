import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSdkMcpServer,
  type HookCallback,
  type Query,
  query,
  type SessionOptions,
  tool,
} from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import {
  ANSWER_INITIALIZE,
  answersTo,
  errorFrom,
  expectNoViolations,
  kept,
  newFake,
  newSupervisor,
  script,
  stage,
  timed,
} from './stage.ts';

const AGENT = { task_id: 'agent-1', tool_use_id: 'toolu_a', task_type: 'local_agent', session_id: '$session_id' };
const agentStarted = step.emit({ type: 'system', subtype: 'task_started', ...AGENT });
const agentDone = step.emit({ type: 'system', subtype: 'task_notification', ...AGENT, status: 'completed' });
const agentKilled = step.emit({ type: 'system', subtype: 'task_updated', ...AGENT, patch: { status: 'killed' } });
const shellRuns = step.emit({
  type: 'system',
  subtype: 'background_tasks_changed',
  tasks: [{ task_id: 'shell-1', task_type: 'local_bash' }],
  session_id: '$session_id',
});
const askBash = (name: string) =>
  step.request({ name, subtype: 'can_use_tool', tool_name: 'Bash', input: { name }, tool_use_id: `toolu_${name}` });
const callTool = (name: string) =>
  step.request({
    name,
    subtype: 'mcp_message',
    server_name: 'host',
    message: { jsonrpc: '2.0', id: name, method: 'tools/call', params: { name: 'count', arguments: {} } },
  });
const callHook = (name: string) =>
  step.request({
    name,
    subtype: 'hook_callback',
    callback_id: 'hook-0',
    input: { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {}, tool_response: name },
  });

async function* streamed(text: string) {
  yield { type: 'user', message: { role: 'user', content: text } } as const;
}

async function typesOf(messages: Query): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of messages) types.push(type);
  return types;
}

describe('one-shot stdin', () => {
  for (const how of ['a string', 'a stream'] as const) {
    for (const what of ['permission', 'MCP', 'hook'] as const) {
      it(`stays open for late ${what} traffic when the prompt is ${how}, also after a first result (R18, R19)`, async () => {
        const late = { MCP: callTool, permission: askBash, hook: callHook }[what];
        const fake = await newFake({
          rules: [
            on(
              when.prompt('go'),
              agentStarted,
              step.delay(200),
              late('during'),
              step.awaitResponse('during'),
              step.echoTurn(),
              step.delay(300),
              late('after'),
              step.awaitResponse('after'),
              agentDone,
              step.echoTurn({ text: 'the agent is done' }),
            ),
          ],
        });
        let calls = 0;
        const count = tool('count', 'Counts.', {}, async () => {
          calls += 1;
          return { content: [{ type: 'text', text: String(calls) }] };
        });
        const canUseTool: NonNullable<SessionOptions['canUseTool']> = async (_, input) => {
          calls += 1;
          return { behavior: 'allow', updatedInput: input };
        };
        const noted: HookCallback = () => {
          calls += 1;
          return {};
        };
        const options: SessionOptions = {
          pathToClaudeCodeExecutable: fake.path,
          ...{
            MCP: { mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [count] }) } },
            permission: { canUseTool },
            hook: { hooks: { PostToolUse: [{ hooks: [noted] }] } },
          }[what],
        };
        const types = await typesOf(query({ prompt: how === 'a string' ? 'go' : streamed('go'), options }));
        expect(calls).toBe(2);
        expect(types.filter((type) => type === 'result')).toHaveLength(2);
        await expectNoViolations(fake);
      });
    }
  }

  it('is not held open by a shell that never ends (R19)', async () => {
    const fake = await newFake({ rules: [on(when.prompt('go'), shellRuns, step.echoTurn())] });
    const ms = await timed(() => typesOf(query({ prompt: 'go', options: { pathToClaudeCodeExecutable: fake.path } })));
    expect(ms).toBeLessThan(15_000);
  });

  it('takes an update to killed for the end of an agent (R19)', async () => {
    const fake = await newFake({
      rules: [on(when.prompt('go'), agentStarted, step.echoTurn(), step.delay(100), agentKilled)],
    });
    const ms = await timed(() => typesOf(query({ prompt: 'go', options: { pathToClaudeCodeExecutable: fake.path } })));
    expect(ms).toBeLessThan(15_000);
  });
});

describe('pipes', () => {
  it('are read while a large first line is still being written (R20)', async () => {
    const { start } = await stage({ atStart: [step.writeBeforeRead({ bytes: 2 ** 18 })] });
    const session = await start({ systemPrompt: 'p'.repeat(2 ** 19) });
    expect((await session.prompt('x'.repeat(2 ** 19)).result).outcome).toBe('completed');
  });

  it('serve 50 questions among 5 000 messages that nobody reads (R21)', async () => {
    const frame = {
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(1_000) }] },
    };
    const names = Array.from({ length: 50 }, (_, index) => `q${index}`);
    const noise = names.flatMap((name) => [step.emitMany({ count: 100, frame }), askBash(name)]);
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          step.stderrMany({ count: 1_024, bytes: 1_024 }),
          ...noise,
          ...names.map((name) => step.awaitResponse(name)),
          step.result(),
        ),
      ],
    });
    const session = await start({
      canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
      limits: { maxLogBytes: 2 ** 20, stderrTailBytes: 4_096 },
    });
    expect((await session.prompt('go').result).outcome).toBe('completed');
    const allowed = (await answersTo(fake)).filter((answer) => JSON.stringify(answer).includes('"allow"'));
    expect(allowed).toHaveLength(50);
    expect(session.permissions.pending()).toEqual([]);
    const size = (await kept(session)).reduce(
      (sum, event) => sum + (event.type === 'message' ? event.message.raw.length : 0),
      0,
    );
    expect(size).toBeLessThanOrEqual(2 ** 20);
  });
});

describe('a process that does not read', () => {
  const failOnUncaught = () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', note);
    process.on('unhandledRejection', note);
    onTestFinished(() => {
      process.off('uncaughtException', note);
      process.off('unhandledRejection', note);
      expect(uncaught).toEqual([]);
    });
  };

  it('fails alone, with its exit code, and 50 neighbours live on (R22)', async () => {
    failOnUncaught();
    const neighbour = await script(...ANSWER_INITIALIZE, 'cat >/dev/null');
    const supervisor = newSupervisor({ limits: { maxSessions: 100, maxStarting: 8 } });
    const neighbours = await Promise.all(
      Array.from({ length: 50 }, () => supervisor.start({ pathToClaudeCodeExecutable: neighbour })),
    );
    const systemPrompt = 'p'.repeat(2 ** 20);
    const early = await errorFrom(supervisor.start({ pathToClaudeCodeExecutable: '/bin/false', systemPrompt }));
    expect(early.code).toBe('CLI_EXITED');
    expect(early.details).toMatchObject({ exitCode: 1 });
    expect(early.message).not.toContain('EPIPE');
    const deaf = await script('exec 0<&-', 'sleep 0.5', 'echo "cannot read" >&2', 'exit 3');
    const late = await errorFrom(supervisor.start({ pathToClaudeCodeExecutable: deaf, systemPrompt }));
    expect(late.code).toBe('CLI_EXITED');
    expect(late.details).toMatchObject({ exitCode: 3, stderrTail: 'cannot read' });
    expect(neighbours.map(({ state }) => state)).toEqual(neighbours.map(() => 'ready'));
  });

  it('ends its turn when it closes its input for ever, instead of hanging (R22, P5)', async () => {
    failOnUncaught();
    const { start } = await stage({
      rules: [on(when.initialize(), step.fallThrough(), step.closeStdin(), step.hang())],
    });
    const session = await start({ restart: { type: 'temporary' } });
    const result = await session.prompt('x'.repeat(2 ** 20)).result;
    expect(result.outcome).toBe('failed');
    expect(result.error?.code).toBe('CLI_INPUT_CLOSED');
  });
});
