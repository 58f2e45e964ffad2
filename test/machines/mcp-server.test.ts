import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import type { McpServerInput } from '../../machines/mcp-server/mcp-server.context.ts';
import type { McpServerNotice } from '../../machines/mcp-server/mcp-server.events.ts';
import { mcpServerMachine } from '../../machines/mcp-server/mcp-server.machine.ts';
import { stateOf } from './state-name.ts';

describe('connecting', () => {
  it('ends with the first sign of a connection', () => {
    const { server, state } = openServer();

    server.send({ type: 'server.connected' });

    expect(state()).toBe('connected');
  });

  it('fails with the reason of the failure', () => {
    const { server, state, notices } = openServer();

    server.send({ type: 'server.failed', reason: 'connection refused' });

    expect(state()).toBe('failed');
    expect(notices().at(-1)).toEqual({ type: 'state.entered', state: 'failed', reason: 'connection refused' });
  });

  it('fails at its deadline, and says so (P5)', () => {
    const { clock, state, notices } = openServer({ connectMs: 5_000 });

    clock.increment(4_999);
    expect(state()).toBe('connecting');

    clock.increment(1);
    expect(state()).toBe('failed');
    expect(notices().at(-1)?.reason).toContain('5000 ms');
  });

  it('counts a late connection, and forgets the failure', () => {
    const { server, clock, state } = openServer({ connectMs: 5_000 });

    clock.increment(5_000);
    server.send({ type: 'server.connected' });

    expect(state()).toBe('connected');
    expect(server.getSnapshot().context).toMatchObject({ reason: null, attempt: 0 });
  });
});

describe('connected', () => {
  it('is not disturbed by a repeated handshake (WIRE §2)', () => {
    const { server, clock, state } = openServer({ connectMs: 5_000 });

    server.send({ type: 'server.connected' });
    server.send({ type: 'server.handshake-started' });
    clock.increment(60_000);

    expect(state()).toBe('connected');
  });

  it('announces a repeated connection once', () => {
    const { server, notices } = openServer();

    server.send({ type: 'server.connected' });
    server.send({ type: 'server.connected' });

    expect(notices().filter(({ state }) => state === 'connected')).toHaveLength(1);
  });

  it('is left when the server is lost, and all attempts are there again', async () => {
    const { server, clock, state } = openServer({ reconnect: { attempts: 1, minMs: 100, maxMs: 100 } });
    server.send({ type: 'server.failed', reason: 'it crashed' });
    clock.increment(100);
    await waitFor(server, (snapshot) => snapshot.matches('connecting'));
    server.send({ type: 'server.connected' });

    server.send({ type: 'server.failed', reason: 'it crashed again' });

    expect(state()).toBe('waiting');
  });
});

describe('failed', () => {
  it('waits to be asked when there are no attempts left', async () => {
    const { server, clock, state, attempts } = openServer();

    server.send({ type: 'server.failed', reason: 'it crashed' });
    clock.increment(3_600_000);
    expect(state()).toBe('failed');
    expect(attempts()).toBe(0);

    server.send({ type: 'server.reconnect' });
    expect(attempts()).toBe(1);
    await waitFor(server, (snapshot) => snapshot.matches('connecting'));
  });

  it('connects again when the CLI opens a new handshake by itself (WIRE §4: one retry after MCP_TIMEOUT)', () => {
    const { server, state } = openServer();

    server.send({ type: 'server.failed', reason: 'it crashed' });
    server.send({ type: 'server.handshake-started' });

    expect(state()).toBe('connecting');
  });
});

describe('waiting', () => {
  it('doubles its waits up to the longest, then gives up', async () => {
    const { server, clock, state, attempts } = openServer({ reconnect: { attempts: 4, minMs: 100, maxMs: 300 } });

    for (const [index, waitMs] of [100, 200, 300, 300].entries()) {
      server.send({ type: 'server.failed', reason: 'it crashed' });
      expect(state()).toBe('waiting');
      clock.increment(waitMs - 1);
      expect(attempts()).toBe(index);
      clock.increment(1);
      expect(attempts()).toBe(index + 1);
      await waitFor(server, (snapshot) => snapshot.matches('connecting'));
    }
    server.send({ type: 'server.failed', reason: 'it crashed' });

    expect(state()).toBe('failed');
  });

  it('spends no attempt on a second report of the same failure', () => {
    const { server, clock, attempts } = openServer({ reconnect: { attempts: 2, minMs: 100, maxMs: 100 } });

    server.send({ type: 'server.failed', reason: 'it crashed' });
    server.send({ type: 'server.failed', reason: 'it crashed, says the CLI' });
    server.send({ type: 'server.failed', reason: 'it crashed, says the status' });
    clock.increment(100);

    expect(attempts()).toBe(1);
    expect(server.getSnapshot().context).toMatchObject({ attempt: 1, reason: 'it crashed, says the status' });
  });

  it('ends early when somebody asks, or when the server is there', () => {
    const { server, state, attempts } = openServer({ reconnect: { attempts: 2, minMs: 100, maxMs: 100 } });
    server.send({ type: 'server.failed', reason: 'it crashed' });
    server.send({ type: 'server.reconnect' });
    expect(attempts()).toBe(1);

    server.send({ type: 'server.failed', reason: 'it crashed' });
    server.send({ type: 'server.connected' });
    expect(state()).toBe('connected');
  });
});

describe('reconnecting', () => {
  it('fails with the reason why nobody could ask for a connection', async () => {
    const { server } = openServer({}, () => Promise.reject(new Error('the CLI refused')));

    server.send({ type: 'server.reconnect' });
    await waitFor(server, (snapshot) => snapshot.matches('failed'));

    expect(server.getSnapshot().context.reason).toBe('the CLI refused');
  });

  it('does not lose a connection that is faster than the answer', async () => {
    const { server, state } = openServer({}, () => new Promise(() => undefined));

    server.send({ type: 'server.reconnect' });
    server.send({ type: 'server.connected' });

    expect(state()).toBe('connected');
  });
});

function openServer(options: Partial<McpServerInput> = {}, connect: () => Promise<void> = () => Promise.resolve()) {
  const clock = new SimulatedClock();
  const notices: McpServerNotice[] = [];
  let attempts = 0;
  const reconnect = fromPromise<void, { name: string }>(() => {
    attempts += 1;
    return connect();
  });
  const input: McpServerInput = {
    name: 'docs',
    connectMs: 10_000,
    reconnect: { attempts: 0, minMs: 100, maxMs: 1_000 },
    ...options,
  };
  const server = createActor(mcpServerMachine.provide({ actors: { reconnect } }), { clock, input });
  server.on('state.entered', (notice) => notices.push(notice));
  server.start();
  return {
    server,
    clock,
    state: () => stateOf(server.getSnapshot()),
    notices: () => notices,
    attempts: () => attempts,
  };
}
