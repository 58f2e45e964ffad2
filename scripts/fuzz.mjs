// Tries every property of the tests with a seed of its own, and more often than a build does: `npm run fuzz -- --times 200
// --seed 1 test/slow/permissions`. A failure names the seed that repeats it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const [times, seed] = [Number(values.times), Number(values.seed)];
if (!Number.isInteger(times) || times < 1 || !Number.isInteger(seed)) {
  console.error('--times and --seed are whole numbers');
  process.exit(2);
}

const files = readdirSync('test', { recursive: true })
  .map((name) => `test/${name}`)
  .filter((name) => name.endsWith('.test.ts') && readFileSync(name, 'utf8').includes("from 'fast-check'"))
  .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
console.log(`${files.length} files, ${times} times as often as a build, seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=3600000', ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, TROUPE_FUZZ_FACTOR: String(times), TROUPE_FUZZ_SEED: String(seed) },
  },
);
process.exitCode = status ?? 1;
