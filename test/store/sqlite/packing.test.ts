import { describe, expect, it } from 'vitest';
import {
  buffersOf,
  packChanges,
  packEvents,
  plainChange,
  unpackChanges,
  unpackEvents,
} from '../../../src/store/sqlite/packing.ts';
import { change, event } from './sqlite-harness.ts';

describe('what crosses to the thread that writes', () => {
  it('comes back as it was: changes with any number of events, with records, with names that are gone', () => {
    const records = [{ kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: 'ü' }] as const;
    const changes = [
      change('a', 1, 3),
      change('b', 7, 6, [...records]),
      { ...change('a', 4, 4), forget: [{ kind: 'prompt', id: 'q' }] as const },
      { ...change('ü', 1, 1), epoch: 2, events: [{ ...event(1, ''), at: 1_764_000_000_123.5, type: 'message/a%2Fb' }] },
    ].map(plainChange);
    const packed = packChanges(changes);

    expect(unpackChanges(structuredClone(packed, { transfer: buffersOf(packed) }))).toEqual(changes);
  });

  it('hands over the bytes of the events and nothing of the blocks that they were views of', () => {
    const block = new Uint8Array(65_536).fill(7);
    const events = [1, 2].map((seq) => ({ ...event(seq), data: block.subarray(seq * 10, seq * 10 + seq) }));
    const packed = packEvents(events);

    expect(packed.bytes.buffer.byteLength).toBe(3);
    expect(unpackEvents(packed)).toEqual(events.map((one) => ({ ...one, data: new Uint8Array(one.data) })));
  });

  it('uses the memory that came back of the commit before, and takes more where that is too small', () => {
    const events = [event(1, 'x'.repeat(100)), event(2, 'y')];
    const memory = new ArrayBuffer(101);

    expect(packEvents(events, memory).bytes.buffer).toBe(memory);
    expect(unpackEvents(packEvents(events, memory))).toEqual(events);
    const larger = packEvents(events, new ArrayBuffer(100));
    expect(larger.bytes.buffer.byteLength).toBe(128);
    expect(unpackEvents(larger)).toEqual(events);
  });

  it('names each session and each type once, however many events there are', () => {
    const packed = packChanges([change('a', 1, 500), change('b', 1, 500), change('a', 501, 501)].map(plainChange));

    expect(packed.sessions).toEqual(['a', 'b']);
    expect(packed.events.types).toEqual(['message']);
  });
});
