import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  assign,
  createActor,
  type InputFrom,
  type OutputFrom,
  type SnapshotFrom,
  sendTo,
  setup,
  waitFor,
} from 'xstate';
import type { HostedEvent, HostedSession, TurnOutcome } from '../../machines/logic/hosted-session.ts';
import type { SessionLogicCommand, SessionLogicEvent } from '../../machines/logic/session-logic.events.ts';
import { type SessionLogicInput, type SessionLogicView, sessionLogic } from '../../machines/logic/session-logic.ts';
import { turnLogic } from '../../machines/logic/turn-logic.ts';
import type { ObservedEvent, Session, SessionOptions } from '../../src/index.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryPrompt, memoryFleet } from '../supervision/memory-cli.ts';

describe('the types', () => {
  it('take any session of troupe', () => {
    expectTypeOf<Session>().toExtend<HostedSession>();
    expectTypeOf<Extract<ObservedEvent, { type: HostedEvent['type'] }>>().toExtend<HostedEvent>();
  });

  it('tell a machine what it may send, and what it gets', () => {
    expectTypeOf<InputFrom<typeof sessionLogic>>().toEqualTypeOf<SessionLogicInput>();
    expectTypeOf<OutputFrom<typeof sessionLogic>>().toEqualTypeOf<{ readonly sessionId: string | undefined }>();
    expectTypeOf<SnapshotFrom<typeof sessionLogic>>().toExtend<SessionLogicView>();
    expectTypeOf<OutputFrom<typeof turnLogic>>().toEqualTypeOf<TurnOutcome>();
    const actor = createActor(sessionLogic, { input: { start: () => new Promise<never>(() => {}) } });
    expectTypeOf(actor.send).parameter(0).toEqualTypeOf<SessionLogicCommand>();
    actor.on('session.turn-ended', (event) => expectTypeOf(event.outcome).toEqualTypeOf<string>());
  });
});

describe('a turn invoked by a machine of somebody else', () => {
  it('is done with the result of the turn, whatever its outcome, and tells when it was accepted', async () => {
    const { session, open, stop } = await troupe();
    const ids: string[] = [];
    const actor = createActor(turnLogic, { input: { session: await session(), prompt: 'hello', options: { id: ID } } });
    actor.on('turn.accepted', ({ promptId }) => void ids.push(promptId));
    actor.start();
    await settled();
    open[0]?.fail('no');
    const { output } = await waitFor(actor, ({ status }) => status === 'done');

    expect(output).toMatchObject({ outcome: 'failed' });
    expect(ids).toEqual([ID]);
    await stop();
  });

  it('is interrupted when the machine leaves', async () => {
    const { session, open, stop } = await troupe();
    const one = await session();
    const actor = createActor(turnLogic, { input: { session: one, prompt: 'hello', options: { id: ID } } }).start();
    await settled();
    actor.stop();

    // The same prompt once more is the same turn.
    expect((await one.prompt('hello', { id: ID }).result).outcome).toBe('interrupted');
    expect(open).toHaveLength(1);
    await stop();
  });

  it('is taken back when it has not begun, and leaves the turn of another one alone (P3)', async () => {
    const { session, open, stop } = await troupe();
    const one = await session();
    const other = one.prompt('of somebody else');
    const actor = createActor(turnLogic, { input: { session: one, prompt: 'hello' } }).start();
    await settled();
    actor.stop();
    await settled();
    open[0]?.complete();

    expect((await other.result).outcome).toBe('completed');
    expect(open).toHaveLength(1);
    await stop();
  });

  it('is an error of the actor when the session refuses the prompt', async () => {
    const { session, stop } = await troupe();
    const one = await session();
    await one.close();
    const actor = createActor(turnLogic, { input: { session: one, prompt: 'hello' } });
    const failed = new Promise((resolve) => actor.subscribe({ error: resolve }));
    actor.start();

    expect(await failed).toMatchObject({ code: 'SESSION_CLOSED' });
    await stop();
  });
});

describe('a session invoked by a machine of somebody else', () => {
  it('takes commands from the beginning, tells what happens, and is done when it was closed', async () => {
    const { start, open, stop } = await troupe();
    const { actor, heard, view } = host(start());
    actor.send({ type: 'ask', text: 'first' });
    expect(view()).toMatchObject({ state: 'starting', sessionId: undefined });
    await expect.poll(() => open.length).toBe(1);
    expect(view()).toMatchObject({ state: 'ready', sessionId: 'one', prompts: [expect.any(String)] });

    open[0]?.complete('hi');
    await settled();
    expect(view()).toMatchObject({ prompts: [] });
    actor.send({ type: 'leave' });
    await waitFor(actor, (snapshot) => snapshot.matches('over'));

    expect(heard('session.ready')).toEqual([{ type: 'session.ready', sessionId: 'one' }]);
    expect(heard('session.turn-ended')).toEqual([
      expect.objectContaining({ sessionId: 'one', outcome: 'completed', text: 'hi' }),
    ]);
    expect(actor.getSnapshot().context).toMatchObject({ output: { sessionId: 'one' }, error: undefined });
    await stop();
  });

  it('is an error of the actor, with its code, when the start fails', async () => {
    const { supervisor, stop } = await troupe();
    await supervisor.start({ id: 'one' });
    const { actor } = host(({ signal }) => supervisor.start({ id: 'one', signal }));
    await waitFor(actor, (snapshot) => snapshot.matches('over'));

    expect(actor.getSnapshot().context.error).toMatchObject({ code: 'SESSION_EXISTS' });
    await stop();
  });

  it('is an error of the actor, with its code, when it is lost for good', async () => {
    const { start, fleet, stop } = await troupe({ restart: { type: 'temporary' } });
    const { actor, heard } = host(start());
    await expect.poll(() => heard('session.ready')).toHaveLength(1);
    fleet.started[0]?.peer.exit({ exitCode: 3, signal: null });
    await waitFor(actor, (snapshot) => snapshot.matches('over'));

    expect(actor.getSnapshot().context.error).toMatchObject({ code: 'CLI_EXITED' });
    await stop();
  });

  it('lives on over a restart of its process, which is told (P8)', async () => {
    const { start, fleet, open, clock, stop } = await troupe();
    const { actor, heard, view } = host(start());
    actor.send({ type: 'ask', text: 'again' });
    await expect.poll(() => open.length).toBe(1);
    fleet.started[0]?.peer.exit({ exitCode: 3, signal: null });
    await expect.poll(() => view().state).toBe('backing-off');
    expect(view()).toMatchObject({ state: 'backing-off', restarts: 1 });
    await clock.advance(5_000);
    await expect.poll(() => open.length).toBe(2);
    open[1]?.complete('after all');
    await expect.poll(() => view().prompts).toEqual([]);

    expect(heard('session.restarting')).toEqual([expect.objectContaining({ sessionId: 'one', code: 'CLI_EXITED' })]);
    expect(heard('session.turn-ended')).toEqual([expect.objectContaining({ outcome: 'completed', text: 'after all' })]);
    expect(actor.getSnapshot().context.error).toBeUndefined();
    await stop();
  });

  it('asks that machine what the CLI asks, and takes its answer (P4)', async () => {
    const { start, fleet, open, stop } = await troupe();
    const { actor, heard, view } = host(start());
    actor.send({ type: 'ask', text: 'list' });
    await expect.poll(() => open.length).toBe(1);
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' };
    fleet.started[0]?.say({ type: 'control_request', request_id: 'q1', request });
    await expect.poll(() => view().questions.length).toBe(1);
    expect(heard('permission.requested')).toEqual([
      expect.objectContaining({ requestId: 'q1', kind: 'tool', toolName: 'Bash', input: { command: 'ls' } }),
    ]);
    actor.send({ type: 'answer', requestId: 'q1' });
    actor.send({ type: 'answer', requestId: 'q2' });
    await expect.poll(() => view().questions).toEqual([]);
    expect(heard('permission.settled')).toEqual([expect.objectContaining({ outcome: 'allowed', by: 'pipeline' })]);
    expect(heard('session.refused')).toEqual([
      expect.objectContaining({ command: 'permission.answer', code: 'PERMISSION_NOT_FOUND' }),
    ]);
    open[0]?.complete();
    await stop();
  });

  it('is closed when the machine leaves, and its supervisor sees to the end (P1)', async () => {
    const { supervisor, start, fleet, stop } = await troupe();
    const { actor, heard } = host(start());
    await expect.poll(() => heard('session.ready')).toHaveLength(1);
    actor.stop();
    expect(supervisor.session('one')?.state).toBe('closing');
    await supervisor.session('one')?.ended;

    expect(fleet.running()).toEqual([]);
    await stop();
  });

  it('calls its start off when the machine leaves before it is ready', async () => {
    const { supervisor, start, stop } = await troupe({ limits: { maxSessions: 1 } });
    await supervisor.start({ id: 'other' });
    const { actor } = host(start());
    await expect.poll(() => supervisor.load()).toMatchObject({ waiting: 1 });
    actor.stop();

    await expect.poll(() => supervisor.load()).toMatchObject({ waiting: 0, sessions: 1 });
    await stop();
  });

  it('is done at once when it is closed before it is ready, and closes what came too late', async () => {
    const { supervisor, fleet, stop } = await troupe();
    let late: () => void = () => {};
    // This start does not heed the signal.
    const { actor } = host(async () => {
      await new Promise<void>((resolve) => {
        late = resolve;
      });
      return supervisor.start({ id: 'late' });
    });
    actor.send({ type: 'leave' });
    await waitFor(actor, (snapshot) => snapshot.matches('over'));
    expect(actor.getSnapshot().context).toMatchObject({ output: { sessionId: undefined }, error: undefined });
    late();

    await expect.poll(() => fleet.started.length).toBe(1);
    await expect.poll(() => supervisor.list()).toEqual([]);
    await stop();
  });

  it('obeys the limits of its supervisor (P9)', async () => {
    const { start, stop } = await troupe({ limits: { maxPromptQueue: 1 } });
    const { actor, heard } = host(start());
    for (const text of ['running', 'waiting', 'too many']) actor.send({ type: 'ask', text });
    await expect.poll(() => heard('session.refused').length).toBe(1);

    expect(heard('session.refused')).toEqual([expect.objectContaining({ code: 'PROMPT_QUEUE_FULL' })]);
    await stop();
  });

  it('may be spawned as well, and its snapshot and facts are JSON', async () => {
    const { start, open, stop } = await troupe();
    const emitted: SessionLogicEvent[] = [];
    const actor = createActor(sessionLogic, { input: { start: start() } });
    actor.on('*', (event) => void emitted.push(event));
    actor.start();
    actor.send({ type: 'session.prompt', text: 'hello', id: ID });
    await expect.poll(() => open.length).toBe(1);
    open[0]?.complete('hi');
    await expect.poll(() => actor.getSnapshot().prompts).toEqual([]);

    expect(emitted.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session.ready', 'session.prompted', 'session.turn-ended']),
    );
    expect(JSON.parse(JSON.stringify(emitted))).toEqual(emitted);
    const snapshot = actor.getSnapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    actor.stop();
    await stop();
  });

  it('refuses to be restored from a snapshot, in words', () => {
    const input = { start: () => new Promise<never>(() => {}) };
    const snapshot = createActor(sessionLogic, { input }).getPersistedSnapshot();
    const errors: unknown[] = [];
    const restored = createActor(sessionLogic, { snapshot, input });
    restored.subscribe({ error: (error) => void errors.push(error) });
    restored.start();

    expect(String(errors[0])).toContain('start it with `resume`');
  });
});

const ID = '7b0c2f8e-98a2-4a47-a7bb-111111111111';

async function troupe(options: Parameters<typeof createSupervisor>[0] = {}) {
  const clock = simulatedClock();
  const open: MemoryPrompt[] = [];
  const fleet = memoryFleet((prompt) => void open.push(prompt));
  const supervisor = createSupervisor({ clock, spawn: fleet.open, ...options });
  return {
    supervisor,
    clock,
    open,
    fleet,
    session: () => supervisor.start({ id: 'one' }),
    start:
      (more: SessionOptions = {}): SessionLogicInput['start'] =>
      ({ signal }) =>
        supervisor.start({ id: 'one', signal, ...more }),
    stop: () => supervisor.shutdown(),
  };
}

function host(start: SessionLogicInput['start']) {
  const events: SessionLogicEvent[] = [];
  const machine = setup({
    types: {
      context: {} as { output: unknown; error: unknown },
      events: {} as
        | SessionLogicEvent
        | { type: 'ask'; text: string }
        | { type: 'answer'; requestId: string }
        | { type: 'leave' },
    },
    actors: { sessionLogic },
  }).createMachine({
    context: { output: undefined, error: undefined },
    initial: 'open',
    states: {
      open: {
        invoke: {
          id: 'session',
          src: 'sessionLogic',
          input: { start },
          onDone: { target: 'over', actions: assign({ output: ({ event }) => event.output }) },
          onError: { target: 'over', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: {
          ask: {
            actions: sendTo('session', ({ event }) => {
              return { type: 'session.prompt', text: event.text } satisfies SessionLogicCommand;
            }),
          },
          answer: {
            actions: sendTo('session', ({ event: { requestId } }) => {
              const answer = { behavior: 'allow' as const };
              return { type: 'permission.answer', requestId, answer, by: 'pipeline' } satisfies SessionLogicCommand;
            }),
          },
          leave: { actions: sendTo('session', { type: 'session.close' } satisfies SessionLogicCommand) },
          'session.*': { actions: ({ event }) => void events.push(event) },
          'permission.*': { actions: ({ event }) => void events.push(event) },
        },
      },
      over: {},
    },
  });
  const actor = createActor(machine).start();
  return {
    actor,
    heard: <T extends SessionLogicEvent['type']>(type: T) => events.filter((event) => event.type === type),
    view: (): SessionLogicView => {
      const view = actor.getSnapshot().children['session']?.getSnapshot();
      if (view === undefined) throw new Error('The session actor is gone.');
      return view;
    },
  };
}

/** Lets promises and microtasks come to rest; no time passes. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
