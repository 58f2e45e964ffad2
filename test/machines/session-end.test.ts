import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import type { SessionEvent } from '../../machines/session/session.events.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { BROKEN, CRASH } from './event-samples.ts';
import { EXITED, inputOf, OPTIONAL, openSession, TREE_GONE } from './session-harness.ts';

describe('closing', () => {
  it('climbs the ladder: end of input, SIGTERM, reap (P1)', () => {
    const { session, clock, told, state } = openSession({ reached: 'ready', told: 'forget' });

    session.send({ type: 'session.close' });
    expect(told()).toEqual(['link.end-input']);

    clock.increment(1_999);
    expect(told()).toEqual(['link.end-input']);
    clock.increment(1);
    expect(told()).toEqual(['link.end-input', 'link.terminate']);

    clock.increment(4_999);
    expect(told()).toEqual(['link.end-input', 'link.terminate']);
    clock.increment(1);
    expect(told()).toEqual(['link.end-input', 'link.terminate', 'link.reap']);
    expect(state()).toBe('closing.reaping');
  });

  it('never restarts the grace period when it is asked twice', () => {
    const { session, clock, told } = openSession({ reached: 'ready', told: 'forget' });

    session.send({ type: 'session.close' });
    clock.increment(1_999);
    session.send({ type: 'session.close' });
    clock.increment(1);

    expect(told()).toEqual(['link.end-input', 'link.terminate']);
  });

  it('reaps after a natural exit too: a tool may have outlived the CLI (P1)', () => {
    const { session, told, state } = openSession({ reached: 'ready', told: 'forget' });

    session.send({ type: 'session.close' });
    session.send(EXITED);

    expect(told()).toEqual(['link.end-input', 'link.reap']);
    expect(state()).toBe('closing.reaping');
  });

  it.each([
    ['exit, then tree', [EXITED, TREE_GONE]],
    ['tree, then exit', [TREE_GONE, EXITED]],
  ] as const)(
    'is closed only after the exit and the end of the tree were both seen: %s (P1)',
    (_, [former, latter]) => {
      const { session, state, output } = openSession({ reached: 'ready' });

      session.send({ type: 'session.close' });
      session.send(former);
      expect(state()).toMatch(/^closing/);
      expect(output()).toBeUndefined();

      session.send(latter);
      expect(state()).toBe('closed');
      expect(output()).toMatchObject({
        cause: { code: 'closed' },
        exit: { exitCode: 1 },
        wasForced: false,
        survivors: [],
      });
    },
  );

  it('goes straight to the end when it is killed meanwhile', () => {
    const { session, told, output } = openSession({ reached: 'ready', told: 'forget' });

    session.send({ type: 'session.close' });
    session.send({ type: 'session.kill' });
    session.send({ type: 'session.kill' });
    expect(told()).toEqual(['link.end-input', 'link.reap']);

    session.send(EXITED);
    session.send(TREE_GONE);
    expect(output()).toMatchObject({ cause: { code: 'closed' }, wasForced: true });
  });

  it('is not restarted by a kill that is repeated: the kill deadline stands', () => {
    const { session, clock, state } = openSession({ reached: 'ready' });

    session.send({ type: 'session.kill' });
    clock.increment(2_999);
    session.send({ type: 'session.kill' });
    clock.increment(1);

    expect(state()).toBe('failed');
  });

  it('opens no questions any more and forgets the open ones', () => {
    const { session } = openSession({ reached: 'running' });

    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'session.close' });
    session.send({ type: 'permission.requested', at: 0, requestId: 'second' });

    expect(session.getSnapshot().context.openPermissions).toEqual([]);
  });

  it('says that it had to use force after SIGTERM', () => {
    const { session, clock, output } = openSession({ reached: 'ready' });

    session.send({ type: 'session.close' });
    clock.increment(2_000);
    session.send({ type: 'cli.exited', exit: { exitCode: 143, signal: null }, cause: CRASH });
    session.send(TREE_GONE);

    expect(output()).toMatchObject({ cause: { code: 'closed' }, exit: { exitCode: 143 }, wasForced: true });
  });
});

describe('what survives', () => {
  const SURVIVED: SessionEvent = { type: 'cli.tree-gone', killed: 1, survivors: [99] };

  it('fails with TREE_SURVIVED and the pids when the end was asked for (P1)', () => {
    const { session, state, output } = openSession({ reached: 'ready' });

    session.send({ type: 'session.close' });
    session.send(EXITED);
    session.send(SURVIVED);

    expect(state()).toBe('failed');
    expect(output()).toMatchObject({ cause: { code: 'TREE_SURVIVED' }, survivors: [99] });
  });

  it('keeps the first cause when there was one, but permits no new process beside the survivor (WIRE §25.14)', () => {
    const { session, state, output } = openSession({ reached: 'ready' });

    session.send(EXITED);
    session.send(SURVIVED);

    expect(state()).toBe('failed');
    expect(output()).toMatchObject({ cause: { ...CRASH, ending: 'survivors' }, survivors: [99] });
  });

  it('fails with TREE_SURVIVED when the kill deadline passes and nobody reported (P5)', () => {
    const { session, clock, state, output } = openSession({ reached: 'ready' });

    session.send({ type: 'session.kill' });
    clock.increment(3_000);

    expect(state()).toBe('failed');
    expect(output()?.cause).toMatchObject({ code: 'TREE_SURVIVED', details: { deadlineMs: 3_000 } });
  });

  it('is not worth a restart: two processes on one conversation fork its history (WIRE §25.14)', () => {
    const { session, output } = openSession({ reached: 'ready' });

    session.send({ type: 'session.close' });
    session.send(EXITED);
    session.send(SURVIVED);

    expect(output()?.cause.ending).toBe('survivors');
  });
});

describe('the end of the process', () => {
  it.each([
    'spawning',
    'initializing',
    'mcp-setup',
    'ready',
    'running',
    'interrupting',
    'awaiting-permission',
  ] as const)(
    'is noticed in %s: the tree is reaped and the session failed with the cause of the exit (P1)',
    (reached) => {
      const { session, state, told, output } = openSession({ reached, mcpServers: [OPTIONAL], told: 'forget' });

      session.send(EXITED);
      expect(state()).toBe('closing.reaping');
      expect(told()).toEqual(['link.reap']);

      session.send(TREE_GONE);
      expect(state()).toBe('failed');
      expect(output()).toEqual({
        cause: CRASH,
        exit: { exitCode: 1, signal: null },
        wasForced: false,
        survivors: [],
      });
    },
  );

  it('is forced when the stream cannot be trusted any more (P9)', () => {
    const { session, state, told, output } = openSession({ reached: 'running', told: 'forget' });
    const cause = { code: 'LINE_TOO_LONG', message: 'A line was too long.', ending: 'oversize-line' } as const;

    session.send({ type: 'cli.faulted', cause });
    expect(state()).toBe('closing.reaping');
    expect(told()).toEqual(['link.reap']);

    session.send(EXITED);
    session.send(TREE_GONE);
    expect(output()).toMatchObject({ cause, wasForced: true });
  });

  it.each([
    ['a close', { type: 'session.close' }, 'closed'],
    ['a kill', { type: 'session.kill' }, 'closed'],
    ['an exit', EXITED, 'CLI_EXITED'],
    ['a fault', { type: 'cli.faulted', cause: { ...CRASH, code: 'LINE_TOO_LONG' } }, 'LINE_TOO_LONG'],
  ] as const)('has one cause, the first: %s', (_, first, code) => {
    const { session, output } = openSession({ reached: 'running' });

    session.send(first);
    session.send({ type: 'session.close' });
    session.send({ type: 'cli.faulted', cause: BROKEN });
    session.send({ type: 'session.kill' });
    session.send(EXITED);
    session.send(TREE_GONE);

    expect(output()?.cause.code).toBe(code);
  });
});

it('announces each state it enters, once and in order', () => {
  const { session, notices } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL] });

  session.send({ type: 'mcp.connected', server: 'docs' });
  session.send({ type: 'work.started' });
  session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
  session.send({ type: 'permission.settled', at: 0, requestId: 'first' });
  session.send({ type: 'work.ended' });
  session.send({ type: 'session.close' });
  session.send(EXITED);
  session.send(TREE_GONE);

  const entered = notices().flatMap((notice) => (notice.type === 'state.entered' ? [notice.state] : []));
  expect(entered).toEqual([
    'spawning',
    'initializing',
    'mcp-setup',
    'ready',
    'awaiting-permission',
    'ready',
    'closing',
    'closed',
  ]);
});

it('says which port is missing when it is used without hands', () => {
  const actor = createActor(sessionMachine, { input: inputOf({}) });
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });

  actor.start();

  expect(String(errors[0])).toContain('"cliLink" was not provided');
});
