import { describe, expect, it } from 'vitest';
import { createRandom } from '../chaos/random.ts';
import { verdictOf } from './verdict.ts';

const ALLOWANCE = 4;

describe('the verdict of a soak (P10)', () => {
  it.each([
    ['nothing but noise', (at: number, noise: number) => 100 + noise * 30 + at * 0],
    [
      'a start that takes time, and then noise',
      (at: number, noise: number) => 100 * (1 - Math.exp(-at / 6)) + noise * 10,
    ],
    ['a saw: it fills and is emptied', (at: number, noise: number) => 80 + (at % 13) * 4 + noise],
    ['single peaks', (at: number, noise: number) => 100 + noise + (at % 17 === 0 ? 400 : 0)],
    ['one step, once', (at: number, noise: number) => (at < 50 ? 100 : 140) + noise * 3],
    ['less and less', (at: number, noise: number) => 200 - at + noise],
  ])('is "flat" for %s, whatever the chance', (_, shape) => {
    for (let seed = 1; seed <= 50; seed += 1) expect(verdictOf(series(shape, seed), ALLOWANCE).is).toBe('flat');
  });

  it.each([
    ['a little with each look', (at: number, noise: number) => 100 + at * 0.3 + noise * 3],
    ['a little, under peaks', (at: number, noise: number) => 100 + at * 0.5 + noise * 3 + (at % 17 === 0 ? 400 : 0)],
    ['a saw whose teeth climb', (at: number, noise: number) => 80 + (at % 7) * 2 + at * 0.6 + noise],
    ['handles that are never let go of', (at: number) => 20 + Math.floor(at / 5)],
  ])('is "grows" for %s, whatever the chance', (_, shape) => {
    for (let seed = 1; seed <= 50; seed += 1) expect(verdictOf(series(shape, seed), ALLOWANCE).is).toBe('grows');
  });

  it('says nothing of a few looks', () => {
    expect(verdictOf([1, 2, 3, 4, 5, 6, 7, 8], ALLOWANCE).is).toBe('too-short');
  });
});

function series(shape: (at: number, noise: number) => number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: 100 }, (_, at) => shape(at, random.next() + random.next() - 1));
}
