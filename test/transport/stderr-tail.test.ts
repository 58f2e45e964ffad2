import { describe, expect, it } from 'vitest';
import { StderrTail } from '../../src/transport/stderr-tail.ts';

describe('the tail of stderr', () => {
  it('keeps everything while it is short', () => {
    const tail = new StderrTail(16);
    tail.push(Buffer.from('abc'));
    tail.push(Buffer.from('def'));
    expect(tail.text()).toBe('abcdef');
  });

  it.each([1, 2, 3, 5, 7, 16, 40])('keeps the last 16 bytes of a stream in chunks of %i (R24)', (size) => {
    const stream = Buffer.from(Array.from({ length: 100 }, (_, index) => `${index % 10}`).join(''));
    const tail = new StderrTail(16);
    for (let start = 0; start < stream.length; start += size) {
      tail.push(stream.subarray(start, start + size));
      const end = Math.min(start + size, stream.length);
      expect(tail.text()).toBe(stream.toString('utf8', Math.max(0, end - 16), end));
    }
  });

  it('leaves out a character that was cut at its start or is not complete yet (R09)', () => {
    for (let limit = 1; limit <= 12; limit += 1) {
      const tail = new StderrTail(limit);
      for (const byte of Buffer.from('ä😀漢字ö')) {
        tail.push(Buffer.from([byte]));
        expect(tail.text()).not.toContain('\uFFFD');
        expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(limit);
      }
      if (limit >= 8) expect(tail.text().endsWith('漢字ö')).toBe(true);
    }
  });

  it('keeps nothing when nothing is to be kept', () => {
    const tail = new StderrTail(0);
    tail.push(Buffer.from('abc'));
    expect(tail.text()).toBe('');
  });
});
