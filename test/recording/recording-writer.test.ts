import { describe, expect, it } from 'vitest';
import { parseRecording } from '../../src/recording/recording-reader.ts';
import { RecordingWriter } from '../../src/recording/recording-writer.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

describe('the writer of a recording', () => {
  it('never waits for the disk: what comes while too much waits is left out, and the recording says how much (P9, P10)', async () => {
    const { writer, written, release } = slowDisk();
    const line = Buffer.alloc(2 ** 20, 'a');
    for (let count = 0; count < 40; count += 1) writer.line('<', 1, line);
    await release();
    writer.line('<', 1, Buffer.from('after'));
    await writer.close();
    const { frames } = parseRecording(written());
    const kept = frames.filter((frame) => frame.direction === '<' && frame.bytes.length === line.length).length;

    expect(kept).toBeGreaterThan(8);
    expect(kept).toBeLessThan(40);
    expect(frames.slice(kept)).toMatchObject([
      { note: { kind: 'gap', lines: 40 - kept, bytes: (40 - kept) * line.length } },
      { bytes: Buffer.from('after') },
    ]);
  });

  it('tells once that the disk failed, and writes no more', async () => {
    const told: string[] = [];
    let opened = 0;
    const writer = newWriter({
      onFailed: (reason) => told.push(reason),
      open: async () => {
        opened += 1;
        throw new Error('no space left');
      },
    });
    writer.line('<', 1, Buffer.from('one'));
    await writer.flushed();
    writer.line('<', 1, Buffer.from('two'));
    await writer.close();

    expect(told).toEqual(['It could not be written: no space left']);
    expect(opened).toBe(1);
  });

  it('writes all that came before it was closed, and closes the file once', async () => {
    const { writer, written, release, closed } = slowDisk();
    writer.line('>', 1, Buffer.from('one'));
    const closing = [writer.close(), writer.close()];
    await release();
    await Promise.all(closing);
    writer.line('>', 1, Buffer.from('late'));
    await writer.close();

    expect(parseRecording(written()).frames.map((frame) => 'bytes' in frame && frame.bytes.toString())).toEqual([
      'one',
    ]);
    expect(closed()).toBe(1);
  });
});

function slowDisk() {
  let written = '';
  let closed = 0;
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const writer = newWriter({
    open: async (path) => ({
      path,
      append: async (text) => {
        await gate;
        written += text;
      },
      close: async () => {
        closed += 1;
      },
    }),
  });
  const release = async () => {
    letGo();
    await writer.flushed();
  };
  return { writer, release, written: () => written, closed: () => closed };
}

function newWriter(options: Partial<ConstructorParameters<typeof RecordingWriter>[0]>): RecordingWriter {
  const clock = simulatedClock();
  return new RecordingWriter({ path: 'a', replaces: false, maxBytes: 2 ** 30, clock, onFailed: () => {}, ...options });
}
