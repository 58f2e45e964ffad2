import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, query as official } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, type SessionOptions } from '../../../src/index.ts';

/** What a process was started with, and what it was told first. */
interface Start {
  readonly flags: readonly string[];
  readonly initialize: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly user: Readonly<Record<string, unknown>>;
}

const STUB = fileURLToPath(new URL('stub-cli.mjs', import.meta.url));
const UUID = '11111111-2222-4333-8444-555555555555';
const VARIABLES = /^(CLAUDE_CODE_QUESTION|CLAUDE_CODE_ENABLE_SDK_FILE)/;

let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'official-options-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Options both packages take, as they are written for the official one. Hooks and servers are compared by programs. */
const OPTIONS: readonly Partial<Options>[] = [
  { model: 'haiku', fallbackModel: 'sonnet' },
  { agent: 'lead', agents: { lead: { description: 'd', prompt: 'p', tools: ['Read'], maxTurns: 3 } } },
  { toolAliases: { Bash: 'mcp__x__bash' } },
  { tools: ['Read', 'Bash'] },
  { tools: { type: 'preset', preset: 'claude_code' } },
  { toolConfig: { askUserQuestion: { previewFormat: 'html' } } },
  { betas: ['context-1m-2025-08-07'] },
  { perTaskStopAffordance: true },
  { persistSession: false },
  { includeHookEvents: true, includePartialMessages: true },
  { forwardSubagentText: true },
  { verbatimPrompts: true },
  { thinking: { type: 'enabled', budgetTokens: 3_000, display: 'summarized' } },
  { thinking: { type: 'adaptive' } },
  { thinking: { type: 'disabled' } },
  { effort: 'low' },
  { maxThinkingTokens: 3_000 },
  { maxTurns: 3, maxBudgetUsd: 1.5 },
  { taskBudget: { total: 1_000 } },
  { outputFormat: { type: 'json_schema', schema: { type: 'object' } } },
  { permissionMode: 'plan', planModeInstructions: 'Plan so.' },
  { allowDangerouslySkipPermissions: true, permissionMode: 'bypassPermissions' },
  { permissionPromptToolName: 'mcp__x__y' },
  { plugins: [{ type: 'local', path: '/nowhere' }] },
  { plugins: [{ type: 'local', path: '/nowhere' }], pluginDelivery: 'initialize' },
  { mcpServers: { x: { type: 'stdio', command: 'false', env: { A: 'b' } } }, mcpServersDelivery: 'initialize' },
  { promptSuggestions: true, agentProgressSummaries: true },
  { resume: UUID },
  { resume: UUID, resumeSessionAt: 'a', resumeDropsTurn: 'b', forkSession: true },
  { continue: true },
  { sessionId: UUID },
  { settingSources: ['user', 'project'] },
  { skills: ['pdf'] },
  { skills: 'all' },
  { debug: true },
  { debugFile: '/tmp/none.log' },
  { strictMcpConfig: true },
  { systemPrompt: 'Be kind.' },
  { systemPrompt: ['Be', 'kind.'] },
  { systemPrompt: { type: 'custom', prompt: 'Be kind.', snapshot: true } },
  {
    systemPrompt: { type: 'preset', preset: 'claude_code', append: 'z', excludeDynamicSections: true, snapshot: false },
  },
  { title: 'A title' },
  { enableFileCheckpointing: true },
  { additionalDirectories: ['/tmp', '/var'] },
  { allowedTools: ['Bash(git *)', 'Read'], disallowedTools: ['Edit'] },
  { managedSettings: { model: 'y' } },
  { projectConfigRoot: '/tmp' },
];

describe('options reach the CLI as the official SDK sends them', () => {
  it.each(OPTIONS)('%j', async (options) => {
    const theirs = await started((env) => official({ prompt: 'hi', options: { ...launch(env), ...options } }));
    const ours = await started((env) =>
      query({ prompt: 'hi', options: { ...launch(env), ...(options as unknown as SessionOptions) } }),
    );

    expect(ours.flags).toEqual(expected(theirs.flags));
    expect(ours.initialize).toEqual(theirs.initialize);
    // Any value that is not empty switches checkpoints on.
    expect(Object.keys(ours.variables)).toEqual(Object.keys(theirs.variables));
    expect(ours.user['client_composed']).toBe(theirs.user['client_composed']);
  });
});

function launch(env: Record<string, string>) {
  return { pathToClaudeCodeExecutable: STUB, env };
}

/** Prompts are acknowledged by echo (WIRE §11); the schema travels in the initialize request alone, whatever its size (R94). */
function expected(theirs: readonly string[]): string[] {
  return [...theirs.filter((flag) => !flag.startsWith('--json-schema')), '--replay-user-messages'].toSorted();
}

async function started(run: (env: Record<string, string>) => AsyncIterable<unknown>): Promise<Start> {
  count += 1;
  const notes = join(root, `${count}.ndjson`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, STUB_NOTES: notes };
  for await (const _ of run(env)) void _;
  const [start, ...rest] = (await readFile(notes, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const messages = rest.map(({ message }: { message: Record<string, unknown> }) => message);
  const request = messages.find(({ type }) => type === 'control_request')?.['request'] as Record<string, unknown>;
  const { subtype: _, ...initialize } = request;
  const variables = Object.entries(start.env as Record<string, string>).filter(([name]) => VARIABLES.test(name));
  return {
    flags: joined(start.argv),
    initialize,
    variables: Object.fromEntries(variables.toSorted()),
    user: messages.find(({ type }) => type === 'user') ?? {},
  };
}

/** Flags sorted, each with its value: the official SDK puts some values into an argument of their own. */
function joined(argv: readonly string[]): string[] {
  const flags: string[] = [];
  for (const argument of argv) {
    if (argument.startsWith('--')) flags.push(argument);
    else flags.push(`${flags.pop()}=${argument}`);
  }
  return flags.toSorted();
}
