import { describe, expect, it } from 'vitest';
import { parseSessionOptions, type SessionOptions } from '../../src/launch/session-options.ts';
import { optionsOfStored, storedOptionsOf } from '../../src/session/stored-options.ts';

describe('the options of a session in a store (P11)', () => {
  it('come back as they were when they are JSON, with endless deadlines and variables to be removed', () => {
    const options = parseSessionOptions({
      id: 'review',
      cwd: '/work',
      model: 'opus',
      permissionMode: 'plan',
      allowedTools: ['Read', 'Bash(git log:*)'],
      env: { LANG: 'C', OLD: undefined },
      timeouts: { permissionMs: Number.POSITIVE_INFINITY, turnMs: 5_000 },
      mcpServers: { files: { command: 'files-server', args: ['--root', '/work'], env: { DEBUG: '1' } } },
      permissions: { rules: [{ tool: 'Bash(git *)', behavior: 'allow' }] },
      maxThinkingTokens: 1_024,
      restart: { type: 'permanent', backoff: { minMs: 1 } },
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
    });
    const { options: again, missing } = throughStore(options);
    expect(missing).toEqual([]);
    expect(parseSessionOptions(again)).toEqual(options);
  });

  it('are kept without what lives in this process, and say what is missing', () => {
    const options: SessionOptions = {
      model: 'opus',
      canUseTool: async () => ({ behavior: 'allow' }),
      hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
      stderr: () => {},
      signal: new AbortController().signal,
      autoStart: false,
      mcpServers: {
        files: { command: 'files-server' },
        mine: { type: 'sdk', name: 'mine', instance: new (class Server {})() },
      },
    };
    const stored = storedOptionsOf(options);
    expect(stored.withheld).toEqual(['canUseTool', 'hooks', 'stderr', 'mcpServers.mine']);
    const { options: again, missing } = throughStore(options);
    expect(again).toEqual({ model: 'opus', mcpServers: { files: { command: 'files-server' } } });
    // Who hears stderr changes nothing for the session.
    expect(missing).toEqual(['canUseTool', 'hooks', 'mcpServers.mine']);
  });

  it('hold no variable, header or setting whose name says that it is a secret', () => {
    const options: SessionOptions = {
      env: { ANTHROPIC_API_KEY: 'canary-1', GH_TOKEN: 'canary-2', LANG: 'C' },
      mcpServers: {
        remote: {
          type: 'http',
          url: 'https://127.0.0.1/',
          headers: { Authorization: 'canary-3', Accept: 'text/plain' },
        },
        local: { command: 'x', env: { DB_PASSWORD: 'canary-4' } },
      },
      settings: { env: { MY_SECRET: 'canary-5' }, awsToken: 'canary-6', theme: 'dark' },
    };
    const stored = storedOptionsOf(options);
    expect(JSON.stringify(stored)).not.toContain('canary');
    expect(JSON.stringify(stored)).toContain('"theme":"dark"');
    expect(stored.withheld).toEqual([
      'env.ANTHROPIC_API_KEY',
      'env.GH_TOKEN',
      'mcpServers.remote.headers.Authorization',
      'mcpServers.local.env.DB_PASSWORD',
      'settings.env.MY_SECRET',
      'settings.awsToken',
    ]);
  });

  it('miss no variable that this host has, too', () => {
    const { options, missing } = throughStore(
      { env: { API_KEY: 'old', GH_TOKEN: 'gone', LANG: 'C' } },
      { API_KEY: 'new' },
    );
    expect(options).toEqual({ env: { API_KEY: 'new', LANG: 'C' } });
    expect(missing).toEqual(['env.GH_TOKEN']);
  });

  it('miss what a secret was cut out of: such a text would start another session', () => {
    const stored = { options: { systemPrompt: 'Use [redacted] to log in.', model: 'opus' }, withheld: [] };
    expect(optionsOfStored(stored, {}).missing).toEqual(['systemPrompt']);
  });
});

function throughStore(options: SessionOptions, variables: Record<string, string> = {}) {
  return optionsOfStored(JSON.parse(JSON.stringify(storedOptionsOf(options))), variables);
}
