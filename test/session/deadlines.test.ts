import { describe, expect, it } from 'vitest';
import type { Deadline } from '../../src/session/deadlines.ts';
import { memoryStage, sendPrompt, subtypeOf, until } from './memory-cli.ts';

const MINUTE = 60_000;

describe('the deadlines of explain()', () => {
  it('are kept to the millisecond: warning, interrupt, and the end of the process (P5, SEMANTICS c3)', async () => {
    const stage = await memoryStage({ behave: (_, line) => subtypeOf(line) !== 'interrupt' });
    const { clock, session, cli, clis, named } = stage;
    await sendPrompt(session, cli());
    cli().openTurn();
    await clock.advance(1_000);
    await kept(stage, 'stall-warn', () => named('watchdog.warned').length > 0);
    await kept(stage, 'stall-interrupt', () => named('watchdog.interrupted').length > 0);
    expect(deadline(stage, 'interrupt').next).toContain('STALLED');
    await kept(stage, 'interrupt', () => clis[0]?.peer.signals.length === 1);
    await until(() => session.state === 'backing-off');
    const { at } = deadline(stage, 'backoff');
    await clock.advance(at - clock.now() - 1);
    expect(session.state).toBe('backing-off');
    await clock.advance(1);
    await until(() => session.state === 'ready');
    await stage.supervisor.shutdown();
  });

  it('name the turn, which stands still while a person is asked, and the answer that is waited for (P5)', async () => {
    const stage = await memoryStage({
      timeouts: { turnMs: 10 * MINUTE, permissionMs: 30 * MINUTE, stallMs: 20 * MINUTE },
    });
    const { clock, session, cli, named } = stage;
    await sendPrompt(session, cli());
    cli().openTurn();
    await clock.advance(MINUTE);
    cli().ask('can_use_tool', { tool_name: 'Write', input: {}, tool_use_id: 'toolu_1' });
    await until(() => session.permissions.pending().length === 1);
    await clock.advance(0);
    expect(session.explain().deadlines.map(({ what }) => what)).toEqual(['permission']);
    await kept(stage, 'permission', () => named('permission.settled').length > 0);
    expect(deadline(stage, 'turn').at).toBe(clock.now() + 9 * MINUTE);
    await kept(stage, 'turn', () => JSON.stringify(session.snapshot().value).includes('interrupting'));
    await stage.supervisor.shutdown();
  });

  it('name the hibernation of an idle session', async () => {
    const stage = await memoryStage({ timeouts: { idleMs: 10 * MINUTE } });
    await stage.clock.advance(MINUTE);
    await kept(stage, 'idle', () => stage.session.state !== 'ready');
    await stage.supervisor.shutdown();
  });

  it('name each step of the end of a process', async () => {
    const stage = await memoryStage({ isDeaf: true });
    const { clock, session, clis } = stage;
    void session.close();
    await kept(stage, 'close', () => clis[0]?.peer.signals.length === 1);
    const { at } = deadline(stage, 'terminate');
    await clock.advance(at - clock.now() - 1);
    expect(clis[0]?.peer.killed).toBe(false);
    await clock.advance(1);
    expect(clis[0]?.peer.killed).toBe(true);
    await session.ended;
    expect(session.explain().deadlines).toEqual([]);
  });
});

type Stage = Awaited<ReturnType<typeof memoryStage>>;

function deadline({ session }: Stage, what: string): Deadline {
  const found = session.explain().deadlines.find((one) => one.what === what);
  if (found === undefined) throw new Error(`No ${what} among ${JSON.stringify(session.explain().deadlines)}.`);
  return found;
}

/** A millisecond before the moment it has not happened, and at that moment it has. */
async function kept(stage: Stage, what: string, hasHappened: () => boolean): Promise<void> {
  const { clock } = stage;
  const { at } = deadline(stage, what);
  await clock.advance(at - clock.now() - 1);
  expect({ what, hasHappened: hasHappened() }).toEqual({ what, hasHappened: false });
  await clock.advance(1);
  expect({ what, hasHappened: hasHappened() }).toEqual({ what, hasHappened: true });
}
