import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';
import { runs } from '../fixed-chance.ts';

const UUID = '11111111-2222-4333-8444-555555555555';

describe('session options that are accepted', () => {
  it('takes none at all, and every option of this release with its own type', () => {
    expect(parseSessionOptions({})).toEqual({});
    expect(parseSessionOptions(EVERY_OPTION)).toEqual(EVERY_OPTION);
  });

  it('hands live objects on as they are', () => {
    const server = instance();
    const signal = new AbortController().signal;
    const parsed = parseSessionOptions({
      signal,
      mcpServers: { calc: { type: 'sdk', name: 'calc', instance: server } },
    });
    expect(parsed.signal).toBe(signal);
    const [calc] = Object.values(parsed.mcpServers ?? {});
    expect(calc?.type === 'sdk' && calc.instance).toBe(server);
  });

  it('takes an undefined option for one that was not given, except in env, where it removes a variable', () => {
    const parsed = parseSessionOptions({ model: undefined, timeouts: { turnMs: undefined }, env: { HOME: undefined } });
    expect(Object.keys(parsed).sort()).toEqual(['env', 'timeouts']);
    expect(Object.keys(parsed.timeouts ?? {})).toEqual([]);
    expect(Object.keys(parsed.env ?? {})).toEqual(['HOME']);
  });

  it('takes Infinity for "no deadline" (P5)', () => {
    expect(parseSessionOptions({ timeouts: { turnMs: Infinity } }).timeouts).toEqual({ turnMs: Infinity });
  });

  it('takes rules with commas and blanks inside their parentheses', () => {
    const allowedTools = ['Read', 'Bash(git log:*, x y)', 'mcp__calc__add', 'Bash(echo (a))'];
    expect(parseSessionOptions({ allowedTools }).allowedTools).toEqual(allowedTools);
  });
});

describe('session options that are refused (INVALID_OPTIONS)', () => {
  it.each<[field: string, options: unknown, reason: RegExp]>([
    ['modle', { modle: 'opus' }, /did you mean "model"/],
    ['allowedtools', { allowedtools: [] }, /did you mean "allowedTools"/],
    ['timeouts.turnMS', { timeouts: { turnMS: 5 } }, /did you mean "turnMs"/],
    ['restart.backoff.minMS', { restart: { backoff: { minMS: 5 } } }, /did you mean "minMs"/],
    ['bananas', { bananas: 1 }, /^is not an option$/],
    ['hooks.PreToolUs', { hooks: { PreToolUs: [] } }, /PreToolUse/],
    ['hooks.Stop[0].timeout', { hooks: { Stop: [{ hooks: [], timeout: 0 }] } }, /above 0/],
    ['hooks.Stop[0].hooks[0]', { hooks: { Stop: [{ hooks: ['log'] }] } }, /function/],
    ['model', { model: 3 }, /expected string/],
    ['id', { id: 'a b' }, /1 to 128/],
    ['id', { id: `a${'b'.repeat(128)}` }, /1 to 128/],
    ['permissionMode', { permissionMode: 'yolo' }, /bypassPermissions/],
    ['settingSources[0]', { settingSources: ['global'] }, /user/],
    ['allowedTools[2]', { allowedTools: ['Read', 'Bash', 7] }, /expected string/],
    ['tools', { tools: 'Bash' }, /list of tool names/],
    ['systemPrompt.preset', { systemPrompt: { type: 'preset', preset: 'mine' } }, /claude_code/],
    ['systemPrompt', { systemPrompt: 5 }, /a text, a list of texts/],
    ['tools.typ', { tools: { typ: 'preset', type: 'preset', preset: 'claude_code' } }, /not an option/],
    ['canUseTool', { canUseTool: true }, /function/],
    ['sessionId', { sessionId: 'not-a-uuid' }, /UUID/],
    ['maxTurns', { maxTurns: 0 }, /above 0/],
    ['maxTurns', { maxTurns: 1.5 }, /whole/],
    ['maxBudgetUsd', { maxBudgetUsd: Infinity }, /number/],
    ['timeouts.turnMs', { timeouts: { turnMs: -1 } }, /positive/],
    ['timeouts.turnMs', { timeouts: { turnMs: Number.NaN } }, /positive/],
    ['limits.maxPromptQueue', { limits: { maxPromptQueue: Infinity } }, /whole number/],
    ['limits.maxSessions', { limits: { maxSessions: 3 } }, /not an option/],
    ['restart.backoff', { restart: { backoff: { minMs: 9, maxMs: 3 } } }, /minMs must not be above maxMs/],
    ['env["A=B"]', { env: { 'A=B': 'x' } }, /without "="/],
    ['agents.a.memory', { agents: { a: { description: 'd', prompt: 'p', memory: 'mine' } } }, /user/],
    ['agents.a.maxTurns', { agents: { a: { description: 'd', prompt: 'p', maxTurns: 0 } } }, /above 0/],
    ['agents.reviewer.prompt', { agents: { reviewer: { description: 'reviews' } } }, /required/],
    ['mcpServers.x.type', { mcpServers: { x: { type: 'ftp' } } }, /stdio/],
    ['mcpServers.x.command', { mcpServers: { x: {} } }, /required/],
    ['mcpServers.x.required', { mcpServers: { x: { command: 'x', required: 'yes' } } }, /boolean/],
    ['mcpServers.x.timeout', { mcpServers: { x: { command: 'x', timeout: 999 } } }, /from 1000/],
    ['mcpServers.x.tools', { mcpServers: { x: { command: 'x', tools: [] } } }, /not an option/],
    ['mcpServers.x.alwaysLoad', { mcpServers: { x: { type: 'http', url: 'http://h', alwaysLoad: 1 } } }, /boolean/],
    [
      'mcpServers.x.reconnect',
      { mcpServers: { x: { command: 'x', reconnect: { minMs: 9, maxMs: 3 } } } },
      /minMs must not be above maxMs/,
    ],
    [
      'mcpServers.x.tools[0].permission_policy',
      { mcpServers: { x: { type: 'http', url: 'http://h', tools: [{ name: 'a', permission_policy: 'never' }] } } },
      /always_ask/,
    ],
    [
      'mcpServers.x.tools',
      {
        mcpServers: {
          x: {
            type: 'sdk',
            name: 'x',
            instance: instance(),
            tools: [{ name: 'a', permission_policy: 'always_allow' }],
          },
        },
      },
      /use allowedTools/,
    ],
    ['mcpServers.x.instance', { mcpServers: { x: { type: 'sdk', name: 'x', instance: {} } } }, /McpServer/],
    [
      'mcpServers.x.headers.A',
      { mcpServers: { x: { type: 'http', url: 'http://h', headers: { A: 'b\r\nC: d' } } } },
      /line breaks/,
    ],
    ['settings', { settings: '{not json' }, /JSON text/],
    ['skills', { skills: 'pdf' }, /list of skill names/],
    ['skills', { skills: { pdf: true } }, /list of skill names/],
    ['skills[1]', { skills: ['pdf', 7] }, /string/],
    ['mcpServersDelivery', { mcpServersDelivery: 'argv' }, /P11/],
    ['thinking.budgetTokens', { thinking: { type: 'enabled', budgetTokens: 0.5 } }, /whole number/],
    ['effort', { effort: 'heroic' }, /low/],
    ['spawnClaudeCodeProcess', { spawnClaudeCodeProcess: () => {} }, /pid.*spawn/],
    ['settings', { settings: { count: 1n } }, /JSON/],
    ['settings', circular(), /circular/],
    ['mcpServers.__proto__', JSON.parse('{"mcpServers":{"__proto__":{"command":"x"}}}'), /reserved/],
    ['', null, /expected object/],
  ])('names the field and the reason: %s', (field, options, reason) => {
    const error = refused(options);
    expect(error.code).toBe('INVALID_OPTIONS');
    expect(error.details['field']).toBe(field);
    expect(error.details['reason']).toMatch(reason);
    expect(error.message).toContain(field);
  });

  it('lists every issue, and names the first in the message', () => {
    const error = refused({ modle: 'x', maxTurns: 'many', timeouts: { spawnMs: 0 } });
    const fields = (error.details['issues'] as { field: string }[]).map(({ field }) => field);
    expect(fields.sort()).toEqual(['maxTurns', 'modle', 'timeouts.spawnMs']);
  });

  it('never repeats a value, which might be a secret (P11)', () => {
    const secret = 'sk-very-secret';
    const error = refused({
      env: { 'A=B': secret },
      mcpServers: { x: { type: 'http', url: 3, headers: { A: secret } } },
    });
    expect(JSON.stringify(error)).not.toContain(secret);
  });
});

describe('contradictory session options', () => {
  it.each<[options: Record<string, unknown>, field: string, other: string]>([
    [{ resume: 'a', sessionId: UUID }, 'sessionId', 'resume'],
    [{ continue: true, resume: 'a' }, 'continue', 'resume'],
    [{ continue: true, sessionId: UUID }, 'sessionId', 'continue'],
    [{ forkSession: true }, 'forkSession', 'resume'],
    [{ resumeSessionAt: 'a' }, 'resumeSessionAt', 'resume'],
    [{ persistSession: false, resume: 'a' }, 'persistSession', 'resume'],
    [{ permissionMode: 'bypassPermissions' }, 'permissionMode', 'allowDangerouslySkipPermissions'],
    [{ canUseTool: () => {}, permissionPrompts: 'none' }, 'canUseTool', 'permissionPrompts'],
    [{ allowedTools: ['Read', 'Bash'], disallowedTools: ['Bash'] }, 'allowedTools[1]', 'disallowedTools'],
    [{ envMode: 'exact' }, 'envMode', 'env'],
    [{ signal: new AbortController().signal, abortController: new AbortController() }, 'abortController', 'signal'],
    [
      { agents: { a: { description: 'd', prompt: 'p', permissionMode: 'bypassPermissions' } } },
      'agents.a.permissionMode',
      'allowDangerouslySkipPermissions',
    ],
    [{ model: 'opus', fallbackModel: 'opus' }, 'fallbackModel', 'model'],
    [{ resume: 'a', resumeDropsTurn: 'b' }, 'resumeDropsTurn', 'resumeSessionAt'],
    [{ settings: 'a.json', sandbox: { enabled: true } }, 'sandbox', 'settings'],
    [{ managedSettings: { env: { KEY: 'x' } } }, 'managedSettings.env', 'settings'],
    [{ canUseTool: () => {}, permissionPromptToolName: 'mcp__a__b' }, 'permissionPromptToolName', 'canUseTool'],
  ])('are refused with both names: %j (R93, WIRE §12)', (options, field, other) => {
    const error = refused(options);
    expect(error.details['field']).toBe(field);
    expect(error.details['reason']).toContain(other);
    expect(error.message).toContain(field);
  });

  it.each([
    [{ resume: 'a', sessionId: UUID, forkSession: true }],
    [{ continue: true, sessionId: UUID, forkSession: true }],
    [{ resume: 'a', resumeSessionAt: 'b' }],
    [{ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }],
    [{ allowDangerouslySkipPermissions: true }],
    [{ permissionPrompts: 'none' }],
    [{ envMode: 'exact', env: {} }],
  ])('are told from combinations that make sense: %j', (options) => {
    expect(parseSessionOptions(options)).toEqual(options);
  });
});

describe('values that would become flags or further rules (R95)', () => {
  it.each([
    [{ resume: '--dangerously-skip-permissions' }, 'resume'],
    [{ sessionId: '-p' }, 'sessionId'],
    [{ model: '--version' }, 'model'],
    [{ fallbackModel: '-x' }, 'fallbackModel'],
    [{ resume: 'a', resumeSessionAt: '-x' }, 'resumeSessionAt'],
    [{ betas: ['-x'] }, 'betas[0]'],
    [{ betas: ['a,b'] }, 'betas[0]'],
    [{ model: 'a\nb' }, 'model'],
    [{ resume: '' }, 'resume'],
    [{ resume: 'a', resumeSessionAt: 'b', resumeDropsTurn: '' }, 'resumeDropsTurn'],
    [{ skills: ['pdf', 'a),Bash(*'] }, 'skills[1]'],
    [{ skills: ['*'] }, 'skills[0]'],
    [{ allowedTools: ['Read,Bash(*)'] }, 'allowedTools[0]'],
    [{ allowedTools: ['Read Bash'] }, 'allowedTools[0]'],
    [{ allowedTools: ['Bash(echo (a), Read)'] }, 'allowedTools[0]'],
    [{ allowedTools: ['Bash(a'] }, 'allowedTools[0]'],
    [{ disallowedTools: ['Bash\n'] }, 'disallowedTools[0]'],
    [{ allowedTools: [''] }, 'allowedTools[0]'],
    [{ tools: ['--help'] }, 'tools[0]'],
    [{ tools: ['Read,Bash'] }, 'tools[0]'],
    [{ mcpServers: { 'a b': { type: 'sdk', name: 'a', instance: instance() } } }, 'mcpServers["a b"]'],
    [{ extraArgs: { 'a=b': null } }, 'extraArgs["a=b"]'],
    [{ extraArgs: { '--x': null } }, 'extraArgs["--x"]'],
    [{ extraArgs: { 'permission-mode': 'plan' } }, 'extraArgs["permission-mode"]'],
    [{ extraArgs: { 'dangerously-skip-permissions': null } }, 'extraArgs["dangerously-skip-permissions"]'],
    [{ extraArgs: { print: null } }, 'extraArgs.print'],
    [{ model: 'a\0b' }, 'model'],
    [{ env: { A: 'a\0b' } }, 'env.A'],
    [{ agents: { a: { description: 'd', prompt: 'p\0' } } }, 'agents.a.prompt'],
  ])('are refused: %j', (options, field) => {
    expect(refused(options).details['field']).toBe(field);
  });

  it('tells which option to use instead of an extra flag', () => {
    expect(refused({ extraArgs: { 'add-dir': '/x' } }).message).toContain('additionalDirectories');
  });

  it('never fails but with INVALID_OPTIONS, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), fc.constantFrom(...Object.keys(EVERY_OPTION)), (value, name) => {
        try {
          parseSessionOptions({ [name]: value });
        } catch (error) {
          expect(TroupeError.is(error) && error.code).toBe('INVALID_OPTIONS');
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});

function instance(): object {
  return { connect: () => {}, close: () => {} };
}

function circular(): unknown {
  const settings: Record<string, unknown> = {};
  settings['self'] = settings;
  return { settings };
}

function refused(options: unknown): TroupeError {
  try {
    parseSessionOptions(options);
  } catch (error) {
    if (TroupeError.is(error)) return error;
    throw error;
  }
  throw new Error('was accepted');
}

const EVERY_OPTION = {
  id: 'review-1',
  cwd: '/work',
  model: 'opus',
  fallbackModel: 'sonnet,haiku',
  permissionMode: 'acceptEdits',
  allowDangerouslySkipPermissions: false,
  allowedTools: ['Read'],
  disallowedTools: ['WebFetch'],
  tools: { type: 'preset', preset: 'claude_code' },
  mcpServers: {
    calc: { type: 'sdk', name: 'calc', instance: instance(), required: true },
    files: { command: 'node', args: ['x.js'], env: { KEY: 'k' } },
    web: { type: 'http', url: 'http://127.0.0.1/mcp', headers: { Authorization: 'x' } },
    old: { type: 'sse', url: 'http://127.0.0.1/sse' },
  },
  strictMcpConfig: true,
  canUseTool: () => ({ behavior: 'deny', message: 'no' }),
  permissionPrompts: 'host',
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
  agents: {
    reviewer: {
      description: 'reviews',
      prompt: 'Review.',
      tools: ['Read'],
      disallowedTools: ['Bash'],
      model: 'haiku',
      mcpServers: ['web', { own: { command: 'own' } }],
      skills: ['pdf'],
      initialPrompt: 'Begin.',
      maxTurns: 3,
      autoCompactWindow: 50_000,
      background: true,
      omitClaudeMd: true,
      memory: 'project',
      effort: 'low',
      permissionMode: 'plan',
      observer: 'watcher',
      observerMessage: 'Look.',
      criticalSystemReminder_EXPERIMENTAL: 'Mind.',
      fieldOfTomorrow: 1,
    },
  },
  agent: 'reviewer',
  title: 'A title',
  planModeInstructions: 'Plan so.',
  toolAliases: { Bash: 'mcp__calc__bash' },
  toolConfig: { askUserQuestion: { previewFormat: 'html' } },
  skills: ['pdf', 'plugin:skill'],
  plugins: [{ type: 'local', path: './plugin', skipMcpDiscovery: true }],
  pluginDelivery: 'argv',
  mcpServersDelivery: 'initialize',
  sandbox: { enabled: true, network: { deniedDomains: ['a'] } },
  managedSettings: { permissions: { deny: ['WebFetch'] } },
  projectConfigRoot: '/project',
  includeHookEvents: true,
  forwardSubagentText: true,
  verbatimPrompts: true,
  promptSuggestions: true,
  agentProgressSummaries: true,
  perTaskStopAffordance: true,
  thinking: { type: 'enabled', budgetTokens: 1_000, display: 'omitted' },
  effort: 'max',
  taskBudget: { total: 1 },
  resumeDropsTurn: 'prompt',
  resume: 'conversation',
  continue: false,
  forkSession: true,
  sessionId: UUID,
  resumeSessionAt: 'message',
  persistSession: true,
  maxTurns: 3,
  maxBudgetUsd: 0.5,
  maxThinkingTokens: 0,
  includePartialMessages: true,
  additionalDirectories: ['/tmp'],
  settings: { permissions: { allow: [] } },
  settingSources: ['user', 'project', 'local'],
  extraArgs: { brief: 'low', x: '--version', ide: null },
  env: { A: 'b' },
  envMode: 'exact',
  configDir: '/config',
  pathToClaudeCodeExecutable: '/bin/claude',
  dialect: 'print',
  executable: 'node',
  executableArgs: ['--no-warnings'],
  enableFileCheckpointing: true,
  betas: ['context-1m-2025-08-07'],
  outputFormat: { type: 'json_schema', schema: { type: 'object' } },
  debug: true,
  debugFile: '/tmp/log',
  stderr: () => {},
  signal: new AbortController().signal,
  autoStart: false,
  key: 'ticket-1',
  keepDescendants: true,
  restart: { type: 'permanent', intensity: 0, periodMs: 1, backoff: { minMs: 0, maxMs: 1, factor: 1, jitter: 1 } },
  timeouts: { turnMs: 1, admissionMs: Infinity },
  limits: { maxLineBytes: 1 },
};
