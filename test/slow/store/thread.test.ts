import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeConformance } from '../../../src/testing/store-conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the store in a SQLite file, in its own threads', () => {
  const paths = new WeakMap<Store, string>();
  const open = async (path: string): Promise<Store> => {
    const store = await openSqliteStore(path);
    paths.set(store, path);
    return store;
  };
  const subject = {
    open: () => open(nextPath()),
    reopen: (store: Store) => open(paths.get(store) ?? ''),
  };

  for (const { name, run } of storeConformance(subject)) it(name, run);
});

function nextPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}
