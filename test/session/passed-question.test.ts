import { describe, expect, it } from 'vitest';
import type { CanUseTool, FleetEvent } from '../../src/index.ts';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import type { Session } from '../../src/session/session.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { memoryStage, until } from './memory-cli.ts';

const BASH = { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };
const AS_A_STATE = [
  'permission.requested',
  'state awaiting-permission',
  'permission.settled allowed by callback',
  'state ready',
];

describe('a question that its callback answers in the moment it comes', () => {
  it.each([
    ['memory', {}],
    ['a store', { store: new MemoryStore() }],
  ])('is told as the state it was: %s (P4, P7)', async (_title, options) => {
    const { session, story, asked } = await openSession(() => ({ behavior: 'allow' }), options);
    await asked('allow');

    expect(story.filter((line) => !line.startsWith('the CLI'))).toEqual(AS_A_STATE);
    expect(session.history().map(({ state }) => state)).toEqual([
      'waiting',
      'spawning',
      'initializing',
      'ready',
      'awaiting-permission',
      'ready',
    ]);
  });

  it('is told as the state it was in a turn, where its machine has nothing to do for it (P4, P7)', async () => {
    const { session, story, asked } = await openSession(() => ({ behavior: 'allow' }));
    const turn = session.prompt('go').result.catch(() => {});
    await until(() => session.status === 'running');
    await asked('allow');

    expect(story.filter((line) => !line.startsWith('the CLI'))).toEqual(AS_A_STATE);
    expect(session.history().map(({ state }) => state)).toEqual([
      'waiting',
      'spawning',
      'initializing',
      'ready',
      'awaiting-permission',
      'ready',
    ]);
    await session.kill();
    await turn;
  });

  it('is seen as a state by a callback that looks before it answers (P7)', async () => {
    const seen: unknown[] = [];
    const { session, story, asked } = await openSession(() => {
      const { state, status } = session;
      seen.push(state, status, session.permissions.pending().length, session.snapshot().permissions.length);
      return { behavior: 'allow' };
    });
    await asked('allow');

    expect(seen).toEqual(['awaiting-permission', 'requires_action', 1, 1]);
    expect(story).toEqual([...AS_A_STATE, 'the CLI reads: allow']);
  });

  it('is in every part of the snapshot of a callback that looks at nothing else first, with the number of the event that told it (P7)', async () => {
    const seen: unknown[] = [];
    const { session, asked } = await openSession(() => {
      const snapshot = session.snapshot();
      seen.push(snapshot.value, snapshot.state, snapshot.seq - session.snapshot().seq);
      return { behavior: 'allow' };
    });
    await asked('allow');

    expect(seen).toEqual(['awaiting-permission', 'awaiting-permission', 0]);
  });

  it('is in the snapshot of whoever hears that it was asked, and whoever answers then learns who was first (P4, P7)', async () => {
    const heard: unknown[] = [];
    const { session, asked } = await openSession(
      () => ({ behavior: 'allow' }),
      {},
      (event, asking) => {
        if (event.type !== 'permission.requested') return;
        heard.push(asking.snapshot().permissions.map(({ id }) => id));
        void asking.permissions
          .answer(event.requestId, { behavior: 'deny' })
          .catch(({ message }) => heard.push(message));
      },
    );
    const id = await asked('allow');

    await until(() => heard.length === 2);
    expect(heard).toEqual([[id], expect.stringContaining('allowed by callback')]);
    expect(session.permissions.get(id)?.settlement?.outcome).toBe('allowed');
    expect(session.permissions.pending()).toEqual([]);
  });

  it('changes no state while another question is open (P4)', async () => {
    const { session, story, ask, asked } = await openSession(
      (_tool, _input, { requestId }) => new Promise((resolve) => requestId !== first && resolve({ behavior: 'allow' })),
    );
    const first = ask();
    await until(() => session.state === 'awaiting-permission');
    story.length = 0;
    await asked('allow');

    expect(story.filter((line) => line.startsWith('state'))).toEqual([]);
    expect(session.permissions.pending().map(({ id }) => id)).toEqual([first]);
  });
});

async function openSession(
  canUseTool: CanUseTool,
  options: SupervisorOptions = {},
  hear: (event: FleetEvent, session: Session) => void = () => {},
) {
  const story: string[] = [];
  const { supervisor, clis } = await memoryStage({
    ...options,
    behave: (_cli, line) => {
      const behavior = behaviorIn(line);
      if (behavior !== undefined) story.push(`the CLI reads: ${behavior}`);
      return undefined;
    },
  });
  const session = await supervisor.start({ id: 'asked', canUseTool });
  await until(() => session.state === 'ready');
  supervisor.on('event', (event) => {
    if (!('sessionId' in event) || event.sessionId !== 'asked') return;
    hear(event, session);
    if (event.type === 'permission.requested') story.push(event.type);
    if (event.type === 'permission.settled') story.push(`${event.type} ${event.outcome} by ${event.by}`);
    if (event.type === 'session.state-changed') story.push(`state ${event.state}`);
  });
  let asks = 0;
  const ask = () => {
    asks += 1;
    const id = `question-${asks}`;
    clis.at(-1)?.say({ type: 'control_request', request_id: id, request: { subtype: 'can_use_tool', ...BASH } });
    return id;
  };
  /** Asks, and waits until the CLI has read that answer and the host has told all of it. */
  const asked = async (behavior: string) => {
    const id = ask();
    await until(
      () => story.includes(`the CLI reads: ${behavior}`) && session.permissions.get(id)?.settlement !== undefined,
    );
    return id;
  };
  return { session, story, ask, asked };
}

function behaviorIn(line: Record<string, unknown>): string | undefined {
  const { response } = line as { response?: { response?: { behavior?: string } } };
  return line['type'] === 'control_response' ? response?.response?.behavior : undefined;
}
