import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ElicitationRequest } from '../../src/permissions/elicitation.ts';
import type { UserDialogRequest } from '../../src/permissions/user-dialog.ts';
import { openDesk } from './desk-harness.ts';

const ELICITATION = {
  mcp_server_name: 'docs',
  message: 'Name?',
  requested_schema: { properties: { name: { type: 'string' } }, required: ['name'] },
};
const DIALOG = { dialog_kind: 'refusal_fallback_prompt', payload: { from: 'a' } };
const signal = () => new AbortController().signal;

describe('what an MCP server asks the user (WIRE §19)', () => {
  it('lies on the desk like any other question until a person answers', async () => {
    const { desk, requested, settled } = openDesk();
    const answer = desk.elicit('e1', ELICITATION, signal());
    await nextLoop();

    expect(desk.pending()).toMatchObject([{ id: 'e1', kind: 'elicitation', toolName: undefined, input: undefined }]);
    expect(() => desk.answer('e1', { action: 'accept', content: {} }, 'ann')).toThrow(/content.name/);
    expect(() => desk.answer('e1', { behavior: 'allow' }, 'ann')).toThrow(/action/);
    expect(desk.pending()).toHaveLength(1);
    desk.answer('e1', { action: 'accept', content: { name: 'x' } }, 'ann');
    expect(await answer).toEqual({ action: 'accept', content: { name: 'x' } });
    expect(requested).toHaveLength(1);
    expect(settled).toMatchObject([{ id: 'e1', settlement: { outcome: 'accepted', by: 'ann' } }]);
  });

  it('is answered by the callback, which gets a copy and a signal', async () => {
    const told: unknown[] = [];
    const onElicitation = (request: ElicitationRequest, context: { signal: AbortSignal; requestId: string }) => {
      told.push(structuredClone(request), context.requestId, context.signal.aborted);
      Object.assign(request, { message: 'changed' });
      return { action: 'decline' as const };
    };
    const { desk, settled } = openDesk({ onElicitation });
    expect(await desk.elicit('e1', ELICITATION, signal())).toEqual({ action: 'decline' });
    expect(told).toMatchObject([{ serverName: 'docs', message: 'Name?' }, 'e1', false]);
    expect(desk.get('e1')).toMatchObject({ elicitation: { message: 'Name?' } });
    expect(settled).toMatchObject([{ settlement: { outcome: 'declined', by: 'callback' } }]);
  });

  it('is left to people when the callback answers null', async () => {
    const { desk } = openDesk({ onElicitation: () => null });
    const answer = desk.elicit('e1', ELICITATION, signal());
    await nextLoop();
    desk.answer('e1', { action: 'cancel' }, 'ann');
    expect(await answer).toEqual({ action: 'cancel' });
  });

  it('is an error to the CLI when the callback throws or answers nonsense: nothing is made up', async () => {
    for (const onElicitation of [
      () => Promise.reject(new Error('down')),
      () => ({ action: 'accept' as const, content: { name: 7 } }),
    ]) {
      const { desk, settled } = openDesk({ onElicitation });
      await expect(desk.elicit('e1', ELICITATION, signal())).rejects.toMatchObject({ code: 'PERMISSION_SETTLED' });
      expect(settled).toMatchObject([{ settlement: { outcome: 'failed', by: 'callback' } }]);
    }
  });

  it('is declined at once when nobody is there, by policy (R37)', async () => {
    const { desk, settled } = openDesk({ isAttended: false });
    expect(await desk.elicit('e1', ELICITATION, signal())).toEqual({ action: 'decline' });
    expect(settled).toMatchObject([{ settlement: { outcome: 'declined', by: 'policy' } }]);
  });

  it('is cancelled, not answered, when its time is over (R31, P4)', async () => {
    const { desk, clock, settled } = openDesk({ deadlineMs: 1_000 });
    const answer = desk.elicit('e1', ELICITATION, signal());
    await nextLoop();
    clock.increment(1_000);
    expect(await answer).toEqual({ action: 'cancel' });
    expect(settled).toMatchObject([{ settlement: { outcome: 'expired', by: 'deadline' } }]);
  });

  it('may be withdrawn by the CLI like any other question (WIRE §6)', async () => {
    const { desk, settled } = openDesk();
    const controller = new AbortController();
    const answer = desk.elicit('e1', ELICITATION, controller.signal);
    await nextLoop();
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'PERMISSION_SETTLED' });
    expect(settled).toMatchObject([{ settlement: { outcome: 'cancelled', by: 'agent' } }]);
  });
});

describe('a dialog of the CLI', () => {
  const dialogKinds = ['refusal_fallback_prompt'];

  it('is answered by a person or by the callback', async () => {
    const { desk } = openDesk({ dialogKinds });
    const answer = desk.showDialog('d1', DIALOG, signal());
    await nextLoop();
    expect(desk.pending()).toMatchObject([{ kind: 'dialog', dialog: { dialogKind: 'refusal_fallback_prompt' } }]);
    desk.answer('d1', { behavior: 'completed', result: { choice: 1 } }, 'ann');
    expect(await answer).toEqual({ behavior: 'completed', result: { choice: 1 } });

    const asked: UserDialogRequest[] = [];
    const called = openDesk({
      dialogKinds,
      onUserDialog: (request) => {
        asked.push(request);
        return { behavior: 'cancelled' };
      },
    });
    expect(await called.desk.showDialog('d1', DIALOG, signal())).toEqual({ behavior: 'cancelled' });
    expect(asked).toEqual([{ dialogKind: 'refusal_fallback_prompt', payload: { from: 'a' } }]);
  });

  it('of a kind that was not announced is refused, and nobody is asked', async () => {
    const { desk, requested } = openDesk({ dialogKinds });
    await expect(desk.showDialog('d1', { dialog_kind: 'novel' }, signal())).rejects.toThrow(/"novel"/);
    expect(requested).toEqual([]);
  });

  it('is dismissed at once when nobody is there, and when its time is over', async () => {
    const nobody = openDesk({ dialogKinds, isAttended: false });
    expect(await nobody.desk.showDialog('d1', DIALOG, signal())).toEqual({ behavior: 'cancelled' });

    const { desk, clock } = openDesk({ dialogKinds, deadlineMs: 50 });
    const answer = desk.showDialog('d1', DIALOG, signal());
    await nextLoop();
    clock.increment(50);
    expect(await answer).toEqual({ behavior: 'cancelled' });
  });
});

it('questions of three kinds lie open together and are answered in any order (P4, WIRE §25.5)', async () => {
  const { desk, ask, replies } = openDesk({ dialogKinds: ['refusal_fallback_prompt'] });
  await ask('t1');
  const elicited = desk.elicit('e1', ELICITATION, signal());
  const shown = desk.showDialog('d1', DIALOG, signal());
  await nextLoop();
  expect(desk.pending().map(({ kind }) => kind)).toEqual(['tool', 'elicitation', 'dialog']);
  desk.answer('d1', { behavior: 'cancelled' }, 'ann');
  desk.answer('t1', { behavior: 'deny' }, 'ann');
  desk.answer('e1', { action: 'decline' }, 'ann');
  expect([await elicited, await shown]).toEqual([{ action: 'decline' }, { behavior: 'cancelled' }]);
  expect(replies.get('t1')).toMatchObject({ payload: { behavior: 'deny' } });
});

it('questions of one kind end without the others', async () => {
  const { desk, ask, settled } = openDesk();
  await ask('t1');
  const elicited = desk.elicit('e1', ELICITATION, signal());
  await nextLoop();
  desk.withdrawAll('Its turn was interrupted.', 'elicitation');
  await expect(elicited).rejects.toThrow('Its turn was interrupted.');
  expect(desk.pending().map(({ id }) => id)).toEqual(['t1']);
  expect(settled).toMatchObject([{ settlement: { outcome: 'withdrawn', by: 'session' } }]);
});
