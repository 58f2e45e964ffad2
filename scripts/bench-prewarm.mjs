// How long a start takes until the session is ready, with a process of a pool and without: the real CLI, the same options.
import { performance } from 'node:perf_hooks';
import { createSupervisor } from '../dist/src/index.js';
import { findRealCli, realCliHome } from '../dist/src/testing/index.js';

const ROUNDS = 5;

export async function run() {
  const cli = await findRealCli();
  if (cli === undefined) return console.log('The real claude CLI is not installed: run npm ci.');
  const home = await realCliHome();
  const supervisor = createSupervisor({ pathToClaudeCodeExecutable: cli, reap: 'off' });
  const options = { cwd: home.cwd, env: home.env };
  const took = { cold: [], warm: [] };
  try {
    // In turns, so that both meet the same machine.
    for (let round = 0; round < ROUNDS; round += 1) {
      took.cold.push(await startMs(supervisor, options));
      // The pool starts another in place of the one that was taken: the next cold start shall not meet it.
      const pool = await supervisor.prewarm(options);
      took.warm.push(await startMs(supervisor, options));
      await pool.close();
    }
  } finally {
    await supervisor.shutdown();
    await home.dispose();
  }
  const [cold, warm] = [median(took.cold), median(took.warm)];
  console.table({
    'a start of its own': { 'p50 ms': Math.round(cold), 'of a cold one': '1.00' },
    'with a warm process': { 'p50 ms': Math.round(warm), 'of a cold one': (warm / cold).toFixed(2) },
  });
  return { cold, warm };
}

async function startMs(supervisor, options) {
  const begin = performance.now();
  const session = await supervisor.start(options);
  const tookMs = performance.now() - begin;
  await session.close();
  return tookMs;
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
