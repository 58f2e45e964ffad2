import { describe, expect, it } from 'vitest';
import { readSources, unnameableTypes } from './public-types.ts';

const ENTRIES = [
  'src/index.ts',
  'machines/index.ts',
  'src/wire/index.ts',
  'src/testing/index.ts',
  'src/client/index.ts',
];
const sources = readSources(ENTRIES);

describe('whoever holds a value of ours', () => {
  it.each(ENTRIES)('can write down its type: %s exports every type that its signatures mention', (entry) => {
    expect(unnameableTypes(sources, entry)).toEqual([]);
  });
});
