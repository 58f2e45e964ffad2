import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../../src/index.ts';
import { eventOf, stage, statesOf } from './stage.ts';

const write = (file: string) => `CALL Bash ${JSON.stringify({ command: `echo hi > ${file}`, description: 'write' })}`;

describe('permission on the real CLI', () => {
  it('runs the tool after an allow without updatedInput (R32, WIRE §5)', async () => {
    const asked: unknown[] = [];
    const canUseTool: CanUseTool = (toolName, input, { toolUseID }) => {
      asked.push([toolName, input['command'], toolUseID.startsWith('toolu_')]);
      return { behavior: 'allow' };
    };
    const { start, cwd } = await stage();
    const session = await start({ canUseTool });
    const { outcome } = await session.prompt(write('out.txt')).result;

    expect(outcome).toBe('completed');
    expect(asked).toEqual([['Bash', 'echo hi > out.txt', true]]);
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('hi\n');
    expect(statesOf(session)).toContain('awaiting-permission');
  });

  it('runs the changed input (WIRE §5)', async () => {
    const { start, cwd } = await stage();
    const session = await start({
      canUseTool: (_, input) => ({
        behavior: 'allow',
        updatedInput: { ...input, command: 'echo changed > other.txt' },
      }),
    });
    await session.prompt(write('out.txt')).result;

    expect(readFileSync(join(cwd, 'other.txt'), 'utf8')).toBe('changed\n');
    expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
  });

  it('takes suggested permissions along with the answer', async () => {
    const { start } = await stage();
    const session = await start({
      canUseTool: (_, __, { suggestions = [] }) => ({ behavior: 'allow', updatedPermissions: suggestions }),
    });

    expect((await session.prompt(write('out.txt')).result).outcome).toBe('completed');
  });

  it('tells the model the reason of a deny and goes on with the turn (R32)', async () => {
    const { start, cwd } = await stage();
    const session = await start({ canUseTool: () => ({ behavior: 'deny', message: 'Not on a Sunday.' }) });
    const result = await session.prompt(write('out.txt')).result;

    expect(result).toMatchObject({ outcome: 'completed', permissionDenials: 1 });
    expect(result.text).toContain('Not on a Sunday.');
    expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
  });

  it('ends the turn as interrupted on a deny that asks for it, and the session goes on (WIRE §5)', async () => {
    const { start } = await stage();
    const session = await start({ canUseTool: () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }) });
    const result = await session.prompt(write('out.txt')).result;

    expect(result.outcome).toBe('interrupted');
    expect((await session.prompt('still there?').result).outcome).toBe('completed');
  });

  it('refuses the tool when the callback throws, and the turn goes on (P4: fail closed)', async () => {
    const { start, cwd } = await stage();
    const session = await start({
      canUseTool: () => {
        throw new Error('the policy service is down');
      },
    });
    const result = await session.prompt(write('out.txt')).result;

    expect(result.text).toContain('the policy service is down');
    expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
  });

  it('waits for a person, says so, and takes exactly one answer (P4, R34)', async () => {
    const { start, supervisor, cwd } = await stage();
    const session = await start();
    const turn = session.prompt(write('out.txt'));
    const { requestId } = await eventOf(session, 'permission.requested');

    expect(session.state).toBe('awaiting-permission');
    expect(session.status).toBe('requires_action');
    expect(session.explain().openPermissions).toMatchObject([{ id: requestId, toolName: 'Bash' }]);
    expect(supervisor.inbox()).toMatchObject([{ id: requestId, sessionId: session.id, toolName: 'Bash' }]);
    await session.permissions.answer(requestId, { behavior: 'allow' }, { by: 'ann' });
    await expect(session.permissions.answer(requestId, { behavior: 'deny' }, { by: 'ben' })).rejects.toMatchObject({
      code: 'PERMISSION_SETTLED',
      details: { by: 'ann', outcome: 'allowed' },
    });
    expect((await turn.result).outcome).toBe('completed');
    expect(existsSync(join(cwd, 'out.txt'))).toBe(true);
  });

  it('denies at once when nobody is there (R37)', async () => {
    const { start } = await stage();
    const session = await start({ permissionPrompts: 'none' });
    const result = await session.prompt(write('out.txt')).result;

    expect(result.permissionDenials).toBe(1);
    expect(session.permissions.pending()).toEqual([]);
  });
});
