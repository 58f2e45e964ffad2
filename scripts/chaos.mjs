// Plays seeded runs in which hosts and CLIs are killed, stopped and signalled at random moments, and looks at what is left.
// `npm run chaos -- --runs 300 --seed 1`; a failed run names the seed that repeats it. Needs dist and Linux.
import { register } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '3' },
    /** Who starts the processes of all runs: direct, always (a spawner). Without it: of half of them a spawner. */
    spawner: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [runs, seed, lanes] = ['runs', 'seed', 'lanes'].map((name) => wholeNumber(name, values[name]));

const { spawner } = values;
if (spawner !== undefined && spawner !== 'direct' && spawner !== 'always') {
  console.error('--spawner must be direct or always.');
  process.exit(2);
}

register('./typescript-loader.mjs', import.meta.url);
const { runCampaign } = await import('../test/chaos/campaign.ts');

const begin = performance.now();
let done = 0;
let failed = 0;
if (!values.json) console.log(`${runs} runs from seed ${seed}, ${lanes} at a time`);
const reports = await runCampaign({ runs, seed, lanes, spawner, onReport: tell });
const tookMs = Math.round(performance.now() - begin);
const slowestMs = Math.round(Math.max(0, ...reports.map(({ goneAfterMs }) => goneAfterMs)));
if (values.json) console.log(JSON.stringify({ runs, seed, failed, tookMs, slowestMs, reports }));
else
  console.log(`${runs} runs, ${failed} failed, ${Math.round(tookMs / 1000)} s; everybody gone within ${slowestMs} ms`);
process.exitCode = failed === 0 ? 0 : 1;

function tell(report) {
  done += 1;
  if (report.failures.length > 0) {
    failed += 1;
    console.error(`FAILED ${report.plan}\n  ${report.failures.join('\n  ')}`);
    const more = spawner === undefined ? '' : ` --spawner ${spawner}`;
    console.error(`  repeat: npm run chaos -- --runs 1 --seed ${report.seed}${more}`);
  }
  if (done % 10 === 0 || done === runs) console.error(`${done} of ${runs}, ${failed} failed`);
}

function wholeNumber(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0.`);
  process.exit(2);
}
