import { describe, expect, it } from 'vitest';
import { ByteBlocks } from '../../src/store/byte-blocks.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'abcdefghij');

describe('the bytes of a log', () => {
  it('stay where they are when they have that memory for themselves', () => {
    const line = Buffer.allocUnsafeSlow(40 * 1024);
    expect(new ByteBlocks().settle(line)).toBe(line);
  });

  it('stay in the chunk that they nearly fill: what is kept beside them is little (P9)', () => {
    const chunk = Buffer.from(CHUNK);
    const lines = chunk.subarray(4_000, 64 * 1024 - 4_000);
    expect(new ByteBlocks().settle(lines)).toBe(lines);
  });

  it('move away from the chunk they are a part of, and stay equal', () => {
    const { settle } = new ByteBlocks();
    const views = [1, 10, 200, 2_000, 3_000, 30_000, 55_000].map((length) => CHUNK.subarray(7, 7 + length));
    const settled = views.map(settle);
    expect(settled).toEqual(views);
    expect(settled.filter(({ buffer }) => buffer === CHUNK.buffer)).toEqual([]);
  });

  it('do not change with the chunk, nor with their neighbours', () => {
    const { settle } = new ByteBlocks();
    const chunk = Buffer.from(CHUNK);
    const first = settle(chunk.subarray(0, 100));
    const second = settle(chunk.subarray(100, 200));
    chunk.fill('x');
    expect(first).toEqual(CHUNK.subarray(0, 100));
    expect(second).toEqual(CHUNK.subarray(100, 200));
  });

  it('share a block with a few neighbours when they are short, and have their own when they are long (P9)', () => {
    const { settle } = new ByteBlocks();
    const short = Array.from({ length: 100 }, () => settle(CHUNK.subarray(0, 200)));
    const long = settle(CHUNK.subarray(0, 20_000));
    expect(new Set(short.map(({ buffer }) => buffer)).size).toBe(2);
    expect(long.buffer.byteLength).toBe(20_000);
  });

  it('lie in larger blocks the more of them there are, up to the size of a chunk', () => {
    const { settle } = new ByteBlocks();
    const sizes = Array.from({ length: 1_000 }, () => settle(CHUNK.subarray(0, 1_000)).buffer.byteLength);
    expect([...new Set(sizes)]).toEqual([8, 16, 32, 64].map((kilobytes) => kilobytes * 1024));
  });

  it('are never in the pool that all of Node shares', () => {
    const pooled = Buffer.from('x'.repeat(50));
    const settled = new ByteBlocks().settle(pooled);
    expect(settled).toEqual(pooled);
    expect(settled.buffer).not.toBe(pooled.buffer);
  });

  it('of a line have its line feed behind them for good, whatever its neighbours are', () => {
    const { settleLine } = new ByteBlocks();
    const lines = [1, 10, 200, 3_000, 30_000, 55_000].map((length) => CHUNK.subarray(7, 7 + length));
    const settled = lines.map(settleLine);
    expect(settled).toEqual(lines);
    expect(settled.map(behind)).toEqual(lines.map(() => '\n'));
  });

  it('of a line that has its memory for itself are not copied when the line feed is there, and are when it is not', () => {
    const own = Buffer.allocUnsafeSlow(40_000).fill('x');
    own.write('\n', 39_999);
    const line = own.subarray(0, 39_999);
    expect(new ByteBlocks().settleLine(line)).toBe(line);
    own.write('y', 39_999);
    const settled = new ByteBlocks().settleLine(line);
    expect(settled).toEqual(line);
    expect(behind(settled)).toBe('\n');
  });
});

function behind({ buffer, byteOffset, length }: Buffer): string {
  return Buffer.from(buffer, byteOffset + length, 1).toString();
}
