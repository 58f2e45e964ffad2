import { describe, expect, it } from 'vitest';
import { createRandom } from '../chaos/random.ts';
import { fuzz } from './fuzz-loop.ts';
import { mutated } from './mutation.ts';
import { type FuzzTarget, holds } from './target.ts';
import { TARGETS, targetNamed } from './targets.ts';

/** Opened only by four bytes in a row: a blind search finds them once in four thousand million inputs. */
function lock(input: Buffer): void {
  if (input[0] !== 0x54) return;
  if (input[1] !== 0x52) return;
  if (input[2] !== 0x50) return;
  holds(input[3] !== 0x45, 'It was opened.');
}

const locked: FuzzTarget = {
  name: 'lock',
  promise: 'It stays locked.',
  format: 'bytes',
  isGuided: true,
  seeds: () => [Buffer.from('aaaa')],
  open: () => ({ run: lock }),
};
const counts = (url: string) => url.includes('fuzz-loop.test');

describe('the search for inputs', () => {
  it('goes on from what reached new code: so it finds what chance alone does not', async () => {
    const limits = { seed: 1, runs: 60_000, counts, maxFailures: 1 };
    const { failures, blocks } = await fuzz(locked, limits);
    expect(failures.map(({ message }) => message.split('\n')[0])).toEqual(['Violation: It was opened.']);
    expect(failures[0]?.input.toString()).toBe('TRPE');
    expect(blocks).toBeGreaterThan(3);

    const blind = await fuzz({ ...locked, isGuided: false }, limits);
    expect(blind).toMatchObject({ failures: [], runs: 60_000 });
  });

  it('tells a failure once, by the shortest input that it finds', async () => {
    const run = (input: Buffer) => holds(!input.includes(0), 'There is a zero.');
    const { failures } = await fuzz({ ...locked, isGuided: false, open: () => ({ run }) }, { seed: 2, runs: 3_000 });
    expect(failures.map(({ input }) => [...input])).toEqual([[0]]);
  });

  it('repeats: the same seed gives the same inputs', () => {
    const inputs = (seed: number) => {
      const random = createRandom(seed);
      const seeds = [Buffer.from('{"type":"a","b":[1,2]}\n{"c":null}\n'), Buffer.from('[]')];
      return Array.from({ length: 200 }, (_, at) => mutated(random, 'ndjson', seeds[at % 2] ?? Buffer.alloc(0), seeds));
    };
    expect(inputs(3)).toEqual(inputs(3));
    expect(inputs(3)).not.toEqual(inputs(4));
  });
});

describe('every door that strangers knock at', () => {
  it.each(Object.keys(TARGETS))(
    '%s keeps its promise for what is known and some changes of it (P6, P9, P10)',
    async (name) => {
      const target = await targetNamed(name);
      expect(target.name).toBe(name);
      // Looking at coverage costs more than these few runs.
      const few = { ...target, isGuided: false, seeds: () => target.seeds().slice(0, target.isGuided ? 30 : 8) };
      const { failures, runs } = await fuzz(few, { seed: 1, runs: target.isGuided ? 80 : 12 });
      expect(failures).toEqual([]);
      expect(runs).toBeGreaterThan(11);
    },
  );
});
