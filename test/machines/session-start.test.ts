import { describe, expect, it } from 'vitest';
import { degradedServers } from '../../machines/session/session.context.ts';
import { BROKEN } from './event-samples.ts';
import { EXITED, OPTIONAL, openSession, REQUIRED, TREE_GONE } from './session-harness.ts';

describe('spawning', () => {
  it('opens the link at once and tells it nothing before the process has a pid', () => {
    const { state, told, opened } = openSession();

    expect(state()).toBe('spawning');
    expect(opened()).toEqual([{ id: 'review', incarnation: 1 }]);
    expect(told()).toEqual([]);
  });

  it('asks for initialize as soon as there is a pid (WIRE §0.1: the CLI is silent until then)', () => {
    const { session, state, told } = openSession();

    session.send({ type: 'cli.spawned', pid: 4711 });

    expect(state()).toBe('initializing');
    expect(told()).toEqual(['link.initialize']);
    expect(session.getSnapshot().context.pid).toBe(4711);
  });

  it('fails with the cause of a spawn that failed, without waiting for a tree', () => {
    const { session, state, output } = openSession();

    session.send({ type: 'cli.spawn-failed', cause: BROKEN });

    expect(state()).toBe('failed');
    expect(output()).toEqual({ cause: BROKEN, exit: null, wasForced: false, survivors: [] });
  });

  it('reaps and blames SPAWN_TIMEOUT when its deadline passes', () => {
    const { clock, state, told, session } = openSession({ timeouts: { spawnMs: 500 } });

    clock.increment(499);
    expect(state()).toBe('spawning');

    clock.increment(1);
    expect(state()).toBe('closing.reaping');
    expect(told()).toEqual(['link.reap']);
    expect(session.getSnapshot().context.endedBecause).toMatchObject({
      code: 'SPAWN_TIMEOUT',
      ending: 'start-timeout',
    });
  });

  it('can be closed: it asks the process to leave, and a spawn that fails meanwhile is no failure', () => {
    const { session, state, told, output } = openSession();

    session.send({ type: 'session.close' });
    expect(state()).toBe('closing.draining');
    expect(told()).toEqual(['link.end-input']);

    session.send({ type: 'cli.spawn-failed', cause: BROKEN });
    expect(state()).toBe('closed');
    expect(output()?.cause.code).toBe('closed');
  });

  it('remembers the pid of a process that appears while the session is closing', () => {
    const { session, state } = openSession();

    session.send({ type: 'session.close' });
    session.send({ type: 'cli.spawned', pid: 4711 });

    expect(state()).toBe('closing.draining');
    expect(session.getSnapshot().context.pid).toBe(4711);
  });

  it('keeps its first cause when a spawn fails after its deadline', () => {
    const { clock, session, state, output } = openSession();

    clock.increment(1_000);
    session.send({ type: 'cli.spawn-failed', cause: BROKEN });

    expect(state()).toBe('failed');
    expect(output()?.cause.code).toBe('SPAWN_TIMEOUT');
  });
});

describe('initializing', () => {
  it('is ready with the answer to initialize when there are no servers (WIRE §0.2)', () => {
    const { session, state } = openSession({ reached: 'initializing' });

    session.send({ type: 'cli.initialized' });

    expect(state()).toBe('ready.idle');
  });

  it('sets up servers before it is ready', () => {
    const { session, state } = openSession({ reached: 'initializing', mcpServers: [OPTIONAL] });

    session.send({ type: 'cli.initialized' });

    expect(state()).toBe('mcp-setup');
  });

  it('does not kill a slow start that talks (R04)', () => {
    const { session, clock, state } = openSession({ reached: 'initializing', timeouts: { initializeMs: 60_000 } });

    for (let step = 0; step < 10; step += 1) {
      clock.increment(59_999);
      session.send({ type: 'cli.spoke', at: clock.now() });
    }
    expect(state()).toBe('initializing');

    session.send({ type: 'cli.initialized' });
    expect(state()).toBe('ready.idle');
  });

  it('kills a silent start at its deadline, without asking it politely (R04, P5)', () => {
    const { session, clock, state, told } = openSession({
      reached: 'initializing',
      timeouts: { initializeMs: 60_000 },
    });

    session.send({ type: 'cli.spoke', at: clock.now() });
    clock.increment(60_000);

    expect(state()).toBe('closing.reaping');
    expect(told()).toEqual(['link.initialize', 'link.reap']);
    expect(session.getSnapshot().context).toMatchObject({
      wasForced: true,
      endedBecause: { code: 'INITIALIZE_TIMEOUT', details: { deadlineMs: 60_000 } },
    });
  });

  it('waits for ever when the deadline is Infinity (P5)', () => {
    const { clock, state } = openSession({
      reached: 'initializing',
      timeouts: { initializeMs: Number.POSITIVE_INFINITY },
    });

    clock.increment(Number.MAX_SAFE_INTEGER);

    expect(state()).toBe('initializing');
  });

  it('asks a CLI that refused initialize to leave, and fails with its answer', () => {
    const { session, state, told, output } = openSession({ reached: 'initializing' });

    session.send({ type: 'cli.initialize-failed', cause: BROKEN });
    expect(state()).toBe('closing.draining');
    expect(told().at(-1)).toBe('link.end-input');

    session.send(EXITED);
    session.send(TREE_GONE);
    expect(state()).toBe('failed');
    expect(output()?.cause).toEqual(BROKEN);
  });

  it('forgets the initialize deadline once the answer is there', () => {
    const { session, clock, state } = openSession({ reached: 'initializing', timeouts: { initializeMs: 10 } });

    session.send({ type: 'cli.initialized' });
    clock.increment(10_000);

    expect(state()).toBe('ready.idle');
  });
});

describe('mcp-setup', () => {
  it('is ready when every server is connected', () => {
    const { session, state } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL, REQUIRED] });

    session.send({ type: 'mcp.connected', server: 'docs' });
    expect(state()).toBe('mcp-setup');

    session.send({ type: 'mcp.connected', server: 'vault' });
    expect(state()).toBe('ready.idle');
  });

  it('is ready, degraded, with the reason of an optional server that failed', () => {
    const { session, state } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL, REQUIRED] });

    session.send({ type: 'mcp.failed', server: 'docs', reason: 'connection refused' });
    session.send({ type: 'mcp.connected', server: 'vault' });

    expect(state()).toBe('ready.idle');
    expect(degradedServers(session.getSnapshot().context)).toEqual([
      { name: 'docs', required: false, status: 'failed', reason: 'connection refused' },
    ]);
  });

  it('fails with MCP_SERVER_FAILED when a required server failed, naming it and its reason', () => {
    const { session, state, output } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL, REQUIRED] });

    session.send({ type: 'mcp.failed', server: 'vault', reason: 'connection refused' });
    expect(state()).toBe('closing.draining');

    session.send(EXITED);
    session.send(TREE_GONE);
    expect(state()).toBe('failed');
    expect(output()?.cause.code).toBe('MCP_SERVER_FAILED');
    expect(output()?.cause.message).toContain('"vault"');
    expect(output()?.cause.message).toContain('connection refused');
  });

  it('knows a server that settled before initialize was answered (WIRE §2)', () => {
    const { session, state } = openSession({ reached: 'initializing', mcpServers: [OPTIONAL] });

    session.send({ type: 'mcp.handshake-started', server: 'docs' });
    session.send({ type: 'mcp.connected', server: 'docs' });
    session.send({ type: 'cli.initialized' });

    expect(state()).toBe('ready.idle');
  });

  it('is left after a short grace when the CLI starts MCP only with the first prompt (WIRE §0.4)', () => {
    const { session, clock, state } = openSession({ reached: 'initializing', mcpServers: [OPTIONAL, REQUIRED] });

    session.send({ type: 'cli.initialized' });
    expect(state()).toBe('mcp-setup');

    clock.increment(250);
    expect(state()).toBe('ready.idle');
  });

  it('waits longer than the grace for a handshake that has begun', () => {
    const { clock, state } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL] });

    clock.increment(250);

    expect(state()).toBe('mcp-setup');
  });

  it('is left at its deadline, degraded, and says why each server is missing (P5)', () => {
    const { clock, state, session } = openSession({
      reached: 'mcp-setup',
      mcpServers: [OPTIONAL, { name: 'late', required: false }],
      timeouts: { mcpServerMs: 5_000 },
    });

    clock.increment(5_000);

    expect(state()).toBe('ready.idle');
    const degraded = degradedServers(session.getSnapshot().context);
    expect(degraded.map(({ name, status }) => `${name}: ${status}`)).toEqual(['docs: connecting', 'late: waiting']);
    for (const server of degraded) expect(server.reason).toMatch(/.+/);
  });

  it('counts a server that connects late, in whatever state the session is', () => {
    const { clock, session } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL] });

    clock.increment(10_000);
    session.send({ type: 'work.started' });
    session.send({ type: 'mcp.connected', server: 'docs' });

    expect(degradedServers(session.getSnapshot().context)).toEqual([]);
  });

  it('ignores news of a server it does not wait for', () => {
    const { session, state } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL] });

    session.send({ type: 'mcp.connected', server: 'stranger' });

    expect(state()).toBe('mcp-setup');
    expect(session.getSnapshot().context.mcp).toHaveLength(1);
  });

  it('drops neither work nor questions that arrive meanwhile (P6)', () => {
    const { session, state } = openSession({ reached: 'mcp-setup', mcpServers: [OPTIONAL] });

    session.send({ type: 'work.started' });
    session.send({ type: 'permission.requested', at: 0, requestId: 'first' });
    session.send({ type: 'mcp.connected', server: 'docs' });
    expect(state()).toBe('awaiting-permission');

    session.send({ type: 'permission.settled', at: 0, requestId: 'first' });
    expect(state()).toBe('ready.running');
  });
});
