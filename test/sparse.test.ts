import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatestMap, SparseMap, SparseSet } from '../src/sparse.ts';

describe('what is mostly empty', () => {
  it('is a Map in all that is done with it', () => {
    const map = new SparseMap<string, number>();
    expect([map.size, map.get('a'), map.has('a'), map.delete('a'), [...map]]).toEqual([0, undefined, false, false, []]);
    map.set('a', 1).set('b', 2).set('a', 3);
    expect([map.size, map.get('a'), map.has('b'), [...map.keys()], [...map.values()]]).toEqual([
      2,
      3,
      true,
      ['a', 'b'],
      [3, 2],
    ]);
    expect([map.delete('a'), map.delete('a'), map.delete('b'), [...map]]).toEqual([true, false, true, []]);
    map.set('c', 4);
    expect([...map]).toEqual([['c', 4]]);
    map.clear();
    expect([map.size, [...map.values()]]).toEqual([0, []]);
  });

  it('is a Set in all that is done with it', () => {
    const set = new SparseSet<string>();
    expect([set.size, set.has('a'), set.delete('a'), [...set]]).toEqual([0, false, false, []]);
    set.add('a').add('b').add('a');
    expect([set.size, set.has('a'), [...set], [...set.values()]]).toEqual([2, true, ['a', 'b'], ['a', 'b']]);
    expect([set.delete('b'), set.delete('a'), set.delete('a'), [...set]]).toEqual([true, true, false, []]);
    set.add('c');
    set.clear();
    expect([set.size, [...set.values()]]).toEqual([0, []]);
  });

  it('goes on over what is added and taken away on the way, as those do, also at its last entry', () => {
    const set = new SparseSet<string>().add('a').add('b');
    for (const value of set) set.delete(value);
    expect(set.size).toBe(0);
    const map = new SparseMap<string, number>().set('a', 1);
    const seen: string[] = [];
    for (const [key, value] of map) {
      seen.push(key);
      if (value < 3) map.set(`${key}a`, value + 1);
    }
    expect(seen).toEqual(['a', 'aa', 'aaa']);
  });
});

describe('what keeps only the latest', () => {
  const Key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const Step = fc.oneof(
    fc.record({ set: Key }),
    fc.record({ set: Key }),
    fc.record({ drop: Key }),
    fc.record({ clear: fc.constant(true) }),
  );

  it('has those that came in last and were not taken away, in their order, and never more (P9)', () => {
    fc.assert(
      fc.property(fc.nat({ max: 3 }), fc.array(Step, { maxLength: 40 }), (max, steps) => {
        const map = new LatestMap<string, number>(max);
        const model = new Map<string, number>();
        for (const [index, step] of steps.entries()) {
          if ('set' in step) {
            map.set(step.set, index);
            model.set(step.set, index);
            const [oldest] = model.keys();
            if (model.size > max && oldest !== undefined) model.delete(oldest);
          } else if ('drop' in step) expect(map.delete(step.drop)).toBe(model.delete(step.drop));
          else {
            map.clear();
            model.clear();
          }
          expect([...map]).toEqual([...model]);
        }
      }),
    );
  });
});
