import { join } from 'node:path';
import { describe, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { storeConformance } from '../../../src/testing/store-conformance.ts';
import { openInline, temporaryFolder } from './sqlite-harness.ts';

describe('the store in a SQLite file', () => {
  const paths = new WeakMap<Store, string>();
  const open = async (path: string): Promise<Store> => {
    const store = await openInline(path);
    paths.set(store, path);
    return store;
  };
  const subject = {
    open: () => open(join(temporaryFolder(), 'troupe.db')),
    reopen: (store: Store) => open(paths.get(store) ?? ''),
  };

  for (const { name, run } of storeConformance(subject)) it(name, run);
});
