// Two ways to try what nobody thought of.
//
// `npm run fuzz -- --minutes 5` knocks at every door of the library with inputs that change from one to the next, for that
// long: `--seed S` begins elsewhere, `--target codecs,http` tries only these, `--input FILE --target http` one input again.
// Ctrl-C, or SIGTERM, ends it with its report. Exit code 1 when something did not hold; see docs/proving.md.
//
// `npm run fuzz -- --times 200 --seed 1 test/slow/permissions` tries the properties of the tests with a seed of its own, and
// so many times as often as a build does. A failure names the seed that repeats it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    minutes: { type: 'string' },
    target: { type: 'string' },
    input: { type: 'string' },
    lanes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    json: { type: 'boolean', default: false },
  },
});
const [times, seed, lanes] = [Number(values.times), Number(values.seed), Number(values.lanes)];
const minutes = Number(values.minutes ?? 1);
if (![times, lanes].every((number) => Number.isInteger(number) && number >= 1) || !Number.isInteger(seed)) {
  refuse('--times, --lanes and --seed are whole numbers.');
}
if (!(minutes > 0)) refuse('--minutes is a number above 0.');
const isCampaign = values.minutes !== undefined || values.target !== undefined || values.input !== undefined;
if (isCampaign) await campaign();
else properties();

async function campaign() {
  register('./typescript-loader.mjs', import.meta.url);
  const { runCampaign } = await import('../test/fuzz/campaign.ts');
  const { TARGETS } = await import('../test/fuzz/targets.ts');
  const targets = values.target?.split(',') ?? [];
  const unknown = targets.find((name) => !(name in TARGETS));
  if (unknown !== undefined) refuse(`There is no target ${unknown}. There are: ${Object.keys(TARGETS).join(', ')}.`);
  if (values.input !== undefined && targets.length !== 1) refuse('--input needs one --target.');
  const input = values.input === undefined ? undefined : readFileSync(values.input);

  const leaving = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leaving.abort());
  if (!values.json) console.log(`seed ${seed}, ${minutes} minutes, ${lanes} at a time`);
  const reports = await runCampaign({ minutes, seed, targets, lanes, input, signal: leaving.signal, onTurn: tellTurn });
  const failed = reports.reduce((sum, { failures }) => sum + failures.length, 0);
  const runs = reports.reduce((sum, report) => sum + report.runs, 0);
  if (values.json) console.log(JSON.stringify({ seed, minutes, runs, failed, reports }));
  else tellReports(reports, runs, failed);
  process.exitCode = failed === 0 ? 0 : 1;
}

function tellTurn({ target, runs, failures }) {
  if (process.stderr.isTTY) console.error(`  ${target}: ${runs} runs, ${failures.length} failed`);
}

function tellReports(reports, runs, failed) {
  console.log('target            runs      blocks  kept  failed');
  for (const { target, runs: own, blocks = '', corpus, failures } of reports) {
    const kept = blocks === '' ? '' : corpus;
    const cells = [String(own).padStart(10), String(blocks).padStart(10), String(kept).padStart(6)];
    console.log(`${target.padEnd(12)}${cells.join('')}${String(failures.length).padStart(8)}`);
  }
  for (const { target, failures } of reports) {
    for (const { message, file, seed: own } of failures) {
      console.error(`\nFAILED ${target}: ${message}`);
      console.error(`  repeat: npm run fuzz -- --target ${target} --input ${file}`);
      console.error(`  found with: npm run fuzz -- --target ${target} --seed ${own}`);
    }
  }
  console.log(`${runs} inputs, ${failed} failed`);
}

function properties() {
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
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}
