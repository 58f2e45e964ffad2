import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { FAST_TEMPORARY_FOLDER } from './test/fast-temporary-folder.ts';
import { LongestFirst } from './test/longest-first.ts';

/** The examples import the package by its name; here that is the source. */
const alias = [
  { find: /^troupe$/, replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)) },
  { find: /^troupe\/machines$/, replacement: fileURLToPath(new URL('machines/index.ts', import.meta.url)) },
  { find: /^troupe\/server$/, replacement: fileURLToPath(new URL('src/server/index.ts', import.meta.url)) },
  { find: /^troupe\/client$/, replacement: fileURLToPath(new URL('src/client/index.ts', import.meta.url)) },
  { find: /^troupe\/testing$/, replacement: fileURLToPath(new URL('src/testing/index.ts', import.meta.url)) },
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'fast',
          // Pure specs leave nothing behind, so the modules they share are read once.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/slow/**'],
          globalSetup: ['test/fast-temporary-folder.ts'],
          env: { TMPDIR: FAST_TEMPORARY_FOLDER },
          setupFiles: ['test/fixed-chance.ts'],
          // Some walk through every state a machine can get to: seconds on a busy machine.
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          globalSetup: ['test/slow/build-first.ts'],
          setupFiles: ['test/fixed-chance.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // The default, a second, is less than a busy machine needs to start a process.
          expect: { poll: { timeout: 20_000 } },
          // More than there are cores in continuous integration: half of the time everybody waits for a process.
          maxWorkers: 3,
          // After the fast ring, so that subprocesses have the machine to themselves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
