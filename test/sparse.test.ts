import { describe, expect, it } from 'vitest';
import { SparseMap, SparseSet } from '../src/sparse.ts';

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
