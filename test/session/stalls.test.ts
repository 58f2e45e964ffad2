import { describe, expect, it } from 'vitest';
import { type MemoryCli, memoryStage, sendPrompt, subtypeOf, until } from './memory-cli.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The frames of a tool that was called, and of its end. */
const call = (id: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
  parent_tool_use_id: null,
});
const done = (id: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
  parent_tool_use_id: null,
});

describe('a turn that stands still', () => {
  it('is warned of, interrupted, and its process replaced with the conversation resumed, however many keep-alives come (P5, SEMANTICS c4)', async () => {
    const stage = await memoryStage({ behave: (_, line) => subtypeOf(line) !== 'interrupt' });
    const { clock, session, named, clis, cli } = stage;
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    const startedAt = clock.now();
    const chatter = every(stage, 10 * SECOND, (talking) => talking.say({ type: 'keep_alive' }));

    await clock.advance(5 * MINUTE - 1);
    expect(named('watchdog.warned')).toEqual([]);
    await clock.advance(1);
    expect(named('watchdog.warned')).toMatchObject([
      { clock: 'model', since: startedAt, silentMs: 5 * MINUTE, interruptAt: startedAt + 10 * MINUTE },
    ]);

    await clock.advance(5 * MINUTE - 1);
    expect(cli().requests()).not.toContain('interrupt');
    await clock.advance(1);
    expect(named('watchdog.interrupted')).toMatchObject([{ clock: 'model', silentMs: 10 * MINUTE }]);
    expect(cli().requests()).toContain('interrupt');
    expect(session.snapshot().value).toEqual({ ready: 'interrupting' });

    await clock.advance(30 * SECOND - 1);
    expect(clis).toHaveLength(1);
    await clock.advance(30 * SECOND);
    await until(() => clis.length === 2 && session.state === 'ready');
    chatter.stop();
    expect(clis[0]?.peer.signals).toEqual(['SIGTERM']);
    expect(named('session.restarting')).toMatchObject([{ cause: { code: 'STALLED' } }]);
    expect(cli().peer.plan.args.join(' ')).toContain('--resume');
    expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: { code: 'STALLED' } });
    await stage.supervisor.shutdown();
  });

  it('is interrupted and goes on with the same process, when the CLI obeys', async () => {
    const stage = await memoryStage({
      timeouts: { stallMs: MINUTE, stallInterruptMs: 2 * MINUTE },
      behave: (cli, line) => {
        if (subtypeOf(line) === 'interrupt') {
          setImmediate(() =>
            cli.endTurn({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' }),
          );
        }
        return true;
      },
    });
    const { clock, session, cli, clis, named } = stage;
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    await clock.advance(2 * MINUTE);
    expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: { code: 'STALLED' } });
    await clock.advance(10 * MINUTE);
    expect(session.state).toBe('ready');
    expect(clis).toHaveLength(1);
    expect(named('session.restarting')).toEqual([]);
    const next = await sendPrompt(session, cli(), 'again');
    cli().openTurn();
    cli().endTurn();
    expect(await next.result).toMatchObject({ outcome: 'completed' });
    await stage.supervisor.shutdown();
  });

  it('sends a prompt again that had not begun when its silent process was replaced (P2, P5)', async () => {
    const stage = await memoryStage({
      behave: (cli, line, number) => {
        if (line['type'] === 'user' && number === 2) {
          setImmediate(() => {
            cli.openTurn();
            cli.endTurn();
          });
        }
        return number !== 1 || subtypeOf(line) !== 'interrupt';
      },
    });
    const { clock, session, cli, clis } = stage;
    const turn = await sendPrompt(session, cli());
    await clock.advance(10 * MINUTE + 35 * SECOND);
    await until(() => clis.length === 2 && cli().prompts().length === 1);
    expect(cli().prompts()).toEqual([turn.id]);
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    await stage.supervisor.shutdown();
  });

  it('is told when it moves again after a warning, at the first frame that is progress (P5)', async () => {
    const stage = await memoryStage({ timeouts: { stallMs: MINUTE } });
    const { clock, session, cli, named } = stage;
    await sendPrompt(session, cli());
    cli().openTurn();
    await clock.advance(90 * SECOND);
    cli().say({ type: 'system', subtype: 'api_retry', attempt: 1 }, { type: 'keep_alive' });
    await clock.advance(0);
    expect(named('watchdog.recovered')).toEqual([]);
    cli().say({ type: 'assistant', message: { content: [{ type: 'text', text: 'at last' }] } });
    await clock.advance(0);
    expect(named('watchdog.recovered')).toMatchObject([{ clock: 'model', silentMs: 90 * SECOND }]);
    await clock.advance(MINUTE - 1);
    expect(named('watchdog.warned')).toHaveLength(1);
    await clock.advance(1);
    expect(named('watchdog.warned')).toHaveLength(2);
    await stage.supervisor.shutdown();
  });
});

describe('a turn that does not stand still', () => {
  it('runs a tool for 40 minutes without a frame (P5, SEMANTICS c4)', async () => {
    const stage = await memoryStage();
    const { clock, session, cli, named } = stage;
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    cli().say(call('toolu_1'));
    await clock.advance(40 * MINUTE);
    cli().say(done('toolu_1'));
    cli().endTurn();
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    expect([...named('watchdog.warned'), ...named('watchdog.interrupted')]).toEqual([]);
    await stage.supervisor.shutdown();
  });

  it('waits two days for an approval (P5, R61 c)', async () => {
    const stage = await memoryStage();
    const { clock, session, cli, named } = stage;
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    cli().ask('can_use_tool', { tool_name: 'Write', input: {}, tool_use_id: 'toolu_1' });
    await until(() => session.permissions.pending().length === 1);
    await clock.advance(48 * 60 * MINUTE);
    expect(session.state).toBe('awaiting-permission');
    await session.permissions.answer(session.permissions.pending()[0]?.id ?? '', { behavior: 'allow' });
    await clock.advance(4 * MINUTE);
    cli().endTurn();
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    expect([...named('watchdog.warned'), ...named('watchdog.interrupted')]).toEqual([]);
    await stage.supervisor.shutdown();
  });

  it.each(['allow', 'deny'] as const)(
    'is a tool that runs, or a CLI that is silent, by what was answered: %s (P5)',
    async (behavior) => {
      const stage = await memoryStage();
      const { clock, session, cli, named } = stage;
      await sendPrompt(session, cli());
      cli().openTurn();
      cli().say(call('toolu_1'));
      cli().ask('can_use_tool', { tool_name: 'Bash', input: {}, tool_use_id: 'toolu_1' });
      await until(() => session.permissions.pending().length === 1);
      await session.permissions.answer(session.permissions.pending()[0]?.id ?? '', { behavior });
      await clock.advance(5 * MINUTE);
      expect(named('watchdog.warned')).toMatchObject(behavior === 'allow' ? [] : [{ clock: 'model' }]);
      await stage.supervisor.shutdown();
    },
  );

  it('says something every 10 seconds for 30 minutes under a limit of 60 seconds (R61 b)', async () => {
    const stage = await memoryStage({ timeouts: { stallMs: MINUTE, stallInterruptMs: MINUTE } });
    const { clock, session, cli, named } = stage;
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    const deltas = every(stage, 10 * SECOND, (talking) =>
      talking.say({
        type: 'stream_event',
        event: { type: 'content_block_delta', delta: { type: 'text_delta', text: '.' } },
      }),
    );
    await clock.advance(30 * MINUTE);
    deltas.stop();
    cli().endTurn();
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    expect(named('watchdog.interrupted')).toEqual([]);
    await stage.supervisor.shutdown();
  });

  it('is caught when it falls silent after the result of a tool (R61 a)', async () => {
    const stage = await memoryStage({ timeouts: { stallMs: MINUTE } });
    const { clock, session, cli, named } = stage;
    await sendPrompt(session, cli());
    cli().openTurn();
    cli().say(call('toolu_1'));
    await clock.advance(40 * MINUTE);
    cli().say(done('toolu_1'));
    await clock.advance(MINUTE - 1);
    expect(named('watchdog.warned')).toEqual([]);
    await clock.advance(1);
    expect(named('watchdog.warned')).toMatchObject([{ clock: 'model', silentMs: MINUTE }]);
    await stage.supervisor.shutdown();
  });
});

describe('a start', () => {
  it('that says nothing but keep-alives ends at ten times its deadline (P5, R01, R04)', async () => {
    const stage = await memoryStage({ behave: (_, __, number) => number === 1 });
    const { clock, supervisor, clis, cli } = stage;
    const start = supervisor.start({ id: 'mute', timeouts: { initializeMs: MINUTE } });
    const refused = expect(start).rejects.toMatchObject({ code: 'INITIALIZE_TIMEOUT' });
    await until(() => clis.length === 2 && supervisor.session('mute')?.state === 'initializing');
    const chatter = every(stage, 10 * SECOND, (talking) => talking.say({ type: 'keep_alive' }));
    await clock.advance(10 * MINUTE - 1);
    expect(supervisor.session('mute')?.state).toBe('initializing');
    await clock.advance(1);
    chatter.stop();
    await refused;
    expect(cli().peer.killed).toBe(true);
    await supervisor.shutdown();
  });
});

describe('a host that slept or was stopped', () => {
  it.each(['jump', 'freeze'] as const)('trips neither the watchdog nor the turn, and says so: %s (P5)', async (gap) => {
    const stage = await memoryStage({ timeouts: { turnMs: 20 * MINUTE } });
    const { clock, session, cli, events, named } = stage;
    const turn = await sendPrompt(session, cli());
    cli().openTurn();
    await clock.advance(4 * MINUTE);
    clock[gap](8 * 60 * MINUTE);
    await clock.advance(50 * SECOND);
    expect([...named('watchdog.warned'), ...named('watchdog.interrupted')]).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'diagnostic', reason: 'host-resumed' }));
    cli().endTurn();
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    await stage.supervisor.shutdown();
  });
});

function every(stage: Awaited<ReturnType<typeof memoryStage>>, ms: number, act: (cli: MemoryCli) => void) {
  const { clock, cli } = stage;
  let isOver = false;
  const again = () => {
    if (isOver) return;
    act(cli());
    clock.setTimeout(again, ms);
  };
  clock.setTimeout(again, ms);
  return {
    stop: () => {
      isOver = true;
    },
  };
}
