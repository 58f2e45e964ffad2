import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/slow/**'],
          setupFiles: ['test/fixed-chance.ts'],
          // Some walk through every state a machine can get to: seconds on a busy machine.
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          globalSetup: ['test/slow/build-first.ts'],
          setupFiles: ['test/fixed-chance.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // The default, a second, is less than a busy machine needs to start a process.
          expect: { poll: { timeout: 20_000 } },
          maxWorkers: 2,
          // After the fast ring, so that subprocesses have the machine to themselves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
