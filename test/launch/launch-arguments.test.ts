import { describe, expect, it } from 'vitest';
import { type LaunchContext, launchArguments } from '../../src/launch/launch-arguments.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';

const UUID = '11111111-2222-4333-8444-555555555555';

const ALWAYS = [
  '--output-format=stream-json',
  '--verbose',
  '--input-format=stream-json',
  '--permission-prompt-tool=stdio',
  '--permission-mode=default',
  '--setting-sources=',
  '--replay-user-messages',
];

describe('the command line', () => {
  it('asks by default: mode, settings and permission tool are always stated (R93, WIRE §25.26)', () => {
    expect(argumentsOf({})).toEqual(ALWAYS);
  });

  it.each<[options: Record<string, unknown>, further: string[]]>([
    [{ model: 'opus', fallbackModel: 'a,b' }, ['--model=opus', '--fallback-model=a,b']],
    [{ maxTurns: 3, maxBudgetUsd: 0.5 }, ['--max-turns=3', '--max-budget-usd=0.5']],
    [{ maxThinkingTokens: 500 }, ['--max-thinking-tokens=500']],
    [{ maxThinkingTokens: 0 }, ['--thinking=disabled']],
    [{ maxThinkingTokens: 500, thinking: { type: 'adaptive' } }, ['--thinking=adaptive']],
    [{ betas: ['x', 'y'] }, ['--betas=x,y']],
    [{ tools: ['Read', 'Bash'] }, ['--tools=Read,Bash']],
    [{ tools: { type: 'preset', preset: 'claude_code' } }, ['--tools=default']],
    [
      { allowedTools: ['Read', 'Bash(a, b)'], disallowedTools: ['WebFetch'] },
      ['--allowedTools=Read,Bash(a, b)', '--disallowedTools=WebFetch'],
    ],
    [{ allowDangerouslySkipPermissions: true }, ['--allow-dangerously-skip-permissions']],
    [{ permissionPrompts: 'none' }, []],
    [{ agent: 'lead', effort: 'low', taskBudget: { total: 9 } }, ['--agent=lead', '--effort=low', '--task-budget=9']],
    [{ thinking: { type: 'disabled' } }, ['--thinking=disabled']],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, ['--thinking=adaptive', '--thinking-display=omitted']],
    [{ thinking: { type: 'enabled' } }, ['--thinking=adaptive']],
    [{ thinking: { type: 'enabled', budgetTokens: 9 } }, ['--max-thinking-tokens=9']],
    [
      {
        plugins: [
          { type: 'local', path: '/a' },
          { type: 'local', path: '/b', skipMcpDiscovery: true },
        ],
      },
      ['--plugin-dir=/a', '--plugin-dir-no-mcp=/b'],
    ],
    [{ plugins: [{ type: 'local', path: '/a' }], pluginDelivery: 'initialize' }, ['--await-initialize']],
    [{ plugins: [], pluginDelivery: 'initialize', mcpServers: {}, mcpServersDelivery: 'initialize' }, []],
    [
      { mcpServers: { a: { command: 'x', env: { K: 'v' } } }, mcpServersDelivery: 'initialize' },
      ['--await-initialize'],
    ],
    [{ managedSettings: { model: 'y' } }, ['--managed-settings={"model":"y"}']],
    [{ projectConfigRoot: '/p', includeHookEvents: true }, ['--project-config-root=/p', '--include-hook-events']],
    [
      { resume: 'a', resumeSessionAt: 'b', resumeDropsTurn: 'c' },
      ['--resume=a', '--resume-session-at=b', '--resume-drops-turn=c'],
    ],
    [{ strictMcpConfig: true }, ['--strict-mcp-config']],
    [{ resume: UUID }, [`--resume=${UUID}`]],
    [
      { resume: 'a', forkSession: true, sessionId: UUID, resumeSessionAt: 'b' },
      ['--resume=a', '--fork-session', `--session-id=${UUID}`, '--resume-session-at=b'],
    ],
    [{ continue: true }, ['--continue']],
    [{ persistSession: false }, ['--no-session-persistence']],
    [{ settings: 'my/settings.json' }, ['--settings=my/settings.json']],
    [{ additionalDirectories: ['/a', '/b c'] }, ['--add-dir=/a', '--add-dir=/b c']],
    [{ includePartialMessages: true }, ['--include-partial-messages']],
    [{ debug: true }, ['--debug']],
    [{ debug: true, debugFile: '/log' }, ['--debug-file=/log']],
    [
      { extraArgs: { channels: 'low', ide: null, x: '--version', y: '' } },
      ['--channels=low', '--ide', '--x=--version', '--y='],
    ],
    [{ forkSession: false, continue: false, persistSession: true, debug: false, strictMcpConfig: false }, []],
  ])('adds for %j exactly those flags', (options, further) => {
    expect(argumentsOf(options)).toEqual([...ALWAYS, ...further]);
  });

  it('states the mode that was asked for, and bypass with its second flag (R93)', () => {
    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto']) {
      expect(argumentsOf({ permissionMode: mode })).toContain(`--permission-mode=${mode}`);
    }
    const bypass = argumentsOf({ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true });
    expect(bypass).toEqual(
      expect.arrayContaining(['--permission-mode=bypassPermissions', '--allow-dangerously-skip-permissions']),
    );
  });

  it('lets skills run and loads the settings they lie in, without touching what the caller gave', () => {
    const options = { skills: ['pdf', 'my-plugin:x y'], allowedTools: ['Read', 'Skill(pdf)'] };
    expect(argumentsOf(options)).toEqual(
      expect.arrayContaining(['--allowedTools=Read,Skill(pdf),Skill(my-plugin:x y)', '--setting-sources=user,project']),
    );
    expect(options).toEqual({ skills: ['pdf', 'my-plugin:x y'], allowedTools: ['Read', 'Skill(pdf)'] });
    expect(argumentsOf({ skills: 'all', settingSources: ['local'] })).toEqual(
      expect.arrayContaining(['--allowedTools=Skill', '--setting-sources=local']),
    );
  });

  it('names another permission tool instead of Troupe where that is asked for', () => {
    expect(argumentsOf({ permissionPromptToolName: 'mcp__a__b' })).toContain('--permission-prompt-tool=mcp__a__b');
  });

  it('writes an empty list as --flag=, so that it cannot swallow the next flag (R95)', () => {
    const options = { allowedTools: [], disallowedTools: [], tools: [], settingSources: [], betas: [] };
    expect(argumentsOf(options)).toEqual([...ALWAYS, '--tools=', '--allowedTools=', '--disallowedTools=']);
  });

  it('is one argument for each flag with its value: none stands alone (R95)', () => {
    expect(argumentsOf(FULL).every((argument) => /^--[a-zA-Z][a-zA-Z-]*(=|$)/.test(argument))).toBe(true);
  });

  it('names an in-process server inline, always with its name (WIRE §3), and keeps `required` to itself', () => {
    const mcpServers = { calc: { type: 'sdk', name: 'other', instance: SERVER, required: true } };
    expect(argumentsOf({ mcpServers }).at(-1)).toBe(
      '--mcp-config={"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}',
    );
  });

  it('says nothing about servers when there are none', () => {
    expect(argumentsOf({ mcpServers: {} })).toEqual(ALWAYS);
  });

  it('never holds a secret of a server or of settings: those come as paths of private files (P11)', () => {
    const files = { mcpConfig: '/private/mcp-config.json', settings: '/private/settings.json' };
    const args = argumentsOf(FULL, { files });
    expect(args).toEqual(expect.arrayContaining([`--mcp-config=${files.mcpConfig}`, `--settings=${files.settings}`]));
    expect(args.join(' ')).not.toContain('secret');
    expect(argumentsOf(FULL).join(' ')).not.toContain('secret');
  });

  it('holds neither prompt nor agents nor schema: they travel on stdin (R94)', () => {
    expect(argumentsOf(FULL).join(' ')).not.toContain('elsewhere');
  });

  it('leaves rule lists of more than 64 KiB to the settings file (R94)', () => {
    const args = argumentsOf({ allowedTools: manyRules(), disallowedTools: ['WebFetch'] });
    expect(args).toEqual([...ALWAYS, '--disallowedTools=WebFetch']);
  });

  it('resumes the conversation of a restart in place of every option about conversations (P8)', () => {
    const options = { resume: 'a', forkSession: true, sessionId: UUID, resumeSessionAt: 'b', model: 'opus' };
    expect(argumentsOf(options, { resume: 'c' })).toEqual([...ALWAYS, '--model=opus', '--resume=c']);
    expect(argumentsOf({ continue: true }, { resume: 'c' })).toEqual([...ALWAYS, '--resume=c']);
  });
});

const SERVER = { connect: () => {}, close: () => {} };

const FULL = {
  model: 'opus',
  tools: ['Read'],
  allowedTools: ['Read'],
  additionalDirectories: ['-odd', '/a b'],
  systemPrompt: 'elsewhere',
  agents: { reviewer: { description: 'elsewhere', prompt: 'elsewhere' } },
  outputFormat: { type: 'json_schema', schema: { title: 'elsewhere' } },
  env: { ANTHROPIC_API_KEY: 'secret' },
  settings: '{"env":{"TOKEN":"secret"}}',
  mcpServers: {
    calc: { type: 'sdk', name: 'calc', instance: SERVER },
    files: { command: 'files', args: ['secret'], env: { TOKEN: 'secret' } },
    web: { type: 'http', url: 'http://127.0.0.1/secret', headers: { Authorization: 'secret' } },
  },
  extraArgs: { x: '--version' },
};

function manyRules(): string[] {
  return Array.from({ length: 4_000 }, (_, index) => `Bash(command-${index}:*)`);
}

function argumentsOf(options: Record<string, unknown>, context: Partial<LaunchContext> = {}): string[] {
  return launchArguments(parseSessionOptions(options), { files: {}, ...context });
}
