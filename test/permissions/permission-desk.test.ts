import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import type { CanUseToolContext } from '../../src/permissions/can-use-tool.ts';
import type { PermissionResult } from '../../src/permissions/permission-result.ts';
import { openPromise } from '../control/open-promise.ts';
import { BASH, openDesk } from './desk-harness.ts';

const ALLOW: PermissionResult = { behavior: 'allow' };
const ALLOWED_ON_WIRE = { payload: { behavior: 'allow', updatedInput: BASH.input } };

describe('a question people answer', () => {
  it('lies open, with its age, until somebody answers (R37)', async () => {
    const { desk, clock, requested, settled, replies, ask } = openDesk();
    clock.increment(500);
    await ask('r1');

    expect(desk.pending()).toEqual([expect.objectContaining({ id: 'r1', toolName: 'Bash', askedAt: 500 })]);
    expect(requested.map(({ id }) => id)).toEqual(['r1']);
    expect([settled, replies.size]).toEqual([[], 0]);

    desk.answer('r1', ALLOW, 'ada');
    await nextLoop();
    expect(desk.pending()).toEqual([]);
    expect(replies.get('r1')).toEqual(ALLOWED_ON_WIRE);
    expect(settled).toEqual([
      { id: 'r1', settlement: { outcome: 'allowed', by: 'ada', decision: { behavior: 'allow' } } },
    ]);
  });

  it('has an entry of its own, even among equals: 2 allowed, 1 denied, 3 still open, then allowed (R36)', async () => {
    const { desk, replies, settled, ask } = openDesk();
    for (const agent of [1, 2, 3]) await ask(`r${agent}`, { ...BASH, agent_id: `agent-${agent}` });

    desk.answer('r2', ALLOW, 'ada');
    desk.answer('r1', { behavior: 'deny', message: 'Not you.' }, 'ada');
    await nextLoop();
    expect(desk.pending().map(({ id, agentId }) => [id, agentId])).toEqual([['r3', 'agent-3']]);
    expect([...replies.keys()].sort()).toEqual(['r1', 'r2']);

    desk.answer('r3', { behavior: 'allow', updatedInput: { command: 'pwd' } }, 'bob');
    await nextLoop();
    expect(replies.get('r1')).toEqual({ payload: { behavior: 'deny', message: 'Not you.' } });
    expect(replies.get('r2')).toEqual(ALLOWED_ON_WIRE);
    expect(replies.get('r3')).toEqual({ payload: { behavior: 'allow', updatedInput: { command: 'pwd' } } });
    expect(settled.map(({ id, settlement }) => `${id} ${settlement.outcome} ${settlement.by}`)).toEqual([
      'r2 allowed ada',
      'r1 denied ada',
      'r3 allowed bob',
    ]);
  });

  it('is decided by the first answer, and the second one is told whose that was (P4)', async () => {
    const { desk, replies, settled, ask } = openDesk();
    await ask('r1');
    desk.answer('r1', { behavior: 'deny', message: 'No.' }, 'ada');

    expect(() => desk.answer('r1', ALLOW, 'bob')).toThrow(
      expect.objectContaining({ code: 'PERMISSION_SETTLED', details: { id: 'r1', outcome: 'denied', by: 'ada' } }),
    );
    await nextLoop();
    expect(replies.get('r1')).toEqual({ payload: { behavior: 'deny', message: 'No.' } });
    expect(settled).toHaveLength(1);
  });

  it('stays open after a malformed answer', async () => {
    const { desk, replies, ask } = openDesk();
    await ask('r1');
    expect(() => desk.answer('r1', { behavior: 'yes' }, 'ada')).toThrow(
      expect.objectContaining({ code: 'INVALID_ANSWER' }),
    );
    await nextLoop();
    expect(desk.pending()).toHaveLength(1);
    expect(replies.size).toBe(0);
  });

  it('is answered although a rule of the answer was malformed, which is told (R32)', async () => {
    const { desk, dropped, replies, ask } = openDesk();
    await ask('r1');
    desk.answer('r1', { behavior: 'allow', updatedPermissions: [{ type: 'nonsense' }, 7] }, 'ada');
    await nextLoop();
    expect(replies.get('r1')).toEqual(ALLOWED_ON_WIRE);
    expect(dropped).toEqual([{ id: 'r1', count: 2 }]);
  });

  it('is unknown under any other name', async () => {
    const { desk, ask } = openDesk();
    await ask('r1');
    for (const id of ['r2', '', '__proto__']) {
      expect(() => desk.answer(id, ALLOW, 'ada')).toThrow(expect.objectContaining({ code: 'PERMISSION_NOT_FOUND' }));
    }
  });

  it.each([[{}], [{ input: 'ls' }], [{ input: null, tool_name: 7 }]])(
    'can be as malformed as %j (R17)',
    async (wire) => {
      const { desk, replies, ask } = openDesk();
      await ask('r1', wire);
      desk.answer('r1', ALLOW, 'ada');
      await nextLoop();
      expect(replies.get('r1')).toEqual({ payload: { behavior: 'allow', updatedInput: {} } });
    },
  );

  it('stays open whatever else happens in the session: nothing but its own end settles it (R33)', async () => {
    const { desk, settled, ask } = openDesk();
    await ask('r1');
    const other = await ask('r2');
    other.abort();
    await nextLoop();
    expect(desk.pending().map(({ id }) => id)).toEqual(['r1']);
    expect(settled.map(({ id }) => id)).toEqual(['r2']);
  });
});

describe('the deadline', () => {
  it('does not exist unless somebody sets one: ten minutes are nothing (R31)', async () => {
    const { desk, clock, replies, ask } = openDesk();
    await ask('r1');
    clock.increment(10 * 60_000);
    await nextLoop();
    expect(desk.pending()).toHaveLength(1);

    desk.answer('r1', ALLOW, 'ada');
    await nextLoop();
    expect(replies.get('r1')).toEqual(ALLOWED_ON_WIRE);
  });

  it('denies with a message and is recorded as expired, never as a decision of somebody (R31, P4)', async () => {
    const { desk, clock, replies, settled, ask } = openDesk({ deadlineMs: 60_000 });
    await ask('r1');
    clock.increment(59_999);
    await nextLoop();
    expect(desk.pending()).toHaveLength(1);

    clock.increment(1);
    await nextLoop();
    expect(replies.get('r1')).toEqual({
      payload: { behavior: 'deny', message: 'Nobody answered this permission request within 60000 ms.' },
    });
    expect(settled).toMatchObject([{ id: 'r1', settlement: { outcome: 'expired', by: 'deadline' } }]);
    expect(() => desk.answer('r1', ALLOW, 'ada')).toThrow(
      expect.objectContaining({
        code: 'PERMISSION_SETTLED',
        details: { id: 'r1', outcome: 'expired', by: 'deadline' },
      }),
    );
  });

  it('leaves no timer behind a question that was answered in time', async () => {
    const { desk, clock, ask } = openDesk({ deadlineMs: 60_000 });
    await ask('r1');
    expect(clock.openTimers).toBe(1);
    desk.answer('r1', ALLOW, 'ada');
    expect(clock.openTimers).toBe(0);
  });
});

describe('a session nobody attends', () => {
  it('denies at once, with the explanation, and asks nobody (R37)', async () => {
    let calls = 0;
    const canUseTool = () => {
      calls += 1;
      return ALLOW;
    };
    const { desk, settled, replies, requested, ask } = openDesk({ isAttended: false, canUseTool });
    await ask('r1');

    expect(replies.get('r1')).toEqual({
      payload: { behavior: 'deny', message: expect.stringContaining('Nobody can answer permission questions') },
    });
    expect(settled).toMatchObject([{ settlement: { outcome: 'denied', by: 'policy' } }]);
    expect([calls, requested.length, desk.pending().length]).toEqual([0, 1, 0]);
  });
});

describe('the callback', () => {
  it('is asked with the tool, its input and the facts, and its answer counts in its name', async () => {
    const calls: unknown[] = [];
    const { replies, settled, ask } = openDesk({
      canUseTool: (toolName, input, { signal, ...context }) => {
        calls.push([toolName, input, context]);
        return { behavior: 'allow', updatedInput: { command: 'pwd' } };
      },
    });
    await ask('r1', { ...BASH, agent_id: 'agent-1', permission_suggestions: [{ type: 'setMode' }] });

    expect(calls).toEqual([
      [
        'Bash',
        BASH.input,
        { suggestions: [{ type: 'setMode' }], toolUseID: 'toolu_1', requestId: 'r1', agentID: 'agent-1' },
      ],
    ]);
    expect(replies.get('r1')).toEqual({ payload: { behavior: 'allow', updatedInput: { command: 'pwd' } } });
    expect(settled).toMatchObject([{ settlement: { outcome: 'allowed', by: 'callback' } }]);
  });

  it.each([
    ['throws at once', () => thrown(new Error('boom')), 'boom'],
    ['rejects', () => Promise.reject(new Error('boom')), 'boom'],
    ['returns nothing', () => garbage(undefined), 'behavior'],
    ['returns true', () => garbage(true), 'behavior'],
    ['returns an unknown behavior', () => garbage({ behavior: 'ok' }), 'behavior'],
    ['returns an input that is no object', () => garbage({ behavior: 'allow', updatedInput: 'ls' }), 'updatedInput'],
    ['returns an input that is no JSON', () => garbage({ behavior: 'allow', updatedInput: { a: 1n } }), 'updatedInput'],
  ])('refuses the tool when it %s (P4, R25)', async (_title, canUseTool, reason) => {
    const { desk, replies, settled, ask } = openDesk({ canUseTool });
    await ask('r1');
    expect(replies.get('r1')).toEqual({ error: expect.objectContaining({ message: expect.stringContaining(reason) }) });
    expect(settled).toMatchObject([{ settlement: { outcome: 'failed', by: 'callback' } }]);
    expect(desk.pending()).toEqual([]);
  });

  it('may do with its copy of the input what it likes (P4)', async () => {
    const { replies, ask } = openDesk({
      canUseTool: (_tool, input) => {
        input['command'] = 1n;
        return ALLOW;
      },
    });
    await ask('r1', { ...BASH, input: { command: 'ls' } });
    expect(replies.get('r1')).toEqual(ALLOWED_ON_WIRE);
  });

  it('may never answer: people still can, and its signal tells it (R25)', async () => {
    const signals: AbortSignal[] = [];
    const { desk, replies, ask } = openDesk({
      canUseTool: (_tool, _input, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    await ask('r1');
    desk.answer('r1', ALLOW, 'ada');
    await nextLoop();
    expect(replies.get('r1')).toEqual(ALLOWED_ON_WIRE);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it.each([
    ['a person', ({ desk }: Opened) => void desk.answer('r1', { behavior: 'deny', message: 'No.' }, 'ada'), 'denied'],
    ['the deadline', ({ clock }: Opened) => clock.increment(60_000), 'expired'],
    ['the CLI', (_: Opened, question: AbortController) => question.abort(), 'cancelled'],
    ['the end of the session', ({ desk }: Opened) => desk.withdrawAll('The session is closing.'), 'withdrawn'],
  ])('is told that %s was faster, and what it says then changes nothing (P4, R26)', async (_title, settle, outcome) => {
    const answer = openPromise<PermissionResult>();
    const contexts: CanUseToolContext[] = [];
    const opened = openDesk({
      deadlineMs: 60_000,
      canUseTool: (_tool, _input, context) => {
        contexts.push(context);
        return answer.promise;
      },
    });
    const question = await opened.ask('r1');
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false]);

    settle(opened, question);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true]);
    await nextLoop();
    const reply = opened.replies.get('r1');

    answer.resolve(ALLOW);
    await nextLoop();
    expect(opened.replies.get('r1')).toBe(reply);
    expect(opened.settled.map(({ settlement }) => settlement.outcome)).toEqual([outcome]);
  });

  it('holds nobody back: each question calls it on its own (R25)', async () => {
    const first = openPromise<PermissionResult>();
    const { replies, ask } = openDesk({
      canUseTool: (_tool, _input, { requestId }) => (requestId === 'r1' ? first.promise : ALLOW),
    });
    await ask('r1');
    await ask('r2');
    expect([...replies.keys()]).toEqual(['r2']);
    first.resolve(ALLOW);
    await nextLoop();
    expect([...replies.keys()]).toEqual(['r2', 'r1']);
  });

  it('has its malformed rules dropped and told (R32)', async () => {
    const garbled = [{ type: 'nonsense' }];
    const { dropped, replies, ask } = openDesk({
      canUseTool: () => ({ behavior: 'allow', updatedPermissions: garbled }),
    });
    await ask('r1');
    expect(dropped).toEqual([{ id: 'r1', count: 1 }]);
    expect(replies.get('r1')).toEqual(ALLOWED_ON_WIRE);
  });
});

describe('a question that is taken back', () => {
  it('is cancelled by the agent, without a decision, and a late click is told so (R26)', async () => {
    const { desk, settled, replies, ask } = openDesk();
    const question = await ask('r1');
    question.abort(new Error('The CLI cancelled the request.'));
    await nextLoop();

    expect(settled).toEqual([{ id: 'r1', settlement: { outcome: 'cancelled', by: 'agent' } }]);
    expect(replies.get('r1')).toEqual({ error: expect.objectContaining({ code: 'PERMISSION_SETTLED' }) });
    expect(() => desk.answer('r1', ALLOW, 'ada')).toThrow(
      expect.objectContaining({ code: 'PERMISSION_SETTLED', details: { id: 'r1', outcome: 'cancelled', by: 'agent' } }),
    );
  });

  it('was never asked when its signal had fired before', async () => {
    let calls = 0;
    const { desk, settled } = openDesk({
      canUseTool: () => {
        calls += 1;
        return ALLOW;
      },
    });
    await expect(desk.ask('r1', BASH, AbortSignal.abort())).rejects.toMatchObject({ code: 'PERMISSION_SETTLED' });
    await nextLoop();
    expect(settled).toMatchObject([{ settlement: { outcome: 'cancelled' } }]);
    expect(calls).toBe(0);
  });

  it('is withdrawn, not cancelled by the agent, when its process is gone (P4, R33)', async () => {
    const { settled, ask } = openDesk();
    const question = await ask('r1');
    question.abort(new TroupeError('CLI_EXITED', { reason: 'It crashed.' }));
    expect(settled).toMatchObject([
      { settlement: { outcome: 'withdrawn', by: 'session', reason: expect.stringContaining('It crashed.') } },
    ]);
  });

  it('ends without a decision when the session closes, together with all the others (P4)', async () => {
    const { desk, settled, replies, ask } = openDesk();
    for (const id of ['r1', 'r2', 'r3']) await ask(id);
    desk.answer('r2', ALLOW, 'ada');

    desk.withdrawAll('The session is closing.');
    desk.withdrawAll('The CLI process is gone.');
    await nextLoop();

    const withdrawn = { outcome: 'withdrawn', by: 'session', reason: 'The session is closing.' };
    expect(settled.filter(({ id }) => id !== 'r2').map(({ settlement }) => settlement)).toEqual([withdrawn, withdrawn]);
    expect(replies.get('r1')).toEqual({
      error: expect.objectContaining({ message: expect.stringContaining('The session is closing.') }),
    });
    expect(desk.pending()).toEqual([]);
  });

  it('leaves no listener on its signal, however it ended (R60)', async () => {
    const { desk } = openDesk();
    const { signal } = new AbortController();
    for (let number = 0; number < 50; number += 1) {
      const reply = desk.ask(`r${number}`, BASH, signal).catch(() => {});
      if (number % 2 === 0) desk.answer(`r${number}`, ALLOW, 'ada');
      else desk.withdrawAll('closing');
      await reply;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('what is settled', () => {
  it('can still be looked up, with how it ended', async () => {
    const { desk, ask } = openDesk();
    await ask('r1');
    expect(desk.get('r1')?.settlement).toBeUndefined();
    desk.answer('r1', { behavior: 'deny', message: 'No.' }, 'ada');
    expect(desk.get('r1')).toMatchObject({
      id: 'r1',
      toolName: 'Bash',
      settlement: { outcome: 'denied', by: 'ada', decision: { behavior: 'deny', message: 'No.' } },
    });
    expect(desk.get('r2')).toBeUndefined();
  });

  it('is kept up to the limit, the oldest goes first (P9)', async () => {
    const { desk, ask } = openDesk({ maxSettled: 3 });
    for (let number = 0; number < 20; number += 1) {
      await ask(`r${number}`);
      desk.answer(`r${number}`, ALLOW, 'ada');
    }
    const kept = Array.from({ length: 20 }, (_, number) => `r${number}`).filter((id) => desk.get(id) !== undefined);
    expect(kept).toEqual(['r17', 'r18', 'r19']);
    expect(() => desk.answer('r0', ALLOW, 'ada')).toThrow(expect.objectContaining({ code: 'PERMISSION_NOT_FOUND' }));
  });
});

type Opened = ReturnType<typeof openDesk>;

/** What a callback without types may return. */
function garbage(value: unknown): PermissionResult {
  return value as PermissionResult;
}

function thrown(error: Error): never {
  throw error;
}
