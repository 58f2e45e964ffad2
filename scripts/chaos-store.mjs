// Kills hosts with a store at random moments, starts them again, and looks whether anything that was promised to their client
// is lost, done twice or invented. `npm run chaos:store -- --runs 300 --seed 1`; a failed run names the seed that repeats it.
// Needs dist and Linux.
import { register } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '2' },
    /** Only runs of one kind: fake, real, crowd. */
    kind: { type: 'string' },
    /** Who starts the processes of all runs: direct, always (a spawner). Without it: of half of them a spawner. */
    spawner: { type: 'string' },
    /** Breaks a promise on purpose, to see it noticed: early-acknowledgement, no-deduplication. */
    sabotage: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [runs, seed, lanes] = ['runs', 'seed', 'lanes'].map((name) => wholeNumber(name, values[name]));
const kind = oneOf('kind', ['fake', 'real', 'crowd']);
const spawner = oneOf('spawner', ['direct', 'always']);
const sabotage = oneOf('sabotage', ['early-acknowledgement', 'no-deduplication']);

register('./typescript-loader.mjs', import.meta.url);
const { runStoreCampaign } = await import('../test/chaos-store/store-campaign.ts');

const begin = performance.now();
let done = 0;
let failed = 0;
if (!values.json) console.log(`${runs} runs from seed ${seed}, ${lanes} at a time`);
const reports = await runStoreCampaign({ runs, seed, lanes, only: kind, spawner, sabotage, onReport: tell });
const tookMs = Math.round(performance.now() - begin);
const sum = (name) => reports.reduce((total, report) => total + report[name], 0);
const slowest = (some) => Math.round(Math.max(0, ...some.map(({ recoveryMs }) => recoveryMs)));
const summary = {
  runs,
  seed,
  failed,
  tookMs,
  kills: sum('kills'),
  handovers: sum('handovers'),
  prompts: sum('prompts'),
  decisions: sum('decisions'),
  events: sum('events'),
  slowestRecoveryMs: slowest(reports),
  slowestRecoveryOfFiftyMs: slowest(reports.filter(({ sessions }) => sessions >= 50)),
};
if (values.json) console.log(JSON.stringify({ ...summary, reports }));
else {
  console.log(
    `${runs} runs, ${failed} failed, ${Math.round(tookMs / 1000)} s; ${summary.kills} hosts killed, ${summary.handovers} handed over`,
  );
  console.log(`${summary.prompts} prompts, ${summary.decisions} decisions, ${summary.events} events`);
  console.log(
    `slowest recovery ${summary.slowestRecoveryMs} ms, of fifty sessions ${summary.slowestRecoveryOfFiftyMs} ms`,
  );
}
process.exitCode = failed === 0 ? 0 : 1;

function tell(report) {
  done += 1;
  if (report.failures.length > 0) {
    failed += 1;
    console.error(`FAILED ${report.plan}\n  ${report.failures.join('\n  ')}`);
    const given = Object.entries({ kind, spawner, sabotage }).filter(([, value]) => value !== undefined);
    const more = given.map(([name, value]) => ` --${name} ${value}`);
    console.error(`  repeat: npm run chaos:store -- --runs 1 --seed ${report.seed}${more.join('')}`);
  }
  if (done % 10 === 0 || done === runs) console.error(`${done} of ${runs}, ${failed} failed`);
}

function wholeNumber(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0.`);
  process.exit(2);
}

function oneOf(name, words) {
  const value = values[name];
  if (value === undefined || words.includes(value)) return value;
  console.error(`--${name} must be one of ${words.join(', ')}.`);
  process.exit(2);
}
