import { performance } from 'node:perf_hooks';

const MODULES = { troupe: '../../../dist/src/index.js', sdk: '@anthropic-ai/claude-agent-sdk' };

/** How long the first import takes. */
export async function run({ adapter }) {
  const begin = performance.now();
  await import(MODULES[adapter]);
  return { importMs: performance.now() - begin, residentMb: process.memoryUsage.rss() / 2 ** 20 };
}
