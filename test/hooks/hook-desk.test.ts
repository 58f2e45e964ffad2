import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SimulatedClock } from 'xstate';
import { hook } from '../../src/hooks/hook.ts';
import { type HookCall, HookDesk } from '../../src/hooks/hook-desk.ts';
import { HOOK_EVENTS, type HookEvent } from '../../src/hooks/hook-input.ts';
import type { HookCallback, HookCallbackMatcher, HooksOption } from '../../src/hooks/hook-options.ts';
import type { HookOutput } from '../../src/hooks/hook-output.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';

const INPUT = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };

function desk(hooks: HooksOption, answersFirst = true) {
  const clock = new SimulatedClock();
  const calls: HookCall[] = [];
  const built = new HookDesk({
    hooks,
    clock,
    deadlineMs: 1_000,
    answersFirst,
    onCalled: (call) => calls.push(call),
  });
  const call = (id: string, signal = new AbortController().signal) =>
    built.call({ callback_id: id, input: INPUT, tool_use_id: 't1' }, signal);
  return { desk: built, clock, calls, call };
}

function only(callback: HookCallback, more: Partial<HookCallbackMatcher> = {}, event: HookEvent = 'PreToolUse') {
  return desk({ [event]: [{ hooks: [callback], ...more }] });
}

const DENIED = (reason: unknown) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
});

describe('registration (WIRE §1)', () => {
  it('names every event, matcher and timeout, one id per callback, the same at every start (P8)', () => {
    const callback: HookCallback = () => ({});
    const { desk: built } = desk({
      PreToolUse: [
        { matcher: 'Bash', hooks: [callback, callback], timeout: 5 },
        { hooks: [callback], onFailure: 'block' },
      ],
      Stop: [{ hooks: [callback] }, { hooks: [] }],
    });

    expect(built.registration()).toEqual({
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hookCallbackIds: ['hook-0', 'hook-1'], timeout: 5 },
          { hookCallbackIds: ['hook-2'], onFailure: 'block' },
        ],
        Stop: [{ hookCallbackIds: ['hook-3'] }],
      },
    });
    expect(built.registration()).toEqual(built.registration());
  });

  it('says nothing when there are no hooks', () => {
    expect(desk({}).desk.registration()).toEqual({});
    expect(desk({ Stop: [] }).desk.registration()).toEqual({});
  });

  it.each(HOOK_EVENTS)('takes hooks for %s', (event) => {
    const options = { hooks: { [event]: [{ hooks: [() => ({})] }] } };
    const { hooks = {} } = parseSessionOptions(options);

    expect(desk(hooks).desk.registration()).toEqual({ hooks: { [event]: [{ hookCallbackIds: ['hook-0'] }] } });
  });
});

describe('a call', () => {
  it('hands over input, tool use id and signal, and returns the output as it is', async () => {
    const seen: unknown[] = [];
    const output = { continue: true, systemMessage: 'hi', somethingNew: 1 };
    const { call, calls } = only((input, toolUseId, { signal }) => {
      seen.push(input, toolUseId, signal.aborted);
      return output;
    });

    expect(await call('hook-0')).toEqual(output);
    expect(seen).toEqual([INPUT, 't1', false]);
    expect(calls).toEqual([
      { event: 'PreToolUse', matcher: undefined, toolUseId: 't1', outcome: 'answered', reason: undefined, tookMs: 0 },
    ]);
  });

  it('passes the async form on', async () => {
    expect(await only(() => ({ async: true, asyncTimeout: 10 })).call('hook-0')).toEqual({
      async: true,
      asyncTimeout: 10,
    });
  });

  it('refuses an id that was never registered', async () => {
    await expect(only(() => ({})).call('hook-9')).rejects.toMatchObject({ code: 'HOOK_NOT_FOUND' });
    await expect(only(() => ({})).desk.call({}, new AbortController().signal)).rejects.toMatchObject({
      code: 'HOOK_NOT_FOUND',
    });
  });

  it.each<[string, HookCallback, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      /broken/,
    ],
    ['rejects', () => Promise.reject(new Error('broken')), /broken/],
    ['returns nothing', (() => undefined) as unknown as HookCallback, /output is none/],
    ['returns a text', (() => 'yes') as unknown as HookCallback, /output is none/],
    ['decides in unknown words', (() => ({ decision: 'maybe' })) as unknown as HookCallback, /"decision"/],
    ['speaks for another event', () => ({ hookSpecificOutput: { hookEventName: 'Stop' } }), /not "PreToolUse"/],
  ])('that %s fails open, quietly, and closed where asked to', async (_, callback, reason) => {
    const open = only(callback);
    const closed = only(callback, { onFailure: 'block' });

    expect(await open.call('hook-0')).toEqual({});
    expect(await closed.call('hook-0')).toEqual(DENIED(expect.stringMatching(reason)));
    expect(open.calls).toMatchObject([{ outcome: 'failed', reason: expect.stringMatching(reason) }]);
  });

  it.each<[HookEvent, unknown]>([
    ['UserPromptSubmit', { decision: 'block', reason: expect.stringContaining('broken') }],
    [
      'PermissionRequest',
      { hookSpecificOutput: { decision: { behavior: 'deny', message: expect.stringContaining('broken') } } },
    ],
    ['Stop', {}],
  ])('of %s blocks in the words of its event, if it guards anything', async (event, output) => {
    const failing = () => Promise.reject(new Error('broken'));

    expect(await only(failing, { onFailure: 'block' }, event).call('hook-0')).toMatchObject(output as object);
  });

  it('that takes too long is over, its signal fires, and its late answer changes nothing (P5)', async () => {
    const signals: AbortSignal[] = [];
    let finish: (output: HookOutput) => void = () => {};
    const { call, clock, calls } = only(
      (_, __, { signal }) => {
        signals.push(signal);
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      { onFailure: 'block' },
    );
    const answer = call('hook-0');
    await nextLoop();
    clock.increment(1_001);

    expect(await answer).toEqual(DENIED(expect.stringContaining('1000 ms')));
    expect(signals[0]?.reason).toMatchObject({ code: 'HOOK_TIMEOUT' });
    finish({});
    await Promise.resolve();
    expect(calls.map(({ outcome }) => outcome)).toEqual(['timed-out']);
  });

  it('with a timeout of its matcher is left to the CLI, which counts it itself (WIRE §7)', async () => {
    const { call, clock, calls } = only(() => new Promise(() => {}), { timeout: 2 });
    const answer = call('hook-0');
    await nextLoop();
    clock.increment(6_999);
    expect(calls).toEqual([]);
    clock.increment(1);

    expect(await answer).toEqual({});
    expect(calls).toMatchObject([{ outcome: 'timed-out' }]);
  });

  it('that is taken back hears it, and is neither failed nor answered (WIRE §6)', async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const { call, calls } = only(
      (_, __, { signal }) => new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason))),
    );
    const answer = call('hook-0', controller.signal);
    await Promise.resolve();
    controller.abort(new Error('cancelled'));
    await answer;

    expect(calls).toMatchObject([{ outcome: 'cancelled', reason: 'cancelled' }]);
    expect(reasons).toEqual([new Error('cancelled')]);
  });

  it('runs beside others: a slow one holds nobody back (R25)', async () => {
    const { call } = desk({ PreToolUse: [{ hooks: [() => new Promise(() => {}), () => ({ continue: true })] }] });
    void call('hook-0');

    expect(await call('hook-1')).toEqual({ continue: true });
  });
});

describe('the ready-made hooks', () => {
  const ask = async (callback: HookCallback, tool: string, event = 'PreToolUse') =>
    callback({ ...INPUT, tool_name: tool, hook_event_name: event } as never, 't1', {
      signal: new AbortController().signal,
    });

  it('speak for PreToolUse', () => {
    expect(hook.allow()).toEqual({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } });
    expect(hook.modify({ command: 'pwd' })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'pwd' } },
    });
    expect(hook.deny('no')).toEqual(DENIED('no'));
    expect(hook.ask('why')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } });
  });

  it('refuse what is listed, or what is not', async () => {
    expect(await ask(hook.denyTools('Bash', 'mcp__db__*'), 'Bash')).toEqual(DENIED(expect.stringContaining('Bash')));
    expect(await ask(hook.denyTools('mcp__db__*'), 'mcp__db__drop')).toEqual(DENIED(expect.any(String)));
    expect(await ask(hook.denyTools('mcp__db__*'), 'mcp__dbx')).toEqual({});
    expect(await ask(hook.allowTools('Read', 'Glob'), 'Read')).toEqual({});
    expect(await ask(hook.allowTools('Read', 'Glob'), 'ReadAll')).toEqual(
      DENIED(expect.stringContaining('Read, Glob')),
    );
    expect(await ask(hook.denyTools('a.b'), 'aXb')).toEqual({});
    expect(await ask(hook.denyTools('*'), 'Bash', 'PostToolUse')).toEqual({});
  });

  it('validate and log', async () => {
    const check = hook.validate((tool, { command }) => (tool === 'Bash' && command === 'ls' ? 'no listing' : true));
    const seen: unknown[] = [];

    expect(await ask(check, 'Bash')).toEqual(DENIED('no listing'));
    expect(await ask(check, 'Read')).toEqual({});
    expect(
      await ask(
        hook.log((input) => seen.push(input.hook_event_name)),
        'Bash',
        'Stop',
      ),
    ).toEqual({});
    expect(seen).toEqual(['Stop']);
  });
});

describe('the answer of a hook', () => {
  it.each([
    [true, ['answered']],
    [false, []],
  ])('goes out before its call is told only where nothing is kept for good: %s (P7)', async (answersFirst, before) => {
    const { desk: built, calls } = desk({ PreToolUse: [{ hooks: [async () => ({ continue: true })] }] }, answersFirst);
    const responded: string[] = [];
    const { signal } = new AbortController();
    const answer = await built.call({ callback_id: 'hook-0', input: INPUT }, signal, () => {
      expect(calls).toEqual([]);
      responded.push('answered');
    });

    expect(responded).toEqual(before);
    expect(answer).toEqual({ continue: true });
    expect(calls.map(({ outcome }) => outcome)).toEqual(['answered']);
  });
});
