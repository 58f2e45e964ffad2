import { describe, expect, expectTypeOf, it } from 'vitest';
import { assign, createActor, setup, waitFor } from 'xstate';
import { type HostedSession, type SessionLogicEvent, sessionLogic } from '../../machines/logic/session-logic.ts';
import { turnLogic } from '../../machines/logic/turn-logic.ts';
import type { Session } from '../../src/index.ts';

describe('a turn invoked by a machine of somebody else', () => {
  it('is done with the result of the turn, whatever its outcome', async () => {
    const { session, finish } = fakeSession();
    const actor = createActor(turnLogic, { input: { session, prompt: 'hello' } }).start();
    finish({ outcome: 'failed', text: undefined });
    const snapshot = await waitFor(actor, ({ status }) => status === 'done');

    expect(snapshot.output).toEqual({ outcome: 'failed', text: undefined });
  });

  it('is interrupted when the machine leaves, and a refused interrupt harms nobody', () => {
    const { session, calls } = fakeSession();
    const actor = createActor(turnLogic, { input: { session, prompt: 'hello' } }).start();
    actor.stop();

    expect(calls).toEqual(['prompt hello', 'interrupt']);
  });
});

describe('a session invoked by a machine of somebody else', () => {
  it('may be any session of troupe', () => {
    expectTypeOf<Session>().toExtend<HostedSession>();
  });

  it('reports that it is ready, each turn, and its end', async () => {
    const { session, finish, end } = fakeSession();
    const { actor, heard } = host(() => Promise.resolve(session));
    actor.send({ type: 'ask' });
    await waitFor(actor, ({ context }) => context.heard >= 1);
    finish({ outcome: 'completed', text: 'hi' });
    await waitFor(actor, ({ context }) => context.heard >= 2);
    end({ reason: 'closed' });
    await waitFor(actor, ({ context }) => context.heard >= 3);

    expect(heard).toEqual([
      { type: 'session.ready', id: 'one' },
      { type: 'session.turn-ended', outcome: 'completed', text: 'hi' },
      { type: 'session.ended', reason: 'closed' },
    ]);
  });

  it('reports a start that failed, with its code', async () => {
    const failure = Object.assign(new Error('no room'), { code: 'AT_CAPACITY' });
    const { actor, heard } = host(() => Promise.reject(failure));
    await waitFor(actor, ({ context }) => context.heard >= 1);

    expect(heard).toEqual([{ type: 'session.failed', code: 'AT_CAPACITY', message: 'no room' }]);
  });

  it('is closed when the machine leaves, also while it starts', async () => {
    const { session, calls, closed } = fakeSession();
    const { actor } = host(() => Promise.resolve(session));
    actor.stop();
    await closed;

    expect(calls).toEqual(['close']);
  });
});

interface Outcome {
  outcome: string;
  text: string | undefined;
}

function fakeSession() {
  const calls: string[] = [];
  let finish: (outcome: Outcome) => void = () => {};
  let end: (end: { reason: string }) => void = () => {};
  let close: () => void = () => {};
  const result = new Promise<Outcome>((resolve) => {
    finish = resolve;
  });
  const ended = new Promise<{ reason: string }>((resolve) => {
    end = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const session = {
    id: 'one',
    ended,
    prompt(content: string) {
      calls.push(`prompt ${content}`);
      return { result };
    },
    interrupt() {
      calls.push('interrupt');
      return Promise.reject(new Error('too late'));
    },
    close() {
      calls.push('close');
      close();
      return Promise.resolve();
    },
  };
  return { session, calls, finish, end, closed };
}

function host(start: () => Promise<ReturnType<typeof fakeSession>['session']>) {
  const heard: SessionLogicEvent[] = [];
  const machine = setup({
    types: { context: {} as { heard: number }, events: {} as SessionLogicEvent | { type: 'ask' } },
    actors: { sessionLogic },
  }).createMachine({
    context: { heard: 0 },
    invoke: { id: 'session', src: 'sessionLogic', input: { start } },
    on: {
      ask: {
        actions: ({ self }) => self.getSnapshot().children.session?.send({ type: 'session.prompt', text: 'hello' }),
      },
      'session.*': {
        actions: assign(({ context, event }) => {
          heard.push(event as SessionLogicEvent);
          return { heard: context.heard + 1 };
        }),
      },
    },
  });
  const actor = createActor(machine).start();
  return { actor, heard };
}
