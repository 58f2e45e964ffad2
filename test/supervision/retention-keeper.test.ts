import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import type { RetentionOptions } from '../../src/launch/retention-options.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { StoredEvent } from '../../src/store/store.ts';
import { RetentionKeeper } from '../../src/supervision/retention-keeper.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

const MINUTE = 60_000;

describe('the retention of a store', () => {
  it('P9 forgets the oldest of a long log each minute, and who reads later is told where it begins', async () => {
    const { store, minute } = keep({ maxEventsPerSession: 3 });
    await store.append({ sessionId: 'a', epoch: 1, events: events(1, 5) });
    expect(await seqsOf(store)).toEqual([1, 2, 3, 4, 5]);

    await minute();
    expect(await seqsOf(store)).toEqual(['log.truncated before 3', 3, 4, 5]);
    await store.append({ sessionId: 'a', epoch: 1, events: events(6, 7) });
    await minute();
    expect(await seqsOf(store)).toEqual(['log.truncated before 5', 5, 6, 7]);
  });

  it('forgets what is older than it may be, by the clock of the options', async () => {
    const { store, minute, clock } = keep({ maxAgeMs: 90_000 });
    await store.append({ sessionId: 'a', epoch: 1, events: [{ ...first(), at: clock.now() }] });

    await minute();
    expect(await seqsOf(store)).toEqual([1]);
    await minute();
    expect(await seqsOf(store)).toEqual(['log.truncated before 2']);
  });

  it('looks again after a look that failed, and never two at once', async () => {
    let looks = 0;
    let finish = (): void => {};
    const { store, minute, tick } = keep({ maxBytes: 1 });
    store.prune = () => {
      looks += 1;
      if (looks === 1) return Promise.reject(new TroupeError('STORE_FULL'));
      return new Promise((resolve) => {
        finish = () => resolve({ events: 0, sessions: 0 });
      });
    };

    await minute();
    await minute();
    expect(looks).toBe(2);
    await minute();
    expect(looks).toBe(2);
    finish();
    await tick();
    await minute();
    expect(looks).toBe(3);
  });

  it('is over when it is stopped, and looks at nothing where nothing is bound', async () => {
    const stopped = keep({ maxEventsPerSession: 1 });
    await stopped.keeper.stop();
    const unbound = keep({ maxEventsPerSession: Infinity, maxAgeMs: Infinity });
    for (const { store, minute } of [stopped, unbound]) {
      await store.append({ sessionId: 'a', epoch: 1, events: events(1, 5) });
      await minute();
      expect((await seqsOf(store)).length).toBe(5);
    }
  });
});

describe('the option `retention` of a supervisor', () => {
  it('has its store forget in the background, and nothing more once it is shut down', async () => {
    const clock = simulatedClock();
    const store = new MemoryStore();
    await store.append({ sessionId: 'a', epoch: 1, events: events(1, 5) });
    const supervisor = createSupervisor({ store, clock, retention: { maxEventsPerSession: 2 } });
    await supervisor.recovered;

    clock.increment(MINUTE);
    await expect.poll(() => seqsOf(store)).toEqual(['log.truncated before 4', 4, 5]);
    await supervisor.shutdown();
    await store.append({ sessionId: 'a', epoch: 1, events: events(6, 9) });
    clock.increment(MINUTE);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await seqsOf(store)).length).toBe(7);
  });
});

function keep(retention: RetentionOptions) {
  const clock = simulatedClock();
  const store = new MemoryStore();
  const keeper = new RetentionKeeper({ store, retention, clock });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const minute = async (): Promise<void> => {
    clock.increment(MINUTE);
    await tick();
  };
  return { store, keeper, clock, minute, tick };
}

function first(): StoredEvent {
  return { seq: 1, epoch: 1, at: 1, type: 'message', data: new Uint8Array(10) };
}

function events(from: number, to: number): StoredEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({ ...first(), seq: from + index }));
}

async function seqsOf(store: MemoryStore): Promise<(number | string)[]> {
  const all: (number | string)[] = [];
  for await (const one of store.read({ sessionId: 'a', after: 0 })) {
    all.push('seq' in one ? one.seq : `log.truncated before ${one.firstSeq}`);
  }
  return all;
}
