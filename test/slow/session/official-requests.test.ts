import { type Query, query } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { linesTo, stage } from './stage.ts';

/** The same call on both; what the CLI makes of it does not matter here. */
const CALLS: readonly [
  name: string,
  theirs: (it: Query) => Promise<unknown>,
  ours: (it: Session) => Promise<unknown>,
][] = [
  ['setPermissionMode', (it) => it.setPermissionMode('plan'), (it) => it.setPermissionMode('plan')],
  [
    'setMcpPermissionModeOverride',
    (it) => it.setMcpPermissionModeOverride('s', null),
    (it) => it.setMcpPermissionModeOverride('s', null),
  ],
  ['setModel', (it) => it.setModel('m'), (it) => it.setModel('m')],
  ['setModel without a name', (it) => it.setModel(), (it) => it.setModel()],
  ['setMaxThinkingTokens', (it) => it.setMaxThinkingTokens(null), (it) => it.setMaxThinkingTokens(null)],
  [
    'setMaxThinkingTokens with a display',
    (it) => it.setMaxThinkingTokens(5, 'omitted'),
    (it) => it.setMaxThinkingTokens(5, 'omitted'),
  ],
  [
    'applyFlagSettings',
    (it) => it.applyFlagSettings({ effortLevel: 'low', model: null }),
    (it) => it.applyFlagSettings({ effortLevel: 'low', model: null }),
  ],
  [
    'updateSettings',
    (it) => it.updateSettings('userSettings', { effortLevel: 'low' }),
    (it) => it.updateSettings('userSettings', { effortLevel: 'low' }),
  ],
  ['mcpServerStatus', (it) => it.mcpServerStatus(), (it) => it.mcpServerStatus()],
  ['getContextUsage', (it) => it.getContextUsage(), (it) => it.getContextUsage()],
  [
    'getContextUsage, short',
    (it) => it.getContextUsage({ detail: 'summary' }),
    (it) => it.getContextUsage({ detail: 'summary' }),
  ],
  [
    'getUsage',
    (it) => it.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true }),
    (it) => it.getUsage({ skipBehaviors: true }),
  ],
  [
    'readFile',
    (it) => it.readFile('a', { maxBytes: 9, encoding: 'base64' }),
    (it) => it.readFile('a', { maxBytes: 9, encoding: 'base64' }),
  ],
  ['readFile, plain', (it) => it.readFile('a'), (it) => it.readFile('a')],
  [
    'reloadPlugins',
    (it) =>
      it.reloadPlugins({ holdOnCacheImpact: true, addPlugins: [{ type: 'local', path: '/p' }], refuseIfBusy: true }),
    (it) =>
      it.reloadPlugins({ holdOnCacheImpact: true, addPlugins: [{ type: 'local', path: '/p' }], refuseIfBusy: true }),
  ],
  ['reloadPlugins, plain', (it) => it.reloadPlugins(), (it) => it.reloadPlugins()],
  ['reloadSkills', (it) => it.reloadSkills(), (it) => it.reloadSkills()],
  ['reloadOutputStyles', (it) => it.reloadOutputStyles(), (it) => it.reloadOutputStyles()],
  ['rewindFiles', (it) => it.rewindFiles('u', { dryRun: true }), (it) => it.rewindFiles('u', { dryRun: true })],
  ['rewindFiles, plain', (it) => it.rewindFiles('u'), (it) => it.rewindFiles('u')],
  ['seedReadState', (it) => it.seedReadState('a', 7), (it) => it.seedReadState('a', 7)],
  ['reconnectMcpServer', (it) => it.reconnectMcpServer('s'), (it) => it.reconnectMcpServer('s')],
  ['toggleMcpServer', (it) => it.toggleMcpServer('s', false), (it) => it.toggleMcpServer('s', false)],
  ['readMcpResource', (it) => it.readMcpResource('s', 'ui://a'), (it) => it.readMcpResource('s', 'ui://a')],
  ['stopTask', (it) => it.stopTask('t'), (it) => it.stopTask('t')],
  ['backgroundTasks', (it) => it.backgroundTasks(), (it) => it.backgroundTasks()],
  ['backgroundTasks, one', (it) => it.backgroundTasks('toolu_1'), (it) => it.backgroundTasks('toolu_1')],
];

describe('every control request of the official SDK', () => {
  it('is written by ours in the same words (WIRE §9)', async () => {
    await using fake = await fakeClaude();
    const abortController = new AbortController();
    const theirs = query({
      prompt: silence(abortController.signal),
      options: { pathToClaudeCodeExecutable: fake.path, abortController, settingSources: [] },
    });
    await theirs.initializationResult();
    for (const [, call] of CALLS) await call(theirs).catch(() => {});
    const wanted = await requestsTo(fake);
    theirs.close();
    abortController.abort();

    const ours = await stage();
    const session = await ours.start();
    for (const [, , call] of CALLS) await call(session).catch(() => {});
    const written = withoutLooks(await requestsTo(ours.fake));

    expect(written.map((request, index) => [CALLS[index]?.[0], request])).toEqual(
      wanted.map((request, index) => [CALLS[index]?.[0], request]),
    );
    expect(written).toHaveLength(CALLS.length);
  });
});

/** The control requests after the start. */
async function requestsTo(fake: FakeClaude): Promise<unknown[]> {
  return (await linesTo(fake)).flatMap(({ type, request }) =>
    type === 'control_request' && (request as Record<string, unknown>)['subtype'] !== 'initialize' ? [request] : [],
  );
}

/** After a change of a server ours looks what became of it. */
function withoutLooks(requests: readonly unknown[]): readonly unknown[] {
  const subtypes = requests.map((request) => (request as Record<string, unknown>)['subtype']);
  const isLook = (index: number) =>
    subtypes[index] === 'mcp_status' && /^mcp_(reconnect|toggle)$/.test(String(subtypes[index - 1]));
  return requests.filter((_, index) => !isLook(index));
}

/** A stream of prompts that brings none and stays open. */
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
