import { describe, expect, it } from 'vitest';
import { type HookCallback, type HooksOption, hook, type ObservedEvent, type Session } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';

const WRITE = `CALL Bash ${JSON.stringify({ command: 'echo hi > out.txt', description: 'write' })}`;
const HARMLESS = `CALL Bash ${JSON.stringify({ command: 'echo calm', description: 'say' })}`;
const calm: HookCallback = () => ({});

/** What the model was told about the tool it called. */
async function toolResult(session: Session): Promise<{ content: unknown; is_error?: boolean }> {
  const { message } = await eventOf(session, 'message', (event) => toolResultIn(event.message.value) !== undefined);
  return toolResultIn(message.value) as { content: unknown; is_error?: boolean };
}

function toolResultIn(value: unknown): unknown {
  const content = (value as { message?: { content?: unknown } } | undefined)?.message?.content;
  return Array.isArray(content) ? content.find((block) => block?.type === 'tool_result') : undefined;
}

function questions(session: Session): Promise<readonly string[]> {
  return collect(session, (event) => (event.type === 'permission.requested' ? event.toolName : undefined));
}

async function collect<T>(session: Session, pick: (event: ObservedEvent) => T | undefined): Promise<T[]> {
  const found: T[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    const one = pick(event);
    if (one !== undefined) found.push(one);
  }
  return found;
}

describe('hooks on the real CLI (WIRE §7)', () => {
  it('are called in order around one Bash call', async () => {
    const { start } = await stage();
    const order: string[] = [];
    const note: HookCallback = (input) => {
      order.push(input.hook_event_name);
      return {};
    };
    const events = ['UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop'] as const;
    const hooks: HooksOption = Object.fromEntries(events.map((event) => [event, [{ hooks: [note] }]]));
    const session = await start({
      hooks,
      canUseTool: () => {
        order.push('canUseTool');
        return { behavior: 'allow' };
      },
    });
    await session.prompt(WRITE).result;
    const logged = await collect(session, (event) => {
      if (event.type === 'hook.called') return event.event;
      return event.type === 'message' && event.message.subtype === 'init' ? 'init' : undefined;
    });

    // PermissionRequest and can_use_tool are emitted together, in either order.
    expect(order.toSorted()).toEqual([...events, 'canUseTool'].toSorted());
    expect(order.filter((name) => !['canUseTool', 'PermissionRequest'].includes(name))).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'Stop',
    ]);
    expect(logged.slice(0, 2)).toEqual(['UserPromptSubmit', 'init']);
  });

  it.each<[string, HookCallback]>([
    ['{}', calm],
    ['continue', () => ({ continue: true })],
    ['async', () => ({ async: true })],
  ])('%s leaves the ordinary course, with its question', async (_, callback) => {
    const { start } = await stage();
    const session = await start({
      hooks: { PreToolUse: [{ hooks: [callback] }] },
      canUseTool: () => ({ behavior: 'allow' }),
    });
    const result = await session.prompt(WRITE).result;

    expect(result.outcome).toBe('completed');
    expect(await questions(session)).toEqual(['Bash']);
  });

  it('deny keeps the tool from running and tells the model why', async () => {
    const { start } = await stage();
    const session = await start({
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [() => hook.deny('not today')] }] },
    });
    const result = await session.prompt(WRITE).result;

    expect(await toolResult(session)).toMatchObject({ is_error: true, content: expect.stringContaining('not today') });
    expect(result).toMatchObject({ outcome: 'completed', permissionDenials: 1 });
    expect(await questions(session)).toEqual([]);
  });

  it('allow with other input runs that, without a question', async () => {
    const { start } = await stage();
    const session = await start({
      hooks: { PreToolUse: [{ hooks: [() => hook.modify({ command: 'echo changed', description: 'x' })] }] },
    });
    await session.prompt(WRITE).result;

    expect(await toolResult(session)).toMatchObject({ content: 'changed' });
    expect(await questions(session)).toEqual([]);
  });

  it('ask brings the question even for a harmless tool', async () => {
    const { start } = await stage();
    const session = await start({
      allowedTools: ['Bash'],
      hooks: { PreToolUse: [{ hooks: [() => hook.ask('sure?')] }] },
      canUseTool: () => ({ behavior: 'allow' }),
    });
    await session.prompt(HARMLESS).result;

    expect(await questions(session)).toEqual(['Bash']);
  });

  it('continue: false lets the tool run and ends the turn', async () => {
    const { start, cli } = await stage();
    const session = await start({
      allowedTools: ['Bash'],
      hooks: { PreToolUse: [{ hooks: [() => ({ continue: false, stopReason: 'enough' })] }] },
    });
    const turn = session.prompt(HARMLESS);
    await turn.result;
    const { message } = await eventOf(session, 'message', (event) => event.message.type === 'result');

    expect(await toolResult(session)).toMatchObject({ content: 'calm' });
    expect(message.value).toMatchObject({ subtype: 'success', result: '' });
    if (cli.since('2.1.220')) expect(message.value).toMatchObject({ terminal_reason: 'hook_stopped' });
  });

  it('a blocked prompt makes no model call', async () => {
    const { start, model } = await stage();
    const session = await start({
      hooks: { UserPromptSubmit: [{ hooks: [() => ({ decision: 'block', reason: 'not this one' })] }] },
    });
    const before = model.requests.length;
    await session.prompt('hello').result;
    const { message } = await eventOf(session, 'message', (event) => event.message.type === 'result');

    expect(message.value).toMatchObject({ num_turns: 0, result: expect.stringContaining('not this one') });
    expect(model.requests.slice(before)).toEqual([]);
  });

  it('a blocked Stop goes on with its reason and ends with one result', async () => {
    const { start, model } = await stage();
    let asked = 0;
    const session = await start({
      hooks: {
        Stop: [
          {
            hooks: [
              () => {
                asked += 1;
                return asked === 1 ? { decision: 'block', reason: 'do the dishes' } : {};
              },
            ],
          },
        ],
      },
    });
    await session.prompt('hello').result;
    const results = await collect(session, (event) =>
      event.type === 'message' && event.message.type === 'result' ? 1 : undefined,
    );

    expect(asked).toBe(2);
    expect(results).toHaveLength(1);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('do the dishes');
  });

  it('a failing hook fails open without noise on stderr, and closed where asked to', async () => {
    const { start } = await stage();
    const failing: HookCallback = () => Promise.reject(new Error('out of order'));
    const [open, closed] = await Promise.all([
      start({ allowedTools: ['Bash'], hooks: { PreToolUse: [{ hooks: [failing] }] } }),
      start({ allowedTools: ['Bash'], hooks: { PreToolUse: [{ hooks: [failing], onFailure: 'block' }] } }),
    ]);
    await Promise.all([open.prompt(HARMLESS).result, closed.prompt(HARMLESS).result]);

    expect(await toolResult(open)).toMatchObject({ content: 'calm' });
    expect(await toolResult(closed)).toMatchObject({
      is_error: true,
      content: expect.stringContaining('out of order'),
    });
    expect((await eventOf(open, 'diagnostic', ({ reason }) => reason === 'hook-failed')).detail).toContain(
      'out of order',
    );
    expect(await collect(open, (event) => (event.type === 'stderr' ? event.line : undefined))).toEqual([]);
  });

  it('an answer that never comes is taken back after the timeout of its matcher, and the tool does not run', async () => {
    const { start } = await stage();
    const signals: AbortSignal[] = [];
    const session = await start({
      allowedTools: ['Bash'],
      hooks: {
        PreToolUse: [
          {
            timeout: 1,
            hooks: [
              (_, __, { signal }) => {
                signals.push(signal);
                return new Promise(() => {});
              },
            ],
          },
        ],
      },
    });
    await session.prompt(HARMLESS).result;

    expect(await toolResult(session)).toMatchObject({ is_error: true });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await eventOf(session, 'hook.called')).outcome).toBe('cancelled');
  });

  it('an interrupt ends a hook that waits (WIRE §7, R97)', async () => {
    const { start } = await stage();
    let called: () => void = () => {};
    const isCalled = new Promise<void>((resolve) => {
      called = resolve;
    });
    const session = await start({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              () => {
                called();
                return new Promise(() => {});
              },
            ],
          },
        ],
      },
    });
    const turn = session.prompt(HARMLESS);
    await isCalled;
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    expect((await eventOf(session, 'hook.called')).outcome).toBe('cancelled');
  });

  it('the next process is told of the hooks again (P8)', async () => {
    const { start } = await stage();
    const session = await start({
      restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } },
      hooks: { PreToolUse: [{ hooks: [() => hook.deny('still not')] }] },
    });
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');
    const result = await session.prompt(WRITE).result;

    expect(session.incarnation).toBe(2);
    expect(result.permissionDenials).toBe(1);
  });
});
