import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { answerQuestions, type ElicitationRequest, type SessionOptions } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/asking-server.mjs', import.meta.url));
const ASKING: SessionOptions = {
  mcpServers: { asking: { command: process.execPath, args: [FIXTURE], required: true } },
  allowedTools: ['mcp__asking__*'],
};

const QUESTIONS = {
  questions: [
    {
      question: 'Which color?',
      header: 'Color',
      multiSelect: false,
      options: [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cold' },
      ],
    },
    {
      question: 'Which parts?',
      header: 'Parts',
      multiSelect: true,
      options: [
        { label: 'Lid', description: 'the top' },
        { label: 'Base', description: 'the bottom' },
      ],
    },
  ],
};
const ASK = `CALL AskUserQuestion ${JSON.stringify(QUESTIONS)}`;

describe('AskUserQuestion on the real CLI (WIRE §18)', () => {
  it('is answered by the labels, and the model hears them', async () => {
    const { start } = await stage();
    // Rules that allow everything are no answer to a question.
    const session = await start({ permissions: { rules: [{ tool: '*', behavior: 'allow' }] } });
    const turn = session.prompt(ASK);
    const { requestId } = await eventOf(session, 'permission.requested');
    const request = session.permissions.get(requestId);

    expect(request).toMatchObject({ kind: 'tool', toolName: 'AskUserQuestion', requiresUserInteraction: true });
    const answers = { 'Which color?': 'Blue', 'Which parts?': ['Lid', 'Base'] };
    const updatedInput = answerQuestions({ input: request?.input }, answers);
    await session.permissions.answer(requestId, { behavior: 'allow', updatedInput });
    const { text } = await turn.result;
    expect(text).toContain('Blue');
    expect(text).toContain('Lid, Base');
  });

  it('is told not to be answered when it is allowed without an answer', async () => {
    const { start } = await stage();
    const session = await start({ canUseTool: () => ({ behavior: 'allow' }) });
    expect((await session.prompt(ASK).result).text).toMatch(/did not answer/);
  });

  it('is refused with the message of the deny', async () => {
    const { start } = await stage();
    const session = await start({ canUseTool: () => ({ behavior: 'deny', message: 'Ask me on Monday.' }) });
    const result = await session.prompt(ASK).result;
    expect(result).toMatchObject({ outcome: 'completed', permissionDenials: 1 });
    expect(result.text).toContain('Ask me on Monday.');
  });
});

describe('ExitPlanMode on the real CLI (WIRE §18)', () => {
  const PLAN = `CALL ExitPlanMode ${JSON.stringify({ plan: 'First this, then that.' })}`;

  it('leaves plan mode when a person allows it, never by a rule', async () => {
    const { start } = await stage();
    const permissions = { rules: [{ tool: 'ExitPlanMode', behavior: 'allow' as const }] };
    const session = await start({ permissionMode: 'plan', permissions });
    const turn = session.prompt(PLAN);
    const { requestId } = await eventOf(session, 'permission.requested');
    expect(session.permissions.get(requestId)).toMatchObject({
      toolName: 'ExitPlanMode',
      requiresUserInteraction: true,
    });
    await session.permissions.answer(requestId, { behavior: 'allow' });
    expect((await turn.result).outcome).toBe('completed');
    const isLeft = await eventOf(session, 'message', ({ message }) => modeOf(message.value) === 'default');
    expect(isLeft.type).toBe('message');
  });

  it('stays in plan mode when it is denied', async () => {
    const { start } = await stage();
    const canUseTool = () => ({ behavior: 'deny' as const, message: 'Think again.' });
    const session = await start({ permissionMode: 'plan', canUseTool });
    expect((await session.prompt(PLAN).result).text).toContain('Think again.');
    await session.prompt('and now?').result;
    expect(session.facts.permissionMode).toBe('plan');
  });
});

describe('elicitation by a real MCP server (WIRE §19)', () => {
  it('lies in the inbox; a malformed answer is refused and it stays open; the right one reaches the server', async () => {
    const { start, supervisor } = await stage();
    const session = await start(ASKING);
    const turn = session.prompt('CALL mcp__asking__form {}');
    const { requestId, kind } = await eventOf(session, 'permission.requested');

    expect(kind).toBe('elicitation');
    expect(session.state).toBe('awaiting-permission');
    expect(supervisor.inbox()).toMatchObject([
      {
        id: requestId,
        kind: 'elicitation',
        elicitation: { serverName: 'asking', message: 'What is its name?', requestedSchema: { required: ['name'] } },
      },
    ]);
    for (const content of [{}, { name: 7 }, { name: 'x', size: 'huge' }]) {
      await expect(session.permissions.answer(requestId, { action: 'accept', content })).rejects.toMatchObject({
        code: 'INVALID_ANSWER',
      });
    }
    await session.permissions.answer(requestId, { action: 'accept', content: { name: 'Lamp', size: 'small' } });
    expect(answerIn((await turn.result).text)).toEqual({ action: 'accept', content: { name: 'Lamp', size: 'small' } });
    expect(await eventOf(session, 'permission.settled')).toMatchObject({
      requestId,
      kind,
      outcome: 'accepted',
      by: 'api',
    });
  });

  it.each([['decline'], ['cancel']] as const)('is answered by onElicitation: %s', async (action) => {
    const asked: ElicitationRequest[] = [];
    const { start } = await stage();
    const session = await start({
      ...ASKING,
      onElicitation: (request) => {
        asked.push(request);
        return { action };
      },
    });
    expect(answerIn((await session.prompt('CALL mcp__asking__form {}').result).text)).toEqual({ action });
    expect(asked).toMatchObject([{ serverName: 'asking', message: 'What is its name?' }]);
  });

  it('is declined when nobody is there (R37)', async () => {
    const { start } = await stage();
    const session = await start({ ...ASKING, permissionPrompts: 'none' });
    expect(answerIn((await session.prompt('CALL mcp__asking__form {}').result).text)).toEqual({ action: 'decline' });
  });

  // 2.1.197 does not take it back; there the end of the turn does.
  it('ends with an interrupt, and a late answer is told so (WIRE §6, §25.5)', async () => {
    const { start, cli } = await stage();
    const session = await start(ASKING);
    const turn = session.prompt('CALL mcp__asking__form {}');
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.interrupt();
    expect((await turn.result).outcome).toBe('interrupted');
    expect(await eventOf(session, 'permission.settled')).toMatchObject({
      requestId,
      outcome: cli.since('2.1.220') ? 'cancelled' : 'withdrawn',
    });
    await expect(session.permissions.answer(requestId, { action: 'cancel' })).rejects.toMatchObject({
      code: 'PERMISSION_SETTLED',
    });
    expect((await session.prompt('still there?').result).outcome).toBe('completed');
  });

  it('may ask for a visit, and its end passes through as a message', async () => {
    const { start, cli } = await stage();
    const asked: ElicitationRequest[] = [];
    const session = await start({
      ...ASKING,
      onElicitation: (request) => {
        asked.push(request);
        return { action: 'accept' };
      },
    });
    const { text } = await session.prompt('CALL mcp__asking__visit {}').result;
    // Older releases do not offer visits to servers.
    if (!cli.since('2.1.220')) {
      expect(text).toContain('does not support url elicitation');
      expect(asked).toEqual([]);
      return;
    }
    expect(answerIn(text)).toMatchObject({ action: 'accept' });
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://example.com/sign-in', elicitationId: 'visit-1' }]);
    const told = await eventOf(session, 'message', ({ message }) => message.subtype === 'elicitation_complete');
    expect(told.message.value).toMatchObject({ mcp_server_name: 'asking', elicitation_id: 'visit-1' });
  });
});

/** What the tool of the fixture returned, out of the echo of the model. */
function answerIn(text: string | undefined): unknown {
  const [, json = ''] = /answer (\{.*?\})"/.exec((text ?? '').replaceAll('\\"', '"')) ?? [];
  return JSON.parse(json);
}

function modeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'permissionMode' in value ? value.permissionMode : undefined;
}
