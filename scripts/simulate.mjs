// Plays seeded worlds of supervisors, sessions, stores, clients and CLIs on a clock that is not real, and looks at every promise
// after every step. `npm run simulate -- --runs 20000 --seed 1`; a failure names the seed and the smallest script that repeats it.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { simulationProgram } from './simulation-program.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
});
const [runs, seed, lanes] = ['runs', 'seed', 'lanes'].map((name) => wholeNumber(name, values[name]));

/** What a run leaves behind is gone before it counts as old. */
const YOUNG_MEMORY = ['--max-semi-space-size=32'];

const begin = performance.now();
const share = Math.ceil(runs / lanes);
const stretches = Array.from({ length: lanes }, (_, lane) => ({
  from: seed + lane * share,
  runs: Math.max(0, Math.min(share, runs - lane * share)),
})).filter((stretch) => stretch.runs > 0);
const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
// A signal alone would end neither the lanes nor what lies in the temporary folder.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
const program = await simulationProgram();
const { coverageOf } = await import(pathToFileURL(program.file).href);
const [models, ...reports] = await Promise.all([walkModels(), ...stretches.map(runInProcess)]);
program.remove();
const machines = coverageOf(
  reports.flatMap(({ seen }) => seen),
  models,
);
const sum = (name) => reports.reduce((total, report) => total + report[name], 0);
const failures = reports.flatMap((report) => report.failures);
const isCovered = machines.every(({ missing, deadEnds }) => missing.length + deadEnds.length === 0);
const [events, steps, faults, hosts, processes] = ['events', 'steps', 'faults', 'hosts', 'processes'].map(sum);
const tookMs = Math.round(performance.now() - begin);

if (values.json) {
  console.log(JSON.stringify({ runs, seed, tookMs, events, steps, faults, hosts, processes, failures, machines }));
} else {
  for (const { machine, parts, covered, bySimulation, missing, deadEnds } of machines) {
    console.log(`${machine}: ${covered} of ${parts} states and transitions, ${bySimulation} of them in the simulation`);
    for (const part of missing) console.log(`  never seen: ${part}`);
    for (const place of deadEnds) console.log(`  no end can be reached from ${place}`);
  }
  for (const { seed: failed, violations, script } of failures) {
    console.log(`FAILED seed ${failed}: npm run simulate -- --runs 1 --seed ${failed}`);
    for (const { promise, words, step } of violations) console.log(`  ${promise} after step ${step}: ${words}`);
    console.log(`  smallest script: ${JSON.stringify(script)}`);
  }
  const seconds = Math.round(tookMs / 1000);
  console.log(
    `${runs} runs from seed ${seed}, ${failures.length} failed, ${seconds} s; ${events} events through the supervisor, ${steps} steps, ${faults} faults, ${hosts} hosts, ${processes} processes`,
  );
}
process.exitCode = failures.length === 0 && isCovered ? 0 : 1;

function runInProcess({ from, runs: count }) {
  const lane = fileURLToPath(new URL('./simulate-lane.mjs', import.meta.url));
  const args = [...YOUNG_MEMORY, lane, program.file, String(from), String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      children.delete(child);
      if (code === 0) resolve(JSON.parse(Buffer.concat(chunks).toString()));
      else reject(new Error(`The runs from seed ${from} ended with exit code ${code}.`));
    });
  });
}

function walkModels() {
  const walk = new Worker(new URL('./simulate-models.mjs', import.meta.url), { workerData: program.file });
  return new Promise((resolve, reject) => {
    walk.once('message', resolve);
    walk.once('error', reject);
  });
}

function wholeNumber(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0.`);
  process.exit(2);
}
