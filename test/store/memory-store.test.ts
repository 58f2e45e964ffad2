import { describe, it } from 'vitest';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { storeConformance } from '../../src/testing/store-conformance.ts';

describe('the store in memory', () => {
  for (const { name, run } of storeConformance({ open: async () => new MemoryStore() })) it(name, run);
});
