import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AbortNotice } from '../../src/abort-notice.ts';
import { TroupeError } from '../../src/errors.ts';
import { openChannel } from './channel-harness.ts';
import { openPromise } from './open-promise.ts';

const MINUTE = { deadlineMs: 60_000 };
const FOREVER = { deadlineMs: Number.POSITIVE_INFINITY };

describe('telling the CLI something', () => {
  it('uses up no room for questions, however much is told (P9)', async () => {
    const { channel, clock, sent } = openChannel({ maxPending: 2 });
    await Promise.all(Array.from({ length: 500 }, (_, n) => channel.notify('mcp_message', { server_name: 'a', n })));

    expect(channel.openRequests).toEqual({ ours: 0, theirs: 0 });
    expect(clock.openTimers).toBe(0);
    expect(sent.map((line) => ('payload' in line ? line.payload['n'] : line))).toEqual(
      Array.from({ length: 500 }, (_, n) => n),
    );
  });

  it('takes the answer, which the CLI sends all the same, for nothing odd (WIRE §2)', async () => {
    const { channel, sent, oddities, cliAnswers, cliRefuses } = openChannel();
    for (let told = 0; told < 2_000; told += 1) await channel.notify('mcp_message', {});
    const ids = sent.flatMap((line) => ('request' in line ? [line.request] : []));

    expect(new Set(ids).size).toBe(2_000);
    for (const id of ids.slice(1)) cliAnswers(id, {});
    cliRefuses(ids[0] ?? '', 'no');
    expect(oddities).toEqual([]);
  });

  it('leaves out, and says so once, what a CLI that does not read cannot take (P6, P9)', async () => {
    const gate = openPromise<void>();
    const { channel, oddities } = openChannel({ write: () => gate.promise });
    const told = Array.from({ length: 1_500 }, () => channel.notify('mcp_message', {}));
    gate.resolve();

    const written = (await Promise.all(told)).filter(Boolean);
    expect(written).toHaveLength(1_000);
    expect(oddities.map(({ reason }) => reason)).toEqual(['too-many-notifications']);
    expect(await channel.notify('mcp_message', {})).toBe(true);
  });

  it('tells of one that is no JSON, and of nothing after the end (P6)', async () => {
    const { channel, oddities, sent } = openChannel();
    expect(await channel.notify('mcp_message', { count: 1n })).toBe(false);
    channel.close(new TroupeError('CLI_EXITED'));
    expect(await channel.notify('mcp_message', {})).toBe(false);
    expect(await channel.notify('mcp_message', { count: 1n })).toBe(false);
    expect(sent).toEqual([]);
    expect(oddities.map(({ reason }) => reason)).toEqual(['unsendable-notification']);
  });

  it('comes to nothing when the pipe is closed, and throws nothing (R22)', async () => {
    const { channel } = openChannel({ write: () => Promise.reject(new TroupeError('CLI_INPUT_CLOSED')) });
    expect(await channel.notify('mcp_message', {})).toBe(false);
  });
});

describe('asking the CLI', () => {
  it('pairs every answer with its question by id, in any order (WIRE §1)', async () => {
    const { channel, sent, cliAnswers } = openChannel();
    const model = channel.request('set_model', { model: 'opus' }, MINUTE);
    const status = channel.request('mcp_status', {}, MINUTE);

    cliAnswers('troupe-2', { mcpServers: [] });
    cliAnswers('troupe-1', { model: 'opus' });

    expect(await status).toEqual({ mcpServers: [] });
    expect(await model).toEqual({ model: 'opus' });
    expect(sent).toEqual([
      { request: 'troupe-1', subtype: 'set_model', payload: { model: 'opus' } },
      { request: 'troupe-2', subtype: 'mcp_status', payload: {} },
    ]);
  });

  it('hands over what stood beside the payload, and the payload wins a clash (WIRE §1)', async () => {
    const { channel, cliAnswers } = openChannel();
    const answer = channel.request('initialize', {}, MINUTE);

    cliAnswers('troupe-1', { pid: 7 }, { pending_permission_requests: [{ request_id: 'r1' }], pid: 8 });

    expect(await answer).toEqual({ pid: 7, pending_permission_requests: [{ request_id: 'r1' }] });
  });

  it('does not let a payload change the subtype of its request', () => {
    const { channel, sent } = openChannel();
    channel.request('mcp_status', { subtype: 'end_session' }, MINUTE).catch(() => {});
    expect(sent).toEqual([{ request: 'troupe-1', subtype: 'mcp_status', payload: {} }]);
  });

  it('rejects a refusal with the words and the code of the CLI (WIRE §9)', async () => {
    const { channel, cliRefuses } = openChannel();
    const answer = refusalOf(channel.request('set_permission_mode', { mode: 'nonsense' }, MINUTE));

    cliRefuses('troupe-1', 'Unknown mode', 'invalid_mode');

    expect(await answer).toMatchObject({
      code: 'CONTROL_REFUSED',
      details: { subtype: 'set_permission_mode', cliError: 'Unknown mode', cliErrorCode: 'invalid_mode' },
    });
  });

  it('takes the first of two answers and tells of the second (WIRE §23)', async () => {
    const { channel, oddities, cliAnswers } = openChannel();
    const answer = channel.request('set_permission_mode', { mode: 'plan' }, MINUTE);

    cliAnswers('troupe-1', { mode: 'plan' });
    cliAnswers('troupe-1', { mode: 'default' });

    expect(await answer).toEqual({ mode: 'plan' });
    expect(oddities).toEqual([{ reason: 'late-response', requestId: 'troupe-1' }]);
  });

  it('leaves an answer to nobody alone and tells of it (P6)', () => {
    const { oddities, cliAnswers, cliRefuses } = openChannel();
    cliAnswers('never-asked');
    cliRefuses('never-asked-either', 'no');
    expect(oddities.map(({ reason }) => reason)).toEqual(['late-response', 'late-response']);
  });
});

describe('a question without an answer', () => {
  it('is given up at its deadline, and the CLI is told (P5, WIRE §9)', async () => {
    const { channel, clock, sent, oddities, cliAnswers } = openChannel();
    const answer = refusalOf(channel.request('get_settings', {}, { deadlineMs: 5_000 }));

    clock.increment(4_999);
    expect(channel.openRequests.ours).toBe(1);
    clock.increment(1);

    expect(await answer).toMatchObject({
      code: 'CONTROL_TIMEOUT',
      details: { subtype: 'get_settings', deadlineMs: 5_000 },
    });
    expect(sent.at(-1)).toEqual({ cancel: 'troupe-1' });
    cliAnswers('troupe-1', {});
    expect(oddities).toEqual([{ reason: 'late-response', requestId: 'troupe-1' }]);
    expect(channel.openRequests).toEqual({ ours: 0, theirs: 0 });
  });

  it('waits for ever when its deadline is Infinity (P5)', async () => {
    const { channel, clock, cliAnswers } = openChannel();
    const answer = channel.request('initialize', {}, FOREVER);
    clock.increment(10 * 24 * 3_600_000);
    cliAnswers('troupe-1', { pid: 1 });
    expect(await answer).toEqual({ pid: 1 });
  });

  it('is given up when its caller aborts, with the reason as the cause', async () => {
    const { channel, clock, sent } = openChannel();
    const controller = new AbortController();
    const answer = refusalOf(channel.request('mcp_status', {}, { ...MINUTE, signal: controller.signal }));

    controller.abort('changed my mind');

    expect(await answer).toMatchObject({ code: 'ABORTED', cause: 'changed my mind' });
    expect(sent.at(-1)).toEqual({ cancel: 'troupe-1' });
    expect(clock.openTimers).toBe(0);
  });

  it('is never written when its caller aborted before', async () => {
    const { channel, sent, clock } = openChannel();
    const answer = refusalOf(channel.request('mcp_status', {}, { ...MINUTE, signal: AbortSignal.abort('early') }));

    expect(await answer).toMatchObject({ code: 'ABORTED', cause: 'early' });
    expect(sent).toEqual([]);
    expect(clock.openTimers).toBe(0);
    expect(channel.openRequests.ours).toBe(0);
  });

  it('rejects with the failure of the pipe and leaves nothing behind', async () => {
    const broken = new TroupeError('CLI_INPUT_CLOSED');
    const { channel, clock } = openChannel({ write: () => Promise.reject(broken) });

    expect(await refusalOf(channel.request('mcp_status', {}, MINUTE))).toBe(broken);
    expect(channel.openRequests.ours).toBe(0);
    expect(clock.openTimers).toBe(0);
  });

  it('rejects a payload that is not JSON and leaves nothing behind', async () => {
    const { channel, clock, sent } = openChannel();

    const answer = refusalOf(channel.request('set_model', { model: 1n }, MINUTE));

    expect(await answer).toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(sent).toEqual([]);
    expect(channel.openRequests.ours).toBe(0);
    expect(clock.openTimers).toBe(0);
  });

  it('is refused over the limit without being written, and admitted when a place is free (P9)', async () => {
    const { channel, sent, cliAnswers } = openChannel({ maxPending: 2 });
    const first = channel.request('a', {}, MINUTE);
    channel.request('b', {}, MINUTE).catch(() => {});

    expect(await refusalOf(channel.request('c', {}, MINUTE))).toMatchObject({
      code: 'CONTROL_LIMIT',
      details: { field: 'limits.maxControlPending', limit: 2, subtype: 'c' },
    });
    expect(sent).toHaveLength(2);

    cliAnswers('troupe-1', {});
    await first;
    channel.request('d', {}, MINUTE).catch(() => {});
    expect(sent.at(-1)).toMatchObject({ subtype: 'd' });
  });
});

describe('closing', () => {
  it('rejects everybody who waits with the reason, before the event loop turns once (R02)', async () => {
    const { channel, clock } = openChannel();
    const reason = new TroupeError('CLI_EXITED', { reason: 'No conversation found (exit code 1)' });
    const rejections: unknown[] = [];
    for (const subtype of ['initialize', 'interrupt', 'mcp_status']) {
      channel.request(subtype, {}, FOREVER).catch((error: unknown) => rejections.push(error));
    }

    channel.close(reason);
    await nextLoop();

    expect(rejections).toEqual([reason, reason, reason]);
    expect(rejections.every((error) => error === reason)).toBe(true);
    expect(channel.openRequests).toEqual({ ours: 0, theirs: 0 });
    expect(clock.openTimers).toBe(0);
  });

  it('refuses later questions with the same reason and writes nothing any more', async () => {
    const { channel, sent } = openChannel();
    const reason = new TroupeError('CLI_EXITED');
    channel.close(reason);

    expect(await refusalOf(channel.request('mcp_status', {}, MINUTE))).toBe(reason);
    expect(sent).toEqual([]);
  });

  it('keeps the first reason when it is closed twice', async () => {
    const { channel } = openChannel();
    const first = new TroupeError('CLI_EXITED');
    channel.close(first);
    channel.close(new TroupeError('SESSION_CLOSED'));
    expect(await refusalOf(channel.request('mcp_status', {}, MINUTE))).toBe(first);
  });

  it('aborts the handlers with the reason, and their late answers go nowhere (P6)', async () => {
    const reason = new TroupeError('CLI_EXITED');
    const ask = openPromise<unknown>();
    const signals: AbortNotice[] = [];
    const { channel, sent, oddities, cliAsks } = openChannel({
      handlers: {
        can_use_tool: ({ signal }) => {
          signals.push(signal);
          return ask.promise;
        },
      },
    });
    cliAsks('r1', 'can_use_tool');
    await nextLoop();

    channel.close(reason);
    ask.resolve({ behavior: 'allow' });
    await nextLoop();

    expect(signals.map((signal) => signal.reason)).toEqual([reason]);
    expect(sent).toEqual([]);
    cliAsks('r2', 'can_use_tool');
    await nextLoop();
    expect([sent, oddities, signals.length]).toEqual([[], [], 1]);
  });
});

describe('a question that is listed again', () => {
  it('is known while it is answered and afterwards, also after its echo (P4, WIRE §1, §25.27)', async () => {
    const ask = openPromise<unknown>();
    const { channel, cliAsks, cliAnswers, oddities } = openChannel({ handlers: { can_use_tool: () => ask.promise } });
    expect(channel.knows('r1')).toBe(false);
    cliAsks('r1', 'can_use_tool');
    expect([channel.knows('r1'), channel.knows('r2'), channel.knows(undefined)]).toEqual([true, false, false]);
    ask.resolve({ behavior: 'allow' });
    await nextLoop();
    expect(channel.knows('r1')).toBe(true);
    cliAnswers('r1', { behavior: 'allow' });
    expect([channel.knows('r1'), oddities]).toEqual([true, []]);
    cliAnswers('r1', { behavior: 'allow' });
    expect(oddities).toEqual([{ reason: 'late-response', requestId: 'r1' }]);
  });
});

describe('a signal that many requests share', () => {
  it('has no listener left after 1 000 requests, however they ended (R60)', async () => {
    const { channel, clock, cliAnswers, cliRefuses } = openChannel();
    const { signal } = new AbortController();
    for (let number = 1; number <= 1_000; number += 1) {
      const answer = channel.request('mcp_status', {}, { ...MINUTE, signal }).catch(() => {});
      if (number % 3 === 0) cliRefuses(`troupe-${number}`, 'no');
      else if (number % 3 === 1) cliAnswers(`troupe-${number}`, {});
      else clock.increment(MINUTE.deadlineMs);
      await answer;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(clock.openTimers).toBe(0);
  });
});

function refusalOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    (value) => expect.fail(`answered with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}
