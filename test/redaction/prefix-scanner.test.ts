import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrefixScanner } from '../../src/redaction/prefix-scanner.ts';

const TEXTS = ['abca', 'abcb', 'bcab', 'aaaa', 'cabbage', 'bbbbbbbb'];

describe('a scanner for prefixes (P11)', () => {
  it('finds what a search place by place finds, from every place on', () => {
    const scanner = new PrefixScanner(TEXTS.map((text) => Buffer.from(text)));
    const input = fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'g', 'e'), maxLength: 60 }), fc.nat(20));
    fc.assert(
      fc.property(input, ([text, from]) => {
        expect(scanner.next(Buffer.from(text), from)).toEqual(searched(text, from));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(TEXTS)('finds %s at every place of a text, also as its end', (whole) => {
    const scanner = new PrefixScanner(TEXTS.map((text) => Buffer.from(text)));
    for (let before = 0; before < 8; before += 1) {
      const text = `${'-'.repeat(before)}${whole}`;
      expect(scanner.next(Buffer.from(text), 0)).toEqual({ start: before, end: text.length });
      expect(scanner.next(Buffer.from(text.slice(0, -1)), 0)).toBeUndefined();
    }
  });
});

function searched(text: string, from: number): { start: number; end: number } | undefined {
  for (let start = from; start < text.length; start += 1) {
    const found = TEXTS.find((whole) => text.startsWith(whole, start));
    if (found !== undefined) return { start, end: start + found.length };
  }
  return undefined;
}
