import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PipeReader } from '../../src/transport/pipe-reader.ts';

describe('reading a pipe', () => {
  it('hands over what came while it was paused before the stream ends, although Node restarts the stream at the exit (R13)', async () => {
    const { pipe, reader, told } = openPipe();
    reader.pause();
    pipe.write('one');
    await nextTurn();
    pipe.end('two');
    pipe.resume();
    await turns(3);
    expect(told).toEqual([]);

    reader.resume();
    await turns(3);
    expect(told).toEqual(['one', 'two', 'end']);
  });

  it('hands over nothing from inside the listener that had it pause and go on', async () => {
    const { pipe, reader, told } = openPipe((chunk) => {
      if (chunk === 'one') {
        reader.pause();
        reader.resume();
        told.push('still in one');
      }
    });
    pipe.write('one');
    pipe.write('two');
    await turns(3);
    expect(told).toEqual(['one', 'still in one', 'two']);
  });

  it('reads a stream that was handed over standing still', async () => {
    const { told, pipe } = openPipe(() => {}, new PassThrough().pause());
    pipe.write('one');
    await turns(3);
    expect(told).toEqual(['one']);
  });

  it('notices the end of an empty pipe also while it is paused', async () => {
    const { pipe, reader, told } = openPipe();
    reader.pause();
    pipe.end();
    await turns(3);
    expect(told).toEqual(['end']);
  });

  it('leaves what is over for a later turn of the event loop (P10)', async () => {
    const { pipe, told } = openPipe((chunk) => {
      if (chunk === 'one') busyFor(25);
    });
    setImmediate(() => told.push('next turn'));
    pipe.write('one');
    pipe.write('two');
    pipe.end();
    await turns(6);
    expect(told).toEqual(['one', 'next turn', 'two', 'end']);
  });
});

function openPipe(onChunk: (chunk: string) => void = () => {}, pipe = new PassThrough()) {
  const told: string[] = [];
  pipe.on('end', () => told.push('end'));
  const reader = new PipeReader(pipe, (chunk) => {
    told.push(chunk.toString());
    onChunk(chunk.toString());
  });
  return { pipe, reader, told };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
