import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planLaunch } from '../../../src/launch/launch-plan.ts';
import { parseSessionOptions } from '../../../src/launch/session-options.ts';

/*
 * What becomes of options that are laid over each other. Each is compared with the command line and the `initialize` request
 * that the official SDK sends for the same value; single options are compared in test/slow/official-sdk.
 */
const STUB = fileURLToPath(new URL('../official-sdk/stub-cli.mjs', import.meta.url));
const UUID = '11111111-2222-4333-8444-555555555555';

let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'official-launch-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe('settings are what the official SDK would have given', () => {
  it.each<[title: string, options: Partial<Options>]>([
    ['a sandbox alone must be there', { sandbox: { enabled: true } }],
    ['a sandbox that may be missing', { sandbox: { enabled: true, failIfUnavailable: false } }],
    ['a sandbox that is off', { sandbox: { enabled: false } }],
    ['a sandbox that says nothing', { sandbox: {} }],
    ['beside other settings', { sandbox: { enabled: true }, settings: { model: 'x' } }],
    [
      'beside settings as JSON text',
      { sandbox: { enabled: true }, settings: '{"model":"x","sandbox":{"enabled":false}}' },
    ],
    [
      'settings that let a missing sandbox pass',
      {
        sandbox: { enabled: true },
        settings: { sandbox: { failIfUnavailable: false, autoAllowBashIfSandboxed: true } },
      },
    ],
    [
      'restrictions of both sides',
      {
        sandbox: {
          enabled: true,
          network: { deniedDomains: ['z', 'y'] },
          filesystem: { denyRead: ['/a'], allowWrite: ['/p'] },
        },
        settings: {
          sandbox: { network: { deniedDomains: ['y'] }, filesystem: { denyRead: ['/b'], allowWrite: ['/q'] } },
        },
      },
    ],
    [
      'nothing that undoes a restriction of the network',
      {
        sandbox: { enabled: true, network: { allowedDomains: ['a'], socksProxyPort: 4 } },
        settings: { sandbox: { network: { allowedDomains: ['b'], httpProxyPort: 3, socksProxyPort: 3 } } },
      },
    ],
    [
      'a proxy, where nothing restricts the network',
      {
        sandbox: { enabled: true, network: { deniedDomains: [], strictAllowlist: false } },
        settings: { sandbox: { network: { httpProxyPort: 3 } } },
      },
    ],
    [
      'nothing that undoes a restriction of files',
      {
        sandbox: { enabled: true, filesystem: { denyRead: ['/a'] } },
        settings: { sandbox: { filesystem: { disabled: true, denyWrite: ['/w'] } } },
      },
    ],
    [
      'nothing that undoes a denied credential',
      {
        sandbox: {
          enabled: true,
          credentials: {
            files: [
              { path: '/c', mode: 'deny' },
              { path: '/d', mode: 'deny' },
            ],
          },
        },
        settings: {
          sandbox: { filesystem: { disabled: true }, credentials: { files: [{ path: '/d', mode: 'deny' }] } },
        },
      },
    ],
    [
      'parts that belong together',
      {
        sandbox: { enabled: true, ripgrep: { command: 'a' }, network: { tlsTerminate: { caCertPath: 'c' } } },
        settings: {
          sandbox: { ripgrep: { command: 'b', args: ['x'] }, network: { tlsTerminate: { caKeyPath: 'k' } } },
        },
      },
    ],
  ])('%s', async (_, options) => {
    const [official, ours] = await Promise.all([officialStart(options), ourStart(options)]);

    expect(ours.settings).toEqual(official.settings);
    expect(ours.settings).toHaveProperty('sandbox');
  });
});

describe('flags and fields are what the official SDK would have given', () => {
  it.each<Partial<Options>>([
    { skills: ['pdf', 'a:b'], allowedTools: ['Skill(pdf)', 'Read'], settingSources: ['user'] },
    { skills: 'all', allowedTools: ['Skill', 'Read'], settingSources: ['user'] },
    { skills: [], settingSources: [] },
    { thinking: { type: 'enabled' }, settingSources: [] },
    { thinking: { type: 'enabled', display: 'omitted' }, settingSources: [] },
    { thinking: { type: 'adaptive' }, maxThinkingTokens: 500, settingSources: [] },
    { thinking: { type: 'disabled' }, maxThinkingTokens: 500, settingSources: [] },
    { maxThinkingTokens: 0, settingSources: [] },
    {
      plugins: [
        { type: 'local', path: '/a', skipMcpDiscovery: true },
        { type: 'local', path: './b' },
      ],
      settingSources: [],
    },
    {
      plugins: [{ type: 'local', path: '/a', skipMcpDiscovery: true }],
      pluginDelivery: 'initialize',
      settingSources: [],
    },
    { plugins: [], pluginDelivery: 'initialize', settingSources: [] },
    { systemPrompt: '', settingSources: [] },
    { systemPrompt: [], settingSources: [] },
    { systemPrompt: { type: 'preset', preset: 'claude_code', excludeDynamicSections: false }, settingSources: [] },
    { debug: true, debugFile: '/tmp/none.log', settingSources: [] },
    { resume: UUID, settingSources: [], forkSession: true, sessionId: UUID },
    {
      forwardSubagentText: false,
      promptSuggestions: false,
      agentProgressSummaries: false,
      perTaskStopAffordance: false,
      includeHookEvents: false,
      settingSources: [],
    },
  ])('%j', async (options) => {
    const [official, ours] = await Promise.all([officialStart(options), ourStart(options)]);

    // The mode and the permission tool are always stated here, and prompts are acknowledged by echo (WIRE §11, §25.26).
    const stated = ['--permission-mode=default', '--permission-prompt-tool=stdio', '--replay-user-messages'];
    expect(ours.flags).toEqual([...official.flags, ...stated].toSorted());
    // Without the option the official SDK sends an empty prompt; here the CLI's own stays.
    const { systemPrompt, ...others } = official.initialize;
    expect(ours.initialize).toEqual(options.systemPrompt === undefined ? others : official.initialize);
    if (options.systemPrompt === undefined) expect(systemPrompt).toEqual(['']);
  });
});

interface Start {
  readonly flags: readonly string[];
  readonly settings: unknown;
  readonly initialize: Readonly<Record<string, unknown>>;
}

async function officialStart(options: Partial<Options>): Promise<Start> {
  count += 1;
  const notes = join(root, `${count}.ndjson`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, STUB_NOTES: notes };
  const messages = query({ prompt: 'hi', options: { pathToClaudeCodeExecutable: STUB, env, ...options } });
  for await (const _ of messages) void _;
  const lines = (await readFile(notes, 'utf8')).trim().split('\n');
  const [start, ...told] = lines.map((line) => JSON.parse(line));
  const asked = told.find(({ message }) => message.type === 'control_request');
  return started(start.argv, asked.message.request);
}

async function ourStart(options: Partial<Options>): Promise<Start> {
  const { plan, initialize } = await planLaunch({
    options: parseSessionOptions({ pathToClaudeCodeExecutable: process.execPath, ...options }),
    sessionId: 'ours',
    incarnation: 1,
    host: { env: { TMPDIR: root }, cwd: root, execPath: process.execPath },
    stderrTailBytes: 1_000,
    token: 'token',
  });
  const given = await started(plan.args, initialize);
  return { ...given, settings: JSON.parse(await readFile(plan.temporaryFiles[0] ?? '', 'utf8').catch(() => 'null')) };
}

/** Flags sorted, each with its value: the official SDK puts some values into an argument of their own. */
function started(argv: readonly string[], request: Readonly<Record<string, unknown>>): Start {
  const joined: string[] = [];
  for (const argument of argv) {
    if (argument.startsWith('--')) joined.push(argument);
    else joined.push(`${joined.pop()}=${argument}`);
  }
  const settings = joined.find((flag) => flag.startsWith('--settings='))?.slice('--settings='.length);
  const { subtype: _, ...initialize } = request;
  return {
    flags: joined.toSorted(),
    settings: settings?.startsWith('{') === true ? JSON.parse(settings) : undefined,
    initialize,
  };
}
