import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type PermissionResult, tool } from '../../../src/index.ts';
import { toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, stage } from './stage.ts';

const write = (file: string) => ({ command: `echo hi > ${file}`, description: 'write' });
const WRITE = `CALL Bash ${JSON.stringify(write('out.txt'))}`;

const looking = () => {
  const left = tool('left', 'Looks left.', {}, async () => ({ content: [{ type: 'text', text: 'seen left' }] }));
  return createSdkMcpServer({ name: 'look', tools: [left] });
};

describe('a question of a subagent (WIRE §17)', () => {
  const task = { description: 'job', prompt: 'agent work', subagent_type: 'general-purpose' };
  const rules = [
    { when: { promptEquals: 'delegate', isToolResult: false }, reply: toolUse('Task', task) },
    { when: { promptContains: 'agent work', isToolResult: false }, reply: toolUse('Bash', write('agent.txt')) },
  ];

  it('says whose it is, and its answer reaches it', async () => {
    const { start, cwd } = await stage({ script: { rules } });
    const session = await start();
    const turn = session.prompt('delegate');
    const { requestId, agentId } = await eventOf(session, 'permission.requested');

    expect(agentId).toEqual(expect.stringMatching(/./));
    expect(session.permissions.get(requestId)).toMatchObject({ agentId, toolName: 'Bash' });
    await session.permissions.answer(requestId, { behavior: 'allow' });
    expect((await turn.result).outcome).toBe('completed');
    await expect.poll(() => existsSync(join(cwd, 'agent.txt')), { timeout: 20_000 }).toBe(true);
  });

  it('is for rules like any other, also where only the hook sees it', async () => {
    const { start, cwd } = await stage({ script: { rules } });
    const session = await start({ permissions: { rules: [{ tool: 'Bash(echo *)', behavior: 'deny' }] } });
    await session.prompt('delegate').result;
    const settled = await eventOf(session, 'permission.settled');
    expect(settled).toMatchObject({
      outcome: 'denied',
      by: 'policy',
      rule: { tool: 'Bash(echo *)', source: 'session' },
    });
    expect(existsSync(join(cwd, 'agent.txt'))).toBe(false);
  });
});

describe('answers the CLI could not read never reach it (WIRE §5)', () => {
  it.each([
    ['an unknown behavior', { behavior: 'perhaps' }, 'behavior'],
    ['nothing at all', {}, 'behavior'],
    ['an input that is no object', { behavior: 'allow', updatedInput: 'ls' }, 'updatedInput'],
    ['an answer of another kind', { action: 'accept' }, 'behavior'],
  ])('%s is refused, and the question stays open for a better one', async (_title, answer, field) => {
    const { start } = await stage();
    const session = await start();
    const turn = session.prompt(WRITE);
    const { requestId } = await eventOf(session, 'permission.requested');
    const malformed = session.permissions.answer(requestId, answer as unknown as PermissionResult);
    await expect(malformed).rejects.toMatchObject({ code: 'INVALID_ANSWER', details: { field } });
    expect(session.permissions.pending()).toHaveLength(1);
    await session.permissions.answer(requestId, { behavior: 'deny' });
    expect(await turn.result).toMatchObject({ outcome: 'completed', permissionDenials: 1 });
  });

  it('an empty input is an input of its own only where the CLI takes it for one', async () => {
    const { start } = await stage();
    const session = await start({ canUseTool: () => ({ behavior: 'allow', updatedInput: {} }) });
    expect((await session.prompt(WRITE).result).outcome).toBe('completed');
  });
});

describe('a deadline for people (R31)', () => {
  it('denies with the reason, is recorded as expired, and the turn goes on', async () => {
    const { start, cwd } = await stage({ timeouts: { permissionMs: 300 } });
    const session = await start({ permissions: { onTimeout: 'deny' } });
    const { text, outcome } = await session.prompt(WRITE).result;

    expect(outcome).toBe('completed');
    expect(text).toContain('Nobody answered');
    expect(await eventOf(session, 'permission.settled')).toMatchObject({ outcome: 'expired', by: 'deadline' });
    expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
  });
});

describe('what a callback hears from the real CLI (WIRE §5)', () => {
  it('is the question with everything the release tells of it', async () => {
    const heard: Record<string, unknown>[] = [];
    const { start, cli, cwd } = await stage();
    const session = await start({
      mcpServers: { look: looking() },
      canUseTool: (toolName, input, { signal, ...told }) => {
        heard.push({ toolName, input, isWanted: !signal.aborted, ...told });
        return { behavior: 'deny', message: 'no', decisionClassification: 'user_reject' };
      },
    });
    await session.prompt(WRITE).result;
    await session.prompt('CALL mcp__look__left {}').result;
    const outside = { command: 'cat /etc/hostname > /root-of-nothing', description: 'outside' };
    await session.prompt(`CALL Bash ${JSON.stringify(outside)}`).result;

    const common = { isWanted: true, requestId: expect.any(String), toolUseID: expect.stringMatching(/^toolu_/) };
    expect(heard[0]).toMatchObject({ ...common, toolName: 'Bash', displayName: 'Bash', description: 'write' });
    expect(heard[0]).toHaveProperty('suggestions');
    expect(heard.every((each) => !('agentID' in each))).toBe(true);
    expect(heard[1]).toMatchObject({ ...common, toolName: 'mcp__look__left' });
    if (cli.since('2.1.220')) expect(heard[1]).toMatchObject({ mcpServer: { name: 'look', source: 'sdk' } });
    else expect(heard[1]).not.toHaveProperty('mcpServer');
    expect(heard[2]).toMatchObject({ ...common, blockedPath: expect.stringContaining('/') });
    expect(heard[2]?.['blockedPath']).not.toContain(cwd);
  });
});
