import { expect, it } from 'vitest';
import { formatCost } from '../../src/wire/cost-text.ts';

it.each([
  [0.0234, '$0.0234'],
  [12.5, '$12.5000'],
  [0, '$0.0000'],
  [0.00001, '<$0.0001'],
  [undefined, 'unknown'],
  [Number.NaN, 'unknown'],
  [Number.POSITIVE_INFINITY, 'unknown'],
  [-1, 'unknown'],
])('%s US dollars read %s: what is not known is never $0 (R84)', (usd, text) => {
  expect(formatCost(usd)).toBe(text);
});
