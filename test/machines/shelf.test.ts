import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drop, emptyShelf, entriesOf, lookUp, put } from '../../machines/budget/shelf.ts';

const Id = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', '', '12'), fc.string({ maxLength: 3 }));
const Step = fc.oneof(
  fc.record({ put: fc.array(fc.tuple(Id, fc.integer()), { maxLength: 4 }) }),
  fc.record({ drop: fc.array(Id, { maxLength: 3 }) }),
);

it('a shelf says what a map says, in the same order, and what was there before stays as it was (P10)', () => {
  fc.assert(
    fc.property(fc.array(Step, { maxLength: 40 }), (steps) => {
      const map = new Map<string, number>();
      let shelf = emptyShelf<number>();
      for (const step of steps) {
        const [former, before] = [shelf, entriesOf(shelf)];
        if ('put' in step) {
          for (const [id, value] of step.put) map.set(id, value);
          shelf = put(shelf, step.put);
        } else {
          for (const id of step.drop) map.delete(id);
          shelf = drop(shelf, step.drop);
        }
        expect(entriesOf(former)).toEqual(before);
        expect(entriesOf(shelf)).toEqual([...map]);
        expect(shelf.size).toBe(map.size);
        for (const [id, value] of map) expect(lookUp(shelf, id)).toBe(value);
        expect(lookUp(shelf, 'toString')).toBe(map.get('toString'));
      }
      expect(entriesOf(JSON.parse(JSON.stringify(shelf)))).toEqual([...map]);
    }),
  );
});
