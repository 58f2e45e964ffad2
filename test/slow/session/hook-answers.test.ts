import { describe, expect, it } from 'vitest';
import type { HookEvent, HookOutput, HooksOption } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { answersTo, eventOf, expectNoViolations, kept, linesTo, stage } from './stage.ts';

const call = (id: string, event: string, more: Record<string, unknown> = {}) =>
  step.request({
    name: id,
    subtype: 'hook_callback',
    callback_id: id,
    input: { hook_event_name: event, session_id: '$session_id', ...more },
    tool_use_id: `toolu_${id}`,
  });

/** Every field of an output, and what each event may say of its own, in the order of the events, which is that of the ids. */
const OUTPUTS: readonly [event: HookEvent, output: HookOutput][] = [
  ['PreToolUse', { async: true, asyncTimeout: 5_000 }],
  [
    'PreToolUse',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: 'known',
        updatedInput: { command: 'pwd' },
        additionalContext: 'the folder is empty',
      },
    },
  ],
  ['PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: { text: ['changed'] } } }],
  ['Notification', { hookSpecificOutput: { hookEventName: 'Notification', additionalContext: 'seen' } }],
  ['SubagentStart', { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'be brief' } }],
  ['SubagentStop', { continue: false, stopReason: 'enough', suppressOutput: true, systemMessage: 'for people' }],
  ['SubagentStop', { decision: 'block', reason: 'go on' }],
  [
    'PermissionRequest',
    {
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'allow', updatedInput: { a: 1 } },
      },
    },
  ],
];

describe('the answers of hooks (WIRE §7, PEER test_tool_callbacks)', () => {
  it('reach the CLI field by field as the callback gave them, with input and tool use id before', async () => {
    const hooks: Record<string, { hooks: (() => HookOutput)[] }[]> = {};
    const seen: unknown[] = [];
    for (const [event, output] of OUTPUTS) {
      const callback = (...[input, toolUseId]: unknown[]) => {
        seen.push([(input as { tool_name?: string }).tool_name, toolUseId]);
        return output;
      };
      hooks[event] = [...(hooks[event] ?? []), { hooks: [callback] }];
    }
    const ids = OUTPUTS.map((_, index) => `hook-${index}`);
    const calls = OUTPUTS.map(([event], index) => call(`hook-${index}`, event, { tool_name: 'Bash' }));
    const { start, fake } = await stage({
      rules: [on(when.prompt('go'), ...calls, ...ids.map((id) => step.awaitResponse(id)), step.echoTurn())],
    });
    const session = await start({ hooks: hooks as HooksOption });
    expect((await session.prompt('go').result).outcome).toBe('completed');

    const answers = (await answersTo(fake)).map(({ subtype, response }) => [subtype, response]);
    expect(answers).toEqual(OUTPUTS.map(([, output]) => ['success', output]));
    expect(seen).toEqual(ids.map((id) => ['Bash', `toolu_${id}`]));
    await expectNoViolations(fake);
  });

  it('is none for a call that was taken back, whose callback hears it; one that is over is not cancelled any more', async () => {
    const aborted: string[] = [];
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          call('hook-0', 'SubagentStop'),
          step.awaitResponse('hook-0'),
          call('hook-1', 'SubagentStop'),
          step.delay(50),
          step.cancelRequest('hook-1'),
          step.cancelRequest('hook-0'),
          step.emit({ type: 'control_cancel_request', request_id: 'never-asked' }),
          step.echoTurn(),
        ),
      ],
    });
    const listen = (name: string, signal: AbortSignal) => signal.addEventListener('abort', () => aborted.push(name));
    const session = await start({
      hooks: {
        SubagentStop: [
          {
            hooks: [
              (_, __, { signal }) => {
                listen('over', signal);
                return {};
              },
              (_, __, { signal }) => {
                listen('taken back', signal);
                return new Promise(() => {});
              },
            ],
          },
        ],
      },
    });
    expect((await session.prompt('go').result).outcome).toBe('completed');
    await eventOf(session, 'hook.called', ({ outcome }) => outcome === 'cancelled');

    expect(aborted).toEqual(['taken back']);
    expect(await answersTo(fake)).toHaveLength(1);
    expect((await kept(session)).flatMap((event) => (event.type === 'diagnostic' ? [event.reason] : []))).toContain(
      'unknown-cancel',
    );
    expect((await session.prompt('again').result).outcome).toBe('completed');
    await expectNoViolations(fake);
  });

  it('come from callbacks that the initialize request names, with matcher and timeout, and none without', async () => {
    const { start, fake } = await stage();
    const calm = () => ({});
    await start({ hooks: { PreToolUse: [{ matcher: 'Bash|Write', hooks: [calm, calm], timeout: 7 }], Stop: [] } });
    await start();
    const asked = (await linesTo(fake)).flatMap((line) =>
      line['type'] === 'control_request' ? [line['request']] : [],
    );

    expect(asked).toEqual([
      expect.objectContaining({
        subtype: 'initialize',
        hooks: { PreToolUse: [{ matcher: 'Bash|Write', hookCallbackIds: ['hook-0', 'hook-1'], timeout: 7 }] },
      }),
      expect.not.objectContaining({ hooks: expect.anything() }),
    ]);
  });
});
