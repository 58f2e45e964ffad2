import {
  createSdkMcpServer,
  type HookCallback,
  type Options,
  type PermissionResult,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { on, type Scenario, type Step, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { scenarioOf } from '../dialects/fake-harness.ts';
import { newFake, violationsOf } from '../fake-cli/fakes.ts';

const BASH = step.toolTurn({ tool: 'Bash', input: { command: 'make deploy' }, output: 'deployed' });

describe('the official SDK as a client of the fake CLI, unchanged (DIALECTS §1)', () => {
  it('has a prompt answered', async () => {
    const { messages, result, violations } = await run({ prompt: 'What is 2+2?' });

    // The states of the session are for the SDK's own eyes.
    expect(messages.map(kind)).toEqual(['system/init', 'assistant', 'result/success']);
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Echo: What is 2+2?', num_turns: 1 });
    expect(violations).toEqual([]);
  });

  it('has several prompts answered in one conversation', async () => {
    const { messages, violations } = await run({ prompt: prompts('one', 'two') });
    const results = messages.filter((message) => message.type === 'result');

    expect(results).toMatchObject([{ result: 'Echo: one' }, { result: 'Echo: two' }]);
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
    expect(violations).toEqual([]);
  });

  it('is streamed the words of an answer', async () => {
    const { messages, result, violations } = await run({
      prompt: 'SLOW 5',
      scenario: scenarioOf('stream-json'),
      options: { includePartialMessages: true },
    });
    const words = messages.flatMap((message) =>
      message.type === 'stream_event' &&
      message.event.type === 'content_block_delta' &&
      message.event.delta.type === 'text_delta'
        ? [message.event.delta.text]
        : [],
    );

    expect(words).toHaveLength(5);
    expect(words.join('')).toBe(result?.subtype === 'success' ? result.result : undefined);
    expect(violations).toEqual([]);
  });

  it.each<[string, PermissionResult, string, unknown]>([
    ['allow', { behavior: 'allow', updatedInput: { command: 'make test' } }, 'deployed', [{ command: 'make test' }]],
    ['deny', { behavior: 'deny', message: 'Not on a Sunday.' }, 'Not on a Sunday.', []],
  ])('is asked for a permission, and its %s holds', async (_, answer, said, ran) => {
    const asked: unknown[] = [];
    const { messages, fake, violations } = await run({
      prompt: 'deploy',
      scenario: always(BASH),
      options: {
        canUseTool: async (toolName, input, { toolUseID, suggestions }) => {
          asked.push([toolName, input, toolUseID.startsWith('toolu_'), suggestions?.length]);
          return answer;
        },
      },
    });
    const journal = await fake.journal();

    expect(asked).toEqual([['Bash', { command: 'make deploy' }, true, 1]]);
    expect(JSON.stringify(messages)).toContain(said);
    expect(journal.flatMap((entry) => (entry.kind === 'tool' ? [entry.input] : []))).toEqual(ran);
    expect(violations).toEqual([]);
  });

  it('has its hooks called around a tool, and the tool does what they say', async () => {
    const events: string[] = [];
    const guard: HookCallback = async (input) => {
      events.push(input.hook_event_name);
      if (input.hook_event_name !== 'PreToolUse') return {};
      const change = { permissionDecision: 'allow', updatedInput: { command: 'make test' } } as const;
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...change } };
    };
    const hooks = {
      UserPromptSubmit: [{ hooks: [guard] }],
      PreToolUse: [{ matcher: 'Bash', hooks: [guard] }],
      PostToolUse: [{ matcher: 'Read', hooks: [guard] }],
      Stop: [{ hooks: [guard] }],
    };
    const { fake, violations } = await run({ prompt: 'deploy', scenario: always(BASH), options: { hooks } });
    const journal = await fake.journal();

    expect(events).toEqual(['UserPromptSubmit', 'PreToolUse', 'Stop']);
    expect(journal.flatMap((entry) => (entry.kind === 'tool' ? [entry.input] : []))).toEqual([
      { command: 'make test' },
    ]);
    expect(violations).toEqual([]);
  });

  it('has its in-process tool called: result, error and isError reach the conversation', async () => {
    const called: unknown[] = [];
    const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
    const calculator = createSdkMcpServer({
      name: 'calculator',
      tools: [
        tool('add', 'Adds.', { left: z.number(), right: z.number() }, async (input) => {
          called.push(input);
          return says(`The sum is ${input.left + input.right}`);
        }),
        tool('refuse', 'Says no.', {}, async () => ({ ...says('The calculator is closed'), isError: true })),
        tool('explode', 'Throws.', {}, async () => {
          throw new Error('The calculator exploded');
        }),
      ],
    });
    const { messages, violations } = await run({
      prompt: prompts('CALL mcp__calculator__add', 'CALL mcp__calculator__refuse', 'CALL mcp__calculator__explode'),
      scenario: scenarioOf('stream-json'),
      options: { mcpServers: { calculator } },
    });
    const results = messages.flatMap((message) => (message.type === 'user' ? [message.message.content] : []));
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');

    expect(called).toEqual([{ left: 2, right: 3 }]);
    expect(init).toMatchObject({ mcp_servers: [{ name: 'calculator', status: 'connected' }] });
    expect(results).toMatchObject([
      [{ type: 'tool_result', content: [{ text: 'The sum is 5' }] }],
      [{ type: 'tool_result', content: [{ text: 'The calculator is closed' }], is_error: true }],
      [{ type: 'tool_result', content: [{ text: 'The calculator exploded' }], is_error: true }],
    ]);
    expect(violations).toEqual([]);
  });

  it('interrupts a turn, is told so, and goes on', async () => {
    let isAsked = false;
    const { messages, violations } = await run({
      prompt: prompts('SLOW 200', 'still there?'),
      scenario: scenarioOf('stream-json'),
      options: { includePartialMessages: true },
      async onMessage(message, conversation) {
        if (isAsked || message.type !== 'stream_event' || message.event.type !== 'content_block_delta') return;
        isAsked = true;
        expect(await conversation.interrupt()).toEqual({ still_queued: [] });
      },
    });
    const results = messages.filter((message) => message.type === 'result');

    expect(results).toMatchObject([
      { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' },
      { subtype: 'success', result: 'Echo: still there?' },
    ]);
    expect(violations).toEqual([]);
  });

  it('is told of a failed turn as the real CLI tells it', async () => {
    const { result, thrown, violations } = await run({ prompt: 'ERROR 400', scenario: scenarioOf('stream-json') });

    expect(result).toMatchObject({ subtype: 'success', is_error: true, api_error_status: 400 });
    expect(String(thrown)).toContain('API Error: 400');
    expect(violations).toEqual([]);
  });

  it('makes its control requests, and each is answered', async () => {
    const answers: unknown[] = [];
    const { violations } = await run({
      prompt: prompts('hello'),
      async onMessage(message, conversation) {
        if (message.type !== 'result') return;
        await conversation.setModel('haiku');
        await conversation.setPermissionMode('plan');
        answers.push((await conversation.initializationResult()).account);
        answers.push(await conversation.mcpServerStatus());
        answers.push(await conversation.supportedModels());
        answers.push((await conversation.getContextUsage()).percentage);
      },
    });

    expect(answers).toEqual([expect.objectContaining({ apiProvider: 'firstParty' }), [], [], 0]);
    expect(violations).toEqual([]);
  });
});

interface Run {
  readonly prompt: string | AsyncGenerator<SDKUserMessage>;
  readonly scenario?: Scenario;
  readonly options?: Options;
  onMessage?(message: SDKMessage, conversation: Query): Promise<void>;
}

/** One query from its first message to its last, and what the fake saw of it. */
async function run({ prompt, scenario = {}, options = {}, onMessage }: Run) {
  const fake = await newFake(scenario);
  const env = { PATH: process.env['PATH'], HOME: '/nowhere' };
  const conversation = query({ prompt, options: { pathToClaudeCodeExecutable: fake.path, env, ...options } });
  const messages: SDKMessage[] = [];
  let result: SDKResultMessage | undefined;
  let thrown: unknown;
  try {
    for await (const message of conversation) {
      messages.push(message);
      if (message.type === 'result') result = message;
      await onMessage?.(message, conversation);
      if (message.type === 'result') answered();
    }
  } catch (error) {
    thrown = error;
  }
  if (result === undefined) throw new Error('The query ended without a result.', { cause: thrown });
  return { messages, result, thrown, fake, violations: await violationsOf(fake) };
}

let answered = (): void => {};

/** Prompts, each sent when the one before has its result: so none is merged with another (WIRE §11). */
async function* prompts(...texts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const content of texts) {
    const result = new Promise<void>((resolve) => {
      answered = resolve;
    });
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    await result;
  }
}

function kind(message: SDKMessage): string {
  return 'subtype' in message ? `${message.type}/${message.subtype}` : message.type;
}

function always(...steps: readonly Step[]): Scenario {
  return { rules: [on(when.prompt(), ...steps)] };
}
