import { describe, expect, it } from 'vitest';
import { OPTIONAL, openSession } from './session-harness.ts';

describe('ready', () => {
  it('runs while the CLI works and is idle when the work ended', () => {
    const { session, state } = openSession({ reached: 'ready' });

    session.send({ type: 'work.started' });
    expect(state()).toBe('ready.running');

    session.send({ type: 'work.ended' });
    expect(state()).toBe('ready.idle');
  });

  it('tells once that nothing happened for the idle limit, and stays: who supervises it decides (P8)', () => {
    const { clock, state, session } = openSession({ reached: 'ready', timeouts: { idleMs: 1_000 } });
    let count = 0;
    session.on('idle.overdue', () => {
      count += 1;
    });

    clock.increment(999);
    expect(count).toBe(0);
    clock.increment(60_000);

    expect(count).toBe(1);
    expect(state()).toBe('ready.idle');
  });

  it('does not count background tasks as idleness, and counts anew when the last has ended', () => {
    const { clock, session } = openSession({ reached: 'ready', timeouts: { idleMs: 1_000 } });
    let count = 0;
    session.on('idle.overdue', () => {
      count += 1;
    });

    session.send({ type: 'background.changed', count: 1 });
    clock.increment(60_000);
    session.send({ type: 'background.changed', count: 0 });
    clock.increment(999);
    expect(count).toBe(0);
    clock.increment(1);

    expect(count).toBe(1);
  });

  it('never counts work as idleness', () => {
    const { clock, state, session } = openSession({ reached: 'ready', timeouts: { idleMs: 1_000 } });

    clock.increment(999);
    session.send({ type: 'work.started' });
    clock.increment(60_000);

    expect(state()).toBe('ready.running');
  });

  it('ignores an interrupt while it is idle: it stops nothing, so nothing has to end (WIRE §8)', () => {
    const { session, clock, state } = openSession({ reached: 'ready' });

    session.send({ type: 'session.interrupt' });
    clock.increment(60_000);

    expect(state()).toBe('ready.idle');
  });
});

describe('interrupting', () => {
  it('is idle again when the turn ends in time (R41)', () => {
    const { session, clock, state } = openSession({ reached: 'running' });

    session.send({ type: 'session.interrupt' });
    expect(state()).toBe('ready.interrupting');

    session.send({ type: 'work.ended' });
    clock.increment(60_000);
    expect(state()).toBe('ready.idle');
  });

  it('escalates to SIGTERM when the CLI accepts an interrupt and does nothing (R41)', () => {
    const { session, clock, state, told, notices } = openSession({
      reached: 'running',
      timeouts: { interruptMs: 3_000 },
    });

    session.send({ type: 'session.interrupt' });
    clock.increment(3_000);

    expect(state()).toBe('closing.terminating');
    expect(told().at(-1)).toBe('link.terminate');
    expect(notices()).toContainEqual({ type: 'interrupt.overdue' });
    expect(session.getSnapshot().context.endedBecause?.code).toBe('INTERRUPT_TIMEOUT');
  });

  it('does not restart its deadline with a second interrupt (R41)', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { interruptMs: 3_000 } });

    session.send({ type: 'session.interrupt' });
    clock.increment(2_999);
    session.send({ type: 'session.interrupt' });
    clock.increment(1);

    expect(state()).toBe('closing.terminating');
  });

  it.each(['ready.interrupting', 'awaiting-permission'])(
    'never ends the next turn for an interrupt of the one before it: %s (WIRE §8: a queued prompt runs then)',
    (before) => {
      const { session, clock, state } = openSession({ reached: 'running', timeouts: { interruptMs: 3_000 } });
      session.send({ type: 'session.interrupt' });
      if (before === 'awaiting-permission') session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
      expect(state()).toBe(before);

      session.send({ type: 'turn.ended' });
      session.send({ type: 'permission.settled', at: 0, requestId: 'first' });
      clock.increment(60_000);

      expect(state()).toBe('ready.running');
    },
  );

  it('keeps its deadline when the turn it is meant for opens late (R42)', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { interruptMs: 3_000 } });

    session.send({ type: 'session.interrupt' });
    session.send({ type: 'turn.started', at: 0 });
    clock.increment(3_000);

    expect(state()).toBe('closing.terminating');
  });

  it('escalates too when the CLI takes the interrupt and leaves its question open (R41)', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { interruptMs: 3_000 } });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'session.interrupt' });
    clock.increment(3_000);

    expect(state()).toBe('closing.terminating');
  });

  it('goes on after a question that was open meanwhile', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { interruptMs: 3_000 } });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'session.interrupt' });
    session.send({ type: 'permission.settled', at: 0, requestId: 'first' });
    expect(state()).toBe('ready.interrupting');

    clock.increment(3_000);
    expect(state()).toBe('closing.terminating');
  });

  it('never ends a session whose question was interrupted while nothing worked (WIRE §8)', () => {
    const { session, clock, state } = openSession({ reached: 'ready' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'session.interrupt' });
    session.send({ type: 'permission.settled', at: 0, requestId: 'first' });
    clock.increment(60_000);

    expect(state()).toBe('ready.idle');
  });
});

describe('the turn deadline', () => {
  it('interrupts a turn that takes too long, and says so (P5)', () => {
    const { session, clock, state, told, notices } = openSession({ reached: 'running', timeouts: { turnMs: 10_000 } });

    session.send({ type: 'turn.started', at: clock.now() });
    clock.increment(10_000);

    expect(state()).toBe('ready.interrupting');
    expect(told().at(-1)).toBe('link.interrupt');
    expect(notices()).toContainEqual({ type: 'turn.overdue' });
  });

  it('stands still while a human is asked, and goes on where it stood (P5, R61)', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { turnMs: 10_000 } });

    session.send({ type: 'turn.started', at: clock.now() });
    clock.increment(9_999);
    session.send({ type: 'permission.requested', at: clock.now(), requestId: 'first' });
    clock.increment(3_600_000);
    expect(state()).toBe('awaiting-permission');

    session.send({ type: 'permission.settled', at: clock.now(), requestId: 'first' });
    expect(state()).toBe('ready.running');

    clock.increment(1);
    expect(state()).toBe('ready.interrupting');
  });

  it('begins anew with each turn of a session that stays busy', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { turnMs: 10_000 } });

    session.send({ type: 'turn.started', at: clock.now() });
    clock.increment(9_999);
    session.send({ type: 'turn.started', at: clock.now() });
    clock.increment(9_999);
    expect(state()).toBe('ready.running');

    clock.increment(1);
    expect(state()).toBe('ready.interrupting');
  });

  it('is armed once, whatever happened before the turn: no stale one ends a later turn', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { turnMs: 2_000 } });

    session.send({ type: 'permission.requested', at: clock.now(), requestId: 'background' });
    session.send({ type: 'turn.started', at: clock.now() });
    session.send({ type: 'permission.settled', at: clock.now(), requestId: 'background' });
    clock.increment(1_000);
    session.send({ type: 'turn.ended' });
    session.send({ type: 'turn.started', at: clock.now() });
    clock.increment(1_999);
    expect(state()).toBe('ready.running');

    clock.increment(1);
    expect(state()).toBe('ready.interrupting');
  });

  it('is over with the turn, whatever still works in the background (R19, WIRE §0.6)', () => {
    const { session, clock, state } = openSession({ reached: 'running', timeouts: { turnMs: 10_000 } });

    session.send({ type: 'turn.started', at: clock.now() });
    session.send({ type: 'turn.ended' });
    clock.increment(3_600_000);

    expect(state()).toBe('ready.running');
  });
});

describe('a question that is answered in the moment it comes', () => {
  const PASSED = { type: 'permission.passed' } as const;

  it('is a state that was passed through, and takes the turn no time (P5)', () => {
    const { session, clock, state, notices } = openSession({ reached: 'running', timeouts: { turnMs: 2_000 } });
    session.send({ type: 'turn.started', at: clock.now() });
    clock.increment(1_999);

    session.send(PASSED);
    expect(notices().at(-1)).toEqual({ type: 'state.passed' });
    expect(state()).toBe('ready.running');

    clock.increment(1);
    expect(state()).toBe('ready.interrupting');
  });

  it('starts the limit of idleness anew', () => {
    const { session, clock, notices } = openSession({ reached: 'ready', timeouts: { idleMs: 2_000 } });
    clock.increment(1_999);
    session.send(PASSED);
    clock.increment(1_999);
    expect(notices().at(-1)).toEqual({ type: 'state.passed' });

    clock.increment(1);
    expect(notices().at(-1)).toEqual({ type: 'idle.overdue' });
  });

  it.each([
    'spawning',
    'initializing',
    'mcp-setup',
    'ready',
    'running',
    'interrupting',
    'awaiting-permission',
  ] as const)('needs no machine where that is marked, because it would only say so: %s (P7, P9)', (reached) => {
    const { session, clock, notices } = openSession({ reached, mcpServers: reached === 'mcp-setup' ? [OPTIONAL] : [] });
    const isUnmoved = session.getSnapshot().hasTag('unmoved-by-passage');
    expect(isUnmoved).toBe(reached === 'running' || reached === 'interrupting');
    if (!isUnmoved) return;

    const [before, told, timers] = [persisted(session), notices().length, armed(clock)];
    session.send(PASSED);
    expect(notices().slice(told)).toEqual([{ type: 'state.passed' }]);
    expect(persisted(session)).toBe(before);
    expect(armed(clock)).toEqual(timers);
  });

  it('is no state of its own while another one is open', () => {
    const { session, notices } = openSession({ reached: 'awaiting-permission' });
    session.send(PASSED);

    expect(notices()).not.toContainEqual({ type: 'state.passed' });
  });
});

describe('awaiting-permission', () => {
  it.each(permutationsOf(['first', 'second', 'third']))(
    'stays until the last of several questions is settled: %s, %s, %s (R36, WIRE §6)',
    (...order) => {
      const { session, state } = openSession({ reached: 'running' });
      for (const requestId of ['first', 'second', 'third'])
        session.send({ type: 'permission.requested', at: 0, requestId });

      for (const [index, requestId] of order.entries()) {
        expect(state()).toBe('awaiting-permission');
        expect(session.getSnapshot().context.openPermissions).toHaveLength(order.length - index);
        session.send({ type: 'permission.settled', at: 0, requestId });
      }

      expect(state()).toBe('ready.running');
      expect(session.getSnapshot().context.openPermissions).toEqual([]);
    },
  );

  it('counts a question that is announced twice once', () => {
    const { session, state } = openSession({ reached: 'running' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'permission.settled', at: 0, requestId: 'first' });

    expect(state()).toBe('ready.running');
  });

  it('is not left for the settlement of a question that is not open', () => {
    const { session, state } = openSession({ reached: 'running' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'permission.settled', at: 0, requestId: 'stranger' });

    expect(state()).toBe('awaiting-permission');
  });

  it('returns to idle when a background agent asked while nothing else ran (WIRE §0.6)', () => {
    const { session, state } = openSession({ reached: 'ready' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    expect(state()).toBe('awaiting-permission');

    session.send({ type: 'permission.settled', at: 0, requestId: 'first' });
    expect(state()).toBe('ready.idle');
  });

  it('returns to idle when the work ended before the answer came', () => {
    const { session, state } = openSession({ reached: 'running' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'work.ended' });
    session.send({ type: 'permission.settled', at: 0, requestId: 'first' });

    expect(state()).toBe('ready.idle');
  });

  it('waits for a human as long as it takes (P5)', () => {
    const { session, clock, state } = openSession({ reached: 'running' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    clock.increment(365 * 24 * 3_600_000);

    expect(state()).toBe('awaiting-permission');
  });
});

function permutationsOf(items: readonly string[]): string[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item) =>
    permutationsOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

function persisted(session: ReturnType<typeof openSession>['session']): string {
  return JSON.stringify(session.getPersistedSnapshot());
}

function armed(clock: ReturnType<typeof openSession>['clock']): unknown {
  return [...clock['timeouts']].map(([id, { start, timeout }]) => ({ id, start, timeout }));
}
