import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ChildInput, MAX_UNREAD_INPUT_BYTES } from '../../src/transport/child-input.ts';

describe('writing to a child', () => {
  it('keeps the order and ends after everything written before', async () => {
    const { input, taken, take } = openPipe();
    const written = [input.write('a\n'), input.write('b\n')];
    input.end();
    input.end();
    take();
    take();
    await Promise.all(written);
    expect(taken).toEqual(['a\n', 'b\n', 'end']);
  });

  it('settles every pending write when the pipe is closed (P5)', async () => {
    const { input, stream } = openPipe();
    const written = [input.write('a\n'), input.write('b\n'), input.write('c\n')];
    stream.destroy();
    for (const result of await Promise.allSettled(written)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'CLI_INPUT_CLOSED' } });
    }
    await expect(input.write('d\n')).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED' });
  });

  it('makes a broken pipe the error of the write and of nothing else (R22)', async () => {
    const { input, stream } = openPipe();
    const written = input.write('a\n');
    stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await expect(written).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED', details: { errno: 'EPIPE' } });
    await expect(input.write('b\n')).rejects.toMatchObject({ details: { errno: 'EPIPE' } });
  });

  it('refuses a line after the end was requested', async () => {
    const { input } = openPipe();
    input.end();
    await expect(input.write('a\n')).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED' });
  });

  it('takes one line of any length, but no other behind more than the limit (P9)', async () => {
    const { input, stream } = openPipe();
    const first = input.write('x'.repeat(MAX_UNREAD_INPUT_BYTES + 1));
    await expect(input.write('a\n')).rejects.toMatchObject({
      code: 'CLI_INPUT_CLOSED',
      details: { limitBytes: MAX_UNREAD_INPUT_BYTES },
    });
    stream.destroy();
    await expect(first).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED' });
  });
});

/** A pipe whose reader takes one write at a time, when it is told to. */
function openPipe() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  let allowed = 0;
  const run = (): void => {
    while (allowed > 0 && waiting.length > 0) {
      allowed -= 1;
      waiting.shift()?.();
    }
  };
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      waiting.push(() => {
        taken.push(chunk);
        done();
      });
      run();
    },
    final(done) {
      taken.push('end');
      done();
    },
  });
  const take = (): void => {
    allowed += 1;
    run();
  };
  return { input: new ChildInput(stream), stream, taken, take };
}
