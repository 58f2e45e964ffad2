import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CanUseToolContext } from '../../src/permissions/can-use-tool.ts';
import type { PermissionResult } from '../../src/permissions/permission-result.ts';
import { openPromise } from '../control/open-promise.ts';
import { BASH, bookOf, openDesk } from './desk-harness.ts';

const ALLOW: PermissionResult = { behavior: 'allow' };

describe('a question that is answered in the turn of the loop in which it came', () => {
  it('is asked and settled, and its session was seen to wait for it (P4)', async () => {
    const { opened, requested, settled, replies, ask } = openDesk({ canUseTool: async () => ALLOW });
    await ask('r1');

    expect(requested.map(({ id }) => id)).toEqual(['r1']);
    expect(settled).toEqual([
      { id: 'r1', settlement: { outcome: 'allowed', by: 'callback', decision: { behavior: 'allow' } } },
    ]);
    expect(replies.get('r1')).toEqual({ payload: { behavior: 'allow', updatedInput: BASH.input } });
    expect(opened).toEqual(['r1']);
  });

  it.each([
    [true, ['answered', 'requested', 'opened', 'settled']],
    [false, ['requested', 'opened', 'settled', 'answered']],
  ])('is answered before it is told only where nothing is kept for good: %s (P7)', async (answersFirst, story) => {
    const told: string[] = [];
    const { desk } = openDesk({
      canUseTool: async () => ALLOW,
      answersFirst,
      onRequested: () => told.push('requested'),
      onPassed: (_, settle) => {
        told.push('opened');
        settle();
      },
      onSettled: () => told.push('settled'),
    });
    const answer = { behavior: 'allow', updatedInput: BASH.input };
    const responded: unknown[] = [];
    const respond = (payload: unknown) => {
      told.push('answered');
      responded.push(payload);
    };
    const payload = await desk.ask('r1', BASH, new AbortController().signal, respond);
    if (payload !== undefined) respond(payload);

    expect(told).toEqual(story);
    expect(responded).toEqual([answer]);
  });

  it('refuses the tool when the callback throws at once (P4)', async () => {
    const canUseTool = () => {
      throw new Error('no idea');
    };
    const { opened, settled, replies, ask } = openDesk({ canUseTool });
    await ask('r1');

    expect(settled).toEqual([{ id: 'r1', settlement: { outcome: 'failed', by: 'callback', reason: 'no idea' } }]);
    expect(replies.get('r1')).toEqual({ error: expect.objectContaining({ code: 'PERMISSION_SETTLED' }) });
    expect(opened).toEqual(['r1']);
  });

  it('keeps the first of two answers, also when the callback itself calls somebody who is faster (P4)', async () => {
    const open = openDesk({
      canUseTool: async (_tool, _input, { requestId, signal }) => {
        open.desk.answer(requestId, { behavior: 'deny', message: 'No.' }, 'ada');
        expect(signal.aborted).toBe(true);
        return ALLOW;
      },
    });
    await open.ask('r1');

    expect(open.settled.map(({ settlement: { outcome, by } }) => [outcome, by])).toEqual([['denied', 'ada']]);
    expect(open.replies.get('r1')).toEqual({ payload: { behavior: 'deny', message: 'No.' } });
  });

  it('is decided by a rule that has to look at no file', async () => {
    const rules = bookOf([{ tool: 'Bash', behavior: 'deny' }]);
    const { opened, settled, ask } = openDesk({ rules, canUseTool: async () => ALLOW });
    await ask('r1');

    expect(settled.map(({ settlement: { outcome, by } }) => [outcome, by])).toEqual([['denied', 'policy']]);
    expect(opened).toEqual([]);
  });
});

describe('a question that is still open at the end of that turn', () => {
  it('is waited for, and its callback is asked no second time', async () => {
    const answer = openPromise<PermissionResult>();
    const contexts: CanUseToolContext[] = [];
    const { opened, settled, ask } = openDesk({
      canUseTool: (_tool, _input, context) => {
        contexts.push(context);
        return answer.promise;
      },
    });
    await ask('r1');
    expect(opened).toEqual(['r1']);

    answer.resolve(ALLOW);
    await nextLoop();
    expect(settled.map(({ id, settlement: { by } }) => [id, by])).toEqual([['r1', 'callback']]);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it('has its deadline from then on, and the callback learns that it passed (P5)', async () => {
    const contexts: CanUseToolContext[] = [];
    const { clock, settled, ask } = openDesk({
      deadlineMs: 1_000,
      canUseTool: (_tool, _input, context) => {
        contexts.push(context);
        return new Promise(() => {});
      },
    });
    await ask('r1');
    clock.increment(999);
    expect(settled).toEqual([]);
    clock.increment(1);

    expect(settled.map(({ settlement: { outcome } }) => outcome)).toEqual(['expired']);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true]);
  });
});
