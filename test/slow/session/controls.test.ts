import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { answersTo, errorFrom, eventOf, kept, linesTo, reaches, stage, timed } from './stage.ts';

const DIES = on(when.control('die'), step.killSelf('SIGKILL'));
const LONG_BACKOFF = { type: 'transient', backoff: { minMs: 60_000, maxMs: 60_000, jitter: 0 } } as const;

async function crash(session: Session): Promise<void> {
  await errorFrom(session.control('die'));
}

async function reasonsOf(session: Session): Promise<string[]> {
  return (await kept(session)).flatMap((event) => (event.type === 'diagnostic' ? [event.reason] : []));
}

describe('a typed control request', () => {
  it('that a release never answers says so when its time is up, and the session goes on (WIRE §9)', async () => {
    const { start } = await stage({ flavor: { version: '2.1.19' } });
    const session = await start();
    await session.prompt('hello').result;
    const error = await errorFrom(session.getSettings({ timeoutMs: 100 }));

    expect(error).toMatchObject({
      code: 'CONTROL_TIMEOUT',
      details: { subtype: 'get_settings', cliVersion: '2.1.19' },
    });
    expect(error.message).toContain('may not know the request');
    expect((await session.prompt('usable').result).text).toBe('Echo: usable');
  });

  it('that a newer release is slow to answer is only late', async () => {
    const { start } = await stage({ rules: [on(when.control('get_settings'), step.hang())] });
    const session = await start();
    const error = await errorFrom(session.getSettings({ timeoutMs: 100 }));

    expect(error.code).toBe('CONTROL_TIMEOUT');
    expect(error.message).not.toContain('may not know');
  });

  it('is given up by its signal, also while the session only starts', async () => {
    const { start } = await stage({
      rules: [on(when.initialize(), step.hang()), on(when.control('get_settings'), step.hang())],
    });
    const session = await start({ autoStart: false });
    session.prompt('hello');
    await reaches(session, 'initializing');
    const controller = new AbortController();
    const calls = [
      session.initializationResult({ signal: controller.signal }),
      session.setModel('haiku', { signal: controller.signal }),
      session.getSettings({ signal: controller.signal }),
    ].map(errorFrom);
    controller.abort(new Error('enough'));

    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['ABORTED', 'ABORTED', 'ABORTED']);
    expect(session.snapshot().settings).toMatchObject({ model: undefined });
    const late = await errorFrom(session.supportedModels({ timeoutMs: 50 }));
    expect(late).toMatchObject({ code: 'CONTROL_TIMEOUT', details: { subtype: 'initialize', deadlineMs: 50 } });
  });

  it('that is answered twice counts once: up to 2.1.19 a mode is (WIRE §9)', async () => {
    const { start } = await stage({ flavor: { version: '2.1.19' } });
    const session = await start();
    expect(await session.setPermissionMode('plan')).toEqual({ mode: 'plan' });
    await eventOf(session, 'diagnostic', ({ reason }) => reason === 'late-response');

    expect((await session.prompt('usable').result).text).toBe('Echo: usable');
    expect(session.incarnation).toBe(1);
  });

  it('answers from the start of the process without asking it again (WIRE §1)', async () => {
    const { start, fake } = await stage();
    const session = await start({ autoStart: false });
    const waiting = session.supportedCommands().catch((error: unknown) => error);
    session.restart();
    await reaches(session, 'ready');
    await session.accountInfo();
    await session.supportedAgents();

    expect(await waiting).toMatchObject({ code: 'NO_PROCESS' });
    const asked = (await linesTo(fake)).filter(({ request }) => subtypeOf(request) === 'initialize');
    expect(asked).toHaveLength(1);
  });
});

describe('initialize, said once more', () => {
  for (const version of ['1.0.128', '2.0.30', '2.1.19'] as const) {
    it(`is refused for ${version} before it is written: some of these end on it (WIRE §1)`, async () => {
      const { start } = await stage({ flavor: { version } });
      const session = await start();
      await session.prompt('hello').result;
      const error = await errorFrom(session.reinitialize());

      expect(error).toMatchObject({ code: 'CONTROL_UNSUPPORTED', details: { cliVersion: version } });
      expect((await session.prompt('usable').result).text).toBe('Echo: usable');
      expect(session.incarnation).toBe(1);
    });
  }

  it('does not ask a question again whose answer was on its way, and asks one that is new (P4)', async () => {
    const question = (id: string) => ({
      type: 'control_request',
      request_id: id,
      request: { subtype: 'can_use_tool', tool_name: id, input: {}, tool_use_id: `toolu_${id}` },
    });
    // As if it had made the list before it read the first answer, and lost the second question on the way.
    const stale = { pending_permission_requests: [question('first'), question('second')] };
    const { start, fake } = await stage({
      rules: [
        on(when.prompt('ask'), step.emit(question('first')), step.delay(1_000), step.echoTurn()),
        on(when.initialize(2), step.respond(stale)),
      ],
    });
    const asked: string[] = [];
    const session = await start({
      canUseTool: async (toolName) => {
        asked.push(toolName);
        return { behavior: 'allow' };
      },
    });
    const turn = session.prompt('ask');
    await eventOf(session, 'permission.settled');
    await session.reinitialize();
    await turn.result;
    await session.reinitialize();

    expect(asked).toEqual(['first', 'second']);
    expect((await answersTo(fake)).map(({ request_id: id }) => id)).toEqual(['first', 'second']);
    expect(await reasonsOf(session)).toEqual([]);
  });
});

describe('a setting that is changed at run time (P8)', () => {
  it('between two processes rules the next one, whatever the last one was in', async () => {
    const { start, fake } = await stage({ perStart: [{ rules: [DIES] }, {}] });
    const session = await start({ restart: LONG_BACKOFF });
    await session.prompt('hello').result;
    expect(session.facts.permissionMode).toBe('default');
    await crash(session);
    await reaches(session, 'backing-off');
    expect(await session.setPermissionMode('plan')).toEqual({ mode: 'plan' });
    await session.setModel('haiku');
    await session.setMaxThinkingTokens(7);
    session.restart();
    await session.prompt('again').result;

    expect((await fake.starts())[1]?.argv).toEqual(
      expect.arrayContaining([expect.stringMatching(/plan/), expect.stringMatching(/haiku/)]),
    );
    expect(session.facts.permissionMode).toBe('plan');
    // Before the prompt, not after it (P8).
    const lines = (await linesTo(fake)).map(({ type, request }) => subtypeOf(request) ?? type);
    expect(lines.slice(lines.lastIndexOf('initialize'))).toEqual(['initialize', 'set_max_thinking_tokens', 'user']);
  });

  it('on a release that does not tell its mode at once rules the next process too (WIRE §9)', async () => {
    const { start, fake } = await stage({ flavor: { version: '2.1.19' }, perStart: [{ rules: [DIES] }, {}] });
    const session = await start();
    await session.prompt('hello').result;
    await session.setPermissionMode('plan');
    await crash(session);
    await session.prompt('again').result;

    expect((await fake.starts())[1]?.argv.join(' ')).toMatch(/permission-mode[= ]plan/);
  });

  it('by the CLI itself rules the next process too', async () => {
    const leavesPlan = step.emit({ type: 'system', subtype: 'status', status: null, permissionMode: 'acceptEdits' });
    const { start, fake } = await stage({
      perStart: [{ rules: [DIES, on(when.prompt('leave plan'), leavesPlan, step.echoTurn())] }, {}],
    });
    const session = await start({ permissionMode: 'plan' });
    await session.prompt('leave plan').result;
    await crash(session);
    await session.prompt('again').result;

    expect((await fake.starts())[1]?.argv.join(' ')).toMatch(/permission-mode[= ]acceptEdits/);
  });

  it('that the next process refuses is told, and its prompts run', async () => {
    const refuses = on(when.control('mcp_toggle'), step.respondError('Server not found: gone'));
    const takes = on(when.control('mcp_toggle'), step.respond({}));
    const { start } = await stage({ perStart: [{ rules: [DIES, takes] }, { rules: [refuses] }] });
    const session = await start();
    await session.toggleMcpServer('gone', false);
    await crash(session);
    expect((await session.prompt('again').result).text).toBe('Echo: again');

    expect(await reasonsOf(session)).toEqual(['setting-not-restored']);
  });

  it('that the next process never answers holds its prompts no longer than a control request may take', async () => {
    const silent = on(when.control('set_max_thinking_tokens'), step.hang());
    const { start } = await stage(
      { perStart: [{ rules: [DIES] }, { rules: [silent] }] },
      { timeouts: { controlMs: 300 } },
    );
    const session = await start();
    await session.setMaxThinkingTokens(9);
    await crash(session);
    const turn = session.prompt('again');
    await reaches(session, 'ready', 2);
    const ms = await timed(() => turn.result);

    expect((await turn.result).text).toBe('Echo: again');
    expect(ms).toBeGreaterThan(200);
    expect(await reasonsOf(session)).toContain('setting-not-restored');
  });

  it('is an event, and part of the snapshot', async () => {
    const { start } = await stage();
    const session = await start();
    await session.setModel('haiku');
    const event = await eventOf(session, 'session.settings-changed');

    expect(event).toMatchObject({ setting: 'model', value: 'haiku' });
    expect(session.snapshot().settings).toMatchObject({ model: 'haiku' });
  });
});

describe('taking back prompts that the CLI holds', () => {
  for (const version of ['2.1.19', '2.1.197', '2.1.332'] as const) {
    it(`with an interrupt names them and leaves none to run (${version}, R79, WIRE §8)`, async () => {
      const { start } = await stage({ flavor: { version }, rules: [on(when.prompt('endless'), step.delay(30_000))] });
      const session = await start();
      const turn = session.prompt('endless');
      await eventOf(session, 'prompt.started', ({ promptId }) => promptId === turn.id);
      const held = session.prompt('held', { onBusy: 'steer' });
      await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === held.id);

      expect(await session.interrupt({ cancelQueued: true })).toEqual({
        effect: 'interrupted',
        cancelled: [held.id],
        stillQueued: [],
      });
      expect([(await turn.result).outcome, (await held.result).outcome]).toEqual(['interrupted', 'cancelled']);
      expect((await session.prompt('usable').result).text).toBe('Echo: usable');
    });
  }
});

function subtypeOf(request: unknown): unknown {
  return (request as Record<string, unknown> | undefined)?.['subtype'];
}
