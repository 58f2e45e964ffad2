// Many sessions live through everything that can happen to one, for half an hour, and what the host keeps is looked at:
// `npm run soak -- --minutes 30 --sessions 200 --seed 1`, `--json` for all of it. The CLI is a small program in C, so that two
// hundred real processes fit; the store is a file, and is pruned. Exit code 1 when something grows, or is left at the end.
// `--leak heap|timers|files|processes` plants a leak: then it has to fail. Linux, a C compiler. See docs/proving.md.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Crowd } from './soak/crowd.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    sessions: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    every: { type: 'string', default: '10' },
    leak: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [minutes, sessions, seed, every] = ['minutes', 'sessions', 'seed', 'every'].map((name) => Number(values[name]));
if (![minutes, sessions, seed, every].every((number) => number > 0)) refuse('Every number must be above 0.');
if (process.platform !== 'linux' || globalThis.gc === undefined) refuse('It runs on Linux, and by npm run soak.');

/** By how much each may grow over the whole run: less is nothing that would ever matter. */
const MEASURES = {
  heapMB: 6,
  externalMB: 6,
  rssMB: 48,
  files: 10,
  timers: 20,
  handles: 10,
  processes: 15,
  storeMB: 12,
  // It keeps the size it once had, up to its limit of 64 MB (`journal_size_limit`), and is written from its beginning again.
  walMB: 64,
};
/** A look is small, and a leak must be seen in all of it. */
const leaked = [];

register('./typescript-loader.mjs', import.meta.url);
const { verdictOf } = await import('../test/soak/verdict.ts');

const folder = mkdtempSync(join(tmpdir(), 'troupe-soak-'));
const cli = join(folder, 'soak-cli');
execFileSync(process.env['CC'] ?? 'cc', ['-O2', '-o', cli, fileURLToPath(new URL('soak/soak-cli.c', import.meta.url))]);
const store = join(folder, 'store');
const before = look();
const leaving = new AbortController();
process.once('SIGINT', () => leaving.abort());

const crowd = await Crowd.open({ cli, store, sessions, seed });
if (!values.json)
  console.log(`${sessions} sessions for ${minutes} minutes, seed ${seed}, a look each ${every} s, at rest`);
const looks = await watch();
await crowd.close();
for (const { kill } of leaked) kill?.();
const left = await whatIsLeft();
rmSync(folder, { recursive: true, force: true });
report();

async function watch() {
  const found = [];
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end && !leaving.signal.aborted) {
    await wait(every * 1000, undefined, { signal: leaving.signal }).catch(() => {});
    plant();
    // At rest: what the host holds for work that runs just then depends on how busy the machine is.
    const goOn = await crowd.rest();
    await collected();
    found.push({ ...look(), ...crowd.counts() });
    goOn();
    if (!values.json) tell(found.at(-1));
  }
  return found;
}

/** Memory beside the heap is given back by another thread, some time after a collection. */
async function collected() {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await wait(100);
  }
}

function look() {
  globalThis.gc();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((name) => name === 'Timeout').length;
  const mb = (bytes) => Math.round(bytes / 2 ** 14) / 64;
  return {
    heapMB: mb(heapUsed),
    externalMB: mb(external + arrayBuffers),
    rssMB: mb(rss),
    files: readdirSync('/proc/self/fd').length,
    timers,
    handles: resources.length - timers,
    processes: childrenOf(process.pid).length,
    storeMB: mb(bytesIn((name) => name.startsWith('store') && !name.endsWith('-wal'))),
    walMB: mb(bytesIn((name) => name.endsWith('-wal'))),
  };
}

function bytesIn(isMeant) {
  const names = readdirSync(folder).filter(isMeant);
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Also those of its threads: each may have started some. */
function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      return [];
    }
  });
}

/** What the host holds when everything is closed, and did not hold before. */
async function whatIsLeft() {
  const limits = {
    files: before.files + 2,
    timers: before.timers,
    handles: before.handles,
    processes: before.processes,
  };
  let over = [];
  // Sockets are closed by the loop after they were let go of.
  for (let round = 0; round < 50; round += 1) {
    const now = look();
    over = Object.entries(limits)
      .filter(([name, most]) => now[name] > most)
      .map(([name, most]) => `${name}: ${now[name]}, at most ${most}`);
    if (over.length === 0) break;
    await wait(100);
  }
  return over;
}

function plant() {
  if (values.leak === 'heap') leaked.push(Array.from({ length: 40_000 }, (_, at) => ({ at })));
  if (values.leak === 'timers') for (let at = 0; at < 3; at += 1) leaked.push(setTimeout(() => {}, 2 ** 30).unref());
  if (values.leak === 'files') for (let at = 0; at < 3; at += 1) leaked.push(openSync('/dev/null'));
  if (values.leak === 'processes') {
    const child = spawn('sleep', ['3600'], { stdio: 'ignore' });
    leaked.push({ kill: () => child.kill('SIGKILL') });
  }
}

function tell(seen) {
  const cells = [...Object.keys(MEASURES), 'rounds', 'failed'].map((name) => `${name} ${seen[name]}`);
  console.log(cells.join('  '));
}

function report() {
  const rows = Object.entries(MEASURES).map(([name, allowance]) => {
    const series = looks.map((one) => one[name]);
    const { is, growth, allowed } = verdictOf(series, allowance);
    const round = (number) => Math.round((number ?? 0) * 10) / 10;
    const third = Math.ceil(series.length / 3);
    const highest = Math.max(0, ...series.slice(-third));
    return {
      measure: name,
      before: before[name],
      first: series[0],
      last: series.at(-1),
      highest,
      growth: round(growth),
      allowed: round(allowed),
      verdict: is,
    };
  });
  const { rounds, deeds, failed, reasons } = crowd.counts();
  const grows = rows.filter(({ verdict }) => verdict === 'grows');
  const isGood = grows.length === 0 && left.length === 0 && failed === 0;
  process.exitCode = isGood ? 0 : 1;
  if (values.json) {
    console.log(JSON.stringify({ minutes, sessions, seed, rounds, deeds, failed, reasons, rows, left, isGood, looks }));
    return;
  }
  console.table(rows);
  console.log(`${rounds} sessions began and ended, ${JSON.stringify(deeds)}`);
  if (failed > 0) console.log(`${failed} deeds failed: ${reasons.join('; ')}`);
  console.log(left.length === 0 ? 'Nothing is left.' : `Left: ${left.join('; ')}`);
  const isShort = rows.some(({ verdict }) => verdict === 'too-short');
  const verdict = isShort ? 'too short to tell: fewer than 16 looks' : 'flat';
  console.log(grows.length === 0 ? verdict : `grows: ${grows.map(({ measure }) => measure).join(', ')}`);
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}
