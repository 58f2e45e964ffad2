import { describe, expect, it } from 'vitest';
import { ServerWatch, type ServerWatchOptions } from '../../src/mcp/server-watch.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

describe('watching the handshakes', () => {
  it('tells that a server connects and is connected', () => {
    const { watch, changes } = openWatch();
    watch.handshakeStarted('calc');
    watch.connected('calc');
    expect(changes).toEqual(['calc connecting', 'calc connected']);
  });

  it('gives a server that stays silent up at its deadline, and no other (P5)', () => {
    const { watch, clock, changes } = openWatch();
    watch.handshakeStarted('dead');
    watch.handshakeStarted('calc');
    watch.connected('calc');
    clock.increment(10_000);
    expect(changes).toEqual([
      'dead connecting',
      'calc connecting',
      'calc connected',
      expect.stringMatching(/^dead failed/),
    ]);
  });

  it('takes a server back that fails and shakes hands again (WIRE §4)', () => {
    const { watch, changes } = openWatch();
    watch.handshakeStarted('calc');
    watch.failed('calc', 'refused');
    watch.handshakeStarted('calc');
    watch.connected('calc');
    expect(changes).toEqual([
      'calc connecting',
      'calc failed refused',
      expect.stringMatching(/^calc connecting/),
      'calc connected',
    ]);
  });

  it('knows nothing of servers that never shook hands', () => {
    const { watch, changes } = openWatch();
    watch.connected('calc');
    watch.failed('calc', 'refused');
    expect(watch.follows('calc')).toBe(false);
    expect(changes).toEqual([]);
  });

  it('leaves no timer and says nothing after it was closed', () => {
    const { watch, clock, changes } = openWatch();
    watch.handshakeStarted('calc');
    watch.close();
    watch.connected('calc');
    clock.increment(60_000);
    expect(changes).toEqual(['calc connecting']);
    expect(clock.openTimers).toBe(0);
  });
});

describe('a server that may be connected again', () => {
  it('is, after longer and longer waits, and no more often than its attempts (SEMANTICS (c) 11)', async () => {
    const asked: string[] = [];
    const { watch, clock } = openWatch({
      policyOf: () => ({ attempts: 2, minMs: 100, maxMs: 1_000 }),
      reconnect: (server) => {
        asked.push(server);
        return Promise.reject(new Error('connection refused'));
      },
    });
    watch.handshakeStarted('docs');
    watch.failed('docs', 'it crashed');

    clock.increment(99);
    expect(asked).toEqual([]);
    clock.increment(1);
    expect(asked).toEqual(['docs']);
    await settled();
    clock.increment(199);
    expect(asked).toHaveLength(1);
    clock.increment(1);
    expect(asked).toHaveLength(2);
    await settled();
    clock.increment(3_600_000);
    expect(asked).toHaveLength(2);
  });

  it('tells each failure with its reason, and the success in the end', async () => {
    const { watch, clock, changes } = openWatch({ policyOf: () => ({ attempts: 3, minMs: 100, maxMs: 100 }) });
    watch.handshakeStarted('docs');
    watch.failed('docs', 'it crashed');
    clock.increment(100);
    await settled();
    watch.connected('docs');
    expect(changes).toEqual([
      'docs connecting',
      'docs failed it crashed',
      'docs connecting it crashed',
      'docs connected',
    ]);
  });

  it('is left alone once somebody switched it off', () => {
    const asked: string[] = [];
    const { watch, clock, changes } = openWatch({
      policyOf: () => ({ attempts: 3, minMs: 100, maxMs: 100 }),
      reconnect: async (server) => void asked.push(server),
    });
    watch.handshakeStarted('docs');
    watch.failed('docs', 'it crashed');
    watch.rest('docs', 'disabled');
    watch.rest('docs', 'disabled');
    clock.increment(60_000);
    expect(asked).toEqual([]);
    expect(changes).toEqual(['docs connecting', 'docs failed it crashed', 'docs disabled']);

    watch.handshakeStarted('docs');
    watch.connected('docs');
    expect(changes.slice(3)).toEqual(['docs connecting', 'docs connected']);
  });

  it('is told as removed once, and only if it was there', () => {
    const { watch, changes } = openWatch();
    watch.handshakeStarted('docs');
    watch.rest('docs', 'removed');
    watch.rest('docs', 'removed');
    watch.rest('stranger', 'removed');
    expect(changes).toEqual(['docs connecting', 'docs removed']);
    expect(watch.follows('docs')).toBe(false);
  });
});

/** Lets the promise of an attempt, and what XState makes of it, come to rest. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function openWatch(options: Partial<ServerWatchOptions> = {}) {
  const clock = simulatedClock();
  const changes: string[] = [];
  const watch = new ServerWatch({
    clock,
    connectMs: 10_000,
    inspect: undefined,
    policyOf: () => undefined,
    reconnect: () => Promise.resolve(),
    onChanged: (server, status, reason) => changes.push([server, status, reason].filter(Boolean).join(' ')),
    ...options,
  });
  return { watch, clock, changes };
}
