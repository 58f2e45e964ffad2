import { describe, expect, it } from 'vitest';
import type { UserDialogRequest } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { answersTo, errorFrom, eventOf, expectNoViolations, linesTo, QUICK_RESTART, stage } from './stage.ts';

const KIND = 'refusal_fallback_prompt';
const dialog = (name: string, kind = KIND) =>
  step.request({
    name,
    subtype: 'request_user_dialog',
    dialog_kind: kind,
    payload: { from: 'a' },
    tool_use_id: 'toolu_1',
  });
const opens = on(when.prompt('open'), dialog('d'), step.awaitResponse('d'), step.echoTurn());

describe('a dialog of the CLI (supportedDialogKinds)', () => {
  it('is announced at the start, and answered by onUserDialog', async () => {
    const asked: UserDialogRequest[] = [];
    const { start, fake } = await stage({ rules: [opens] });
    const session = await start({
      supportedDialogKinds: [KIND],
      onUserDialog: (request) => {
        asked.push(request);
        return { behavior: 'completed', result: { choice: 'retry' } };
      },
    });
    expect((await session.prompt('open').result).outcome).toBe('completed');

    expect(asked).toEqual([{ dialogKind: KIND, payload: { from: 'a' }, toolUseID: 'toolu_1' }]);
    expect(await initializeOf(fake)).toMatchObject({ supportedDialogKinds: [KIND] });
    expect(await payloadsTo(fake)).toEqual([{ behavior: 'completed', result: { choice: 'retry' } }]);
    await expectNoViolations(fake);
  });

  it('lies in the inbox where there is no callback, with the events of its kind', async () => {
    const { start, supervisor, fake } = await stage({ rules: [opens] });
    const session = await start({ supportedDialogKinds: [KIND] });
    const turn = session.prompt('open');
    const { requestId, kind } = await eventOf(session, 'permission.requested');

    expect(kind).toBe('dialog');
    expect(session.state).toBe('awaiting-permission');
    expect(supervisor.inbox()).toMatchObject([{ id: requestId, kind: 'dialog', dialog: { dialogKind: KIND } }]);
    const malformed = session.permissions.answer(requestId, { action: 'accept' });
    expect(await errorFrom(malformed)).toMatchObject({ code: 'INVALID_ANSWER', details: { field: 'behavior' } });
    await session.permissions.answer(requestId, { behavior: 'cancelled' }, { by: 'ann' });
    expect((await turn.result).outcome).toBe('completed');
    expect(await eventOf(session, 'permission.settled')).toMatchObject({ kind, outcome: 'dismissed', by: 'ann' });
    expect(await payloadsTo(fake)).toEqual([{ behavior: 'cancelled' }]);
  });

  it('of a kind that was not announced is an error to the CLI, and nobody is asked', async () => {
    const { start, fake } = await stage({
      rules: [on(when.prompt('open'), dialog('d', 'novel'), step.awaitResponse('d'), step.echoTurn())],
    });
    const session = await start({ supportedDialogKinds: [KIND], onUserDialog: () => ({ behavior: 'cancelled' }) });
    expect((await session.prompt('open').result).outcome).toBe('completed');
    expect(await answersTo(fake)).toMatchObject([{ subtype: 'error', error: expect.stringContaining('"novel"') }]);
  });
});

describe('a session with rules (P8)', () => {
  const asks = (command: string) => on(when.prompt(command), step.toolTurn({ tool: 'Bash', input: { command } }));

  it('keeps what was granted for the session over a restart, and its own rules', async () => {
    const { start } = await stage({ rules: [asks('make x'), asks('make y'), asks('rm x')] });
    const session = await start({
      restart: QUICK_RESTART,
      permissions: { rules: [{ tool: 'Bash(rm *)', behavior: 'deny' }] },
    });
    const turn = session.prompt('make x');
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.permissions.answer(requestId, { behavior: 'allow', scope: 'session' });
    await turn.result;
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');

    expect((await session.prompt('make x').result).permissionDenials).toBe(0);
    expect(session.incarnation).toBe(2);
    expect(await session.prompt('rm x').result).toMatchObject({ outcome: 'completed', permissionDenials: 1 });
    expect(session.permissions.pending()).toEqual([]);
  });

  it.each([
    [
      'permissions.rules[1].tool',
      { permissions: { rules: [{ tool: 'Bash', behavior: 'allow' }, { tool: 'bash(x' }] } },
    ],
    ['permissions.rules[0].behavior', { permissions: { rules: [{ tool: 'Bash', behavior: 'maybe' }] } }],
    ['permissions.onTimeout', { permissions: { onTimeout: 'allow' } }],
    ['supportedDialogKinds', { permissionPrompts: 'none', supportedDialogKinds: [KIND] }],
    ['onElicitation', { onElicitation: 'yes' }],
    ['onUserDialog', { onUserDialog: {} }],
  ])('is refused at the start for a malformed %s', async (field, options) => {
    const { start } = await stage();
    expect(await errorFrom(start(options as object))).toMatchObject({ code: 'INVALID_OPTIONS', details: { field } });
  });
});

async function initializeOf(fake: Parameters<typeof linesTo>[0]): Promise<unknown> {
  const requests = (await linesTo(fake)).map(({ request }) => request as Record<string, unknown> | undefined);
  return requests.find((request) => request?.['subtype'] === 'initialize');
}

async function payloadsTo(fake: Parameters<typeof answersTo>[0]): Promise<unknown[]> {
  return (await answersTo(fake)).map((answer) => answer['response']);
}
