import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/permissions/canonical-json.ts';

describe('canonical JSON', () => {
  it('is the same for the same fields in any order, at any depth', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe(canonicalJson({ a: 1, b: [{ c: 2, d: 1 }] }));
  });

  it('keeps the order of lists, and tells data apart that differs', () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
    expect(canonicalJson({ a: undefined })).toBe(canonicalJson({}));
    expect(canonicalJson(undefined)).toBe('undefined');
  });

  it('says the same as the value itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps a field named __proto__', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1}}');
  });
});
