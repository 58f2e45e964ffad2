import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { planLaunch } from '../../../src/launch/launch-plan.ts';
import { parseSessionOptions } from '../../../src/launch/session-options.ts';
import { findRealCli, realCliHome } from '../../../src/testing/real-cli.ts';

const cli = await findRealCli();

describe.skipIf(cli === undefined)('the real CLI', () => {
  it('takes every flag in its equals form, and starts in the mode that was asked for (R93, R95)', async () => {
    const { initialize } = await started({
      model: 'opus',
      fallbackModel: 'sonnet',
      permissionMode: 'plan',
      allowedTools: ['Read'],
      disallowedTools: [],
      tools: ['Read', 'Bash'],
      additionalDirectories: ['/tmp', '/'],
      maxTurns: 3,
      maxBudgetUsd: 0.5,
      maxThinkingTokens: 1_000,
      strictMcpConfig: true,
      mcpServers: { files: { command: 'false', env: { TOKEN: 'x' } } },
      settings: { permissions: { deny: ['WebFetch'] } },
      settingSources: ['user', 'project'],
      includePartialMessages: true,
      sessionId: '11111111-2222-4333-8444-555555555555',
      persistSession: false,
      outputFormat: { type: 'json_schema', schema: { type: 'object' } },
      systemPrompt: 'x'.repeat(200_000),
      agents: { reviewer: { description: 'reviews', prompt: 'Review.' } },
      effort: 'low',
    });
    expect(initialize).toMatchObject({ current_permission_mode: 'plan' });
    expect((initialize['agents'] as { name: string }[]).map(({ name }) => name)).toContain('reviewer');
  });

  it('reads the rules as they were given, not one more (R95)', async () => {
    const allowedTools = ['Read', 'Bash(git log:*, x y)', 'Bash(echo (a))', 'mcp__calc__add'];
    const { rules } = await started({ allowedTools, disallowedTools: ['WebFetch'] });
    expect(rules.map(({ behavior, rule }) => `${behavior} ${rule.replaceAll('\\', '')}`)).toEqual([
      ...allowedTools.map((rule) => `allow ${rule}`),
      'deny WebFetch',
    ]);
  });

  it('obeys a rule list that had to move to the settings file (R94)', async () => {
    const allowedTools = Array.from({ length: 4_000 }, (_, index) => `Bash(command-${index}:*)`);
    const { rules } = await started({ allowedTools });
    expect(rules.map(({ rule }) => rule).sort()).toEqual([...allowedTools].sort());
  });
});

interface Rule {
  readonly behavior: string;
  readonly rule: string;
}

/** Starts the CLI from a plan without any API, asks it two questions, and lets it leave. */
async function started(
  options: Record<string, unknown>,
): Promise<{ initialize: Record<string, unknown>; rules: Rule[] }> {
  await using home = await realCliHome();
  const { plan, initialize } = await planLaunch({
    options: parseSessionOptions({ pathToClaudeCodeExecutable: cli, cwd: home.cwd, ...options }),
    sessionId: 'real',
    incarnation: 1,
    host: {
      env: { ...home.env, ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ...QUIET },
      cwd: home.cwd,
      execPath: process.execPath,
    },
    stderrTailBytes: 1_000,
    token: 'token',
  });
  const child = spawn(plan.command, plan.args, { cwd: plan.cwd, env: plan.env, stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const exit = once(child, 'exit');
    const ask = (id: string, request: object) =>
      child.stdin.write(`${JSON.stringify({ type: 'control_request', request_id: id, request })}\n`);
    ask('start', { subtype: 'initialize', ...initialize });
    ask('rules', { subtype: 'list_permission_rules' });
    const answers = new Map<string, Record<string, unknown>>();
    for await (const line of createInterface({ input: child.stdout })) {
      const { type, response } = JSON.parse(line) as { type: string; response?: Answer };
      if (type === 'control_response' && response !== undefined)
        answers.set(response.request_id, response.response ?? {});
      if (answers.size === 2) child.stdin.end();
    }
    expect((await exit)[0]).toBe(0);
    const state = answers.get('rules')?.['state'] as { rules?: Rule[] } | undefined;
    return { initialize: answers.get('start') ?? {}, rules: state?.rules ?? [] };
  } finally {
    child.kill('SIGKILL');
    const folder = plan.temporaryFiles.at(-1);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

interface Answer {
  readonly request_id: string;
  readonly response?: Record<string, unknown>;
}

const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  IS_SANDBOX: '1',
};
