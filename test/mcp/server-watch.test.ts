import { describe, expect, it } from 'vitest';
import { ServerWatch } from '../../src/mcp/server-watch.ts';
import { CountedClock } from '../control/counted-clock.ts';

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

function openWatch() {
  const clock = new CountedClock();
  const changes: string[] = [];
  const watch = new ServerWatch({
    clock,
    connectMs: 10_000,
    inspect: undefined,
    onChanged: (server, status, reason) => changes.push([server, status, reason].filter(Boolean).join(' ')),
  });
  return { watch, clock, changes };
}
