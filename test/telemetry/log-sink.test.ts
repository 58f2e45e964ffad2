import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LogSink } from '../../src/telemetry/log-sink.ts';

/** A stream with room for so many texts. */
function narrow(room: number) {
  const stream = new EventEmitter();
  const texts: string[] = [];
  const left = { room };
  const write = (text: string) => {
    if (left.room === 0) return stream.emit('drop', text);
    left.room -= 1;
    return texts.push(text);
  };
  return { texts, left, stream: Object.assign(stream, { write }) };
}

describe('where log lines go (R100)', () => {
  it('never waits: what does not fit is dropped, and told with its number as soon as there is room', () => {
    const { stream, texts, left } = narrow(1);
    const sink = new LogSink(stream);
    for (const line of ['a\n', 'b\n', 'c\n', 'd\n']) sink.write(line);
    expect(texts).toEqual(['a\n']);
    expect(sink.dropped).toBe(3);

    left.room = 2;
    sink.write('e\n');
    expect(texts[2]).toBe('e\n');
    expect(JSON.parse(String(texts[1]))).toMatchObject({ msg: 'log.dropped', lines: 3 });
    expect(sink.dropped).toBe(0);
  });

  it('keeps the count while even the notice does not fit', () => {
    const { stream, left, texts } = narrow(0);
    const sink = new LogSink(stream, (line) => `> ${line}`);
    sink.write('a\n');
    sink.write('b\n');
    expect(sink.dropped).toBe(2);
    left.room = 2;
    sink.write('c\n');
    expect(texts.map((text) => text.startsWith('> '))).toEqual([true, true]);
  });
});
