import { initializePayload } from '../../../src/launch/initialize-payload.ts';
import { launchArguments } from '../../../src/launch/launch-arguments.ts';
import { parseSessionOptions, type SessionOptions } from '../../../src/launch/session-options.ts';
import { settingsDocument } from '../../../src/launch/settings-document.ts';
import { parseSupervisorOptions } from '../../../src/launch/supervisor-options.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { jsonOf, jsonSeeds } from '../json-input.ts';
import { attempt } from '../refusals.ts';
import { type FuzzTarget, holds, same } from '../target.ts';

const SESSION: Readonly<Record<string, unknown>> = {
  id: 'review-1',
  cwd: '/project',
  model: 'opus',
  permissionMode: 'acceptEdits',
  allowedTools: ['Read', 'Bash(git *)'],
  disallowedTools: ['WebFetch'],
  tools: { type: 'preset', preset: 'claude_code' },
  mcpServers: {
    files: { command: 'node', args: ['x.js'], env: { KEY: 'k' } },
    web: { type: 'http', url: 'http://127.0.0.1/mcp', headers: { Authorization: 'x' } },
  },
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
  agents: { reviewer: { description: 'reviews', prompt: 'Review.', tools: ['Read'], maxTurns: 3, effort: 'low' } },
  thinking: { type: 'enabled', budgetTokens: 1_000 },
  sandbox: { enabled: true, network: { deniedDomains: ['a'] } },
  settings: { permissions: { allow: [] } },
  managedSettings: { permissions: { deny: ['WebFetch'] } },
  settingSources: ['user', 'project'],
  extraArgs: { brief: 'low', ide: null },
  env: { A: 'b' },
  outputFormat: { type: 'json_schema', schema: { type: 'object' } },
  additionalDirectories: ['/tmp'],
  permissions: { rules: [{ tool: 'Bash(git *)', behavior: 'allow' }] },
  budget: { maxUsd: 1, warnAt: 0.8, onLimit: 'park' },
  restart: { type: 'permanent', intensity: 0, periodMs: 1, backoff: { minMs: 0, maxMs: 1, factor: 1, jitter: 1 } },
  timeouts: { turnMs: 1 },
  limits: { maxLineBytes: 1 },
};

const SUPERVISOR: Readonly<Record<string, unknown>> = {
  limits: { maxSessions: 20, maxStarting: 4 },
  restart: { type: 'transient', intensity: 3, periodMs: 60_000 },
  budget: { maxUsd: 20, perSessionUsd: 5, warnAt: 0.8, onLimit: 'park' },
  permissions: { rules: [{ tool: '*', behavior: 'ask' }], onTimeout: 'deny' },
  timeouts: { spawnMs: 10, stallMs: 10 },
  retention: { maxEndedSessions: 5 },
  prewarm: { size: 1 },
  reap: 'off',
};

export const target: FuzzTarget = {
  name: 'options',
  promise: 'P9, P11 Options of any shape are taken or refused with their field; what is taken can be started with.',
  format: 'json',
  isGuided: true,
  seeds: () => [
    ...jsonSeeds(SESSION, SUPERVISOR),
    ...jsonSeeds(
      ...[SESSION, SUPERVISOR].flatMap((all) => Object.entries(all).map(([name, value]) => ({ [name]: value }))),
    ),
  ],
  open: () => ({ run: checks }),
};

function checks(input: Buffer): void {
  const given = jsonOf(input);
  const supervisor = attempt(() => parseSupervisorOptions(given), 'INVALID_OPTIONS');
  if ('refused' in supervisor) namesFields(supervisor.refused.details);
  else same(parseSupervisorOptions(supervisor.value), supervisor.value, 'Options that were taken once');

  const session = attempt(() => parseSessionOptions(given), 'INVALID_OPTIONS');
  if ('refused' in session) namesFields(session.refused.details);
  else starts(session.value);
}

function starts(options: SessionOptions): void {
  same(parseSessionOptions(options), options, 'Options that were taken once');
  const launch = { files: {} };
  const line = attempt(() => launchArguments(options, launch), 'ARGUMENTS_TOO_LARGE', 'INVALID_OPTIONS');
  if ('value' in line) {
    for (const word of line.value) {
      holds(typeof word === 'string', `A ${typeof word} is on the command line.`);
      holds(!word.includes('\0'), 'A NUL is on the command line: no process could be started.');
    }
  }
  holds(typeof JSON.stringify(initializePayload(options)) === 'string', 'What is said first is no JSON.');
  attempt(() => settingsDocument(options), 'ARGUMENTS_TOO_LARGE');
}

function namesFields(details: Readonly<Record<string, unknown>>): void {
  holds(typeof details['field'] === 'string' && typeof details['reason'] === 'string', 'A refusal names no field.');
  holds(Array.isArray(details['issues']) && details['issues'].every(isRecord), 'A refusal lists no issues.');
}
