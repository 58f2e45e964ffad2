// What a store in a file keeps up with: a hundred sessions that write at a given pace, one line per change, and how long each
// waits until it is durable; beside it the most that goes through, and what a plain file with as many syncs would do.
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteStore } from '../dist/src/index.js';

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);
const SESSIONS = 100;
const DATA = Buffer.alloc(200, 'x');
// More than the 40 000 that are promised, so that the end of the run, when the last are waited for, does not decide.
const PACE = 50_000;
const SECONDS = Number(process.env['TROUPE_BENCH_SECONDS'] ?? 5);
/** What arrives between two looks at the pipes. */
const TICK_MS = 4;
const COMMIT_MS = 10;

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  try {
    console.log(`${SESSIONS} sessions, lines of ${DATA.length} bytes, load of the machine ${loadavg()[0]?.toFixed(1)}`);
    const limit = plainFile(join(folder, 'plain'));
    const paced = await atPace(await openSqliteStore(join(folder, 'paced.db')));
    const most = await unbounded(await openSqliteStore(join(folder, 'most.db')));
    const rows = {
      'a plain file, a sync for each 400 lines': { 'lines per s': Math.round(limit) },
      'the store, as fast as it goes': row(most, limit),
      [`the store, at ${PACE} lines per s`]: row(paced, limit),
    };
    console.table(rows);
    if (process.argv.includes('--write')) writeDocument(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The section of docs/performance.md that holds these figures. */
function writeDocument(rows) {
  const columns = [...new Set(Object.values(rows).flatMap((cells) => Object.keys(cells)))];
  const lines = Object.entries(rows).map(([name, cells]) => [name, ...columns.map((column) => cells[column] ?? '')]);
  const table = [['', ...columns], new Array(columns.length + 1).fill('---'), ...lines];
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)} at the end, ${SESSIONS} sessions, ${SECONDS} s each.`;
  const section = [machine, '', ...table.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(
    DOCUMENT,
    text.replace(/(<!-- store figures -->\n)[\s\S]*?(\n<!-- end of store figures -->)/, `$1${section}$2`),
  );
}

function row({ rate, acknowledged, gap, busy, cpuUs }, limit) {
  return {
    'lines per s': Math.round(rate),
    'of the plain file': (rate / limit).toFixed(2),
    'acknowledged p50 ms': acknowledged(50).toFixed(1),
    'p99 ms': acknowledged(99).toFixed(1),
    'loop gap p99 ms': gap.toFixed(1),
    'CPU µs per line': cpuUs.toFixed(1),
    'main thread busy': `${(busy * 100).toFixed(0)} %`,
  };
}

/** Writes what a commit would hold, and waits for the disk: the most that a store without any order could do. */
function plainFile(path) {
  const lines = Buffer.concat(new Array((PACE * COMMIT_MS) / 1_000).fill(Buffer.concat([DATA, Buffer.from('\n')])));
  const file = openSync(path, 'w');
  const started = performance.now();
  let count = 0;
  while (performance.now() - started < 2_000) {
    writeSync(file, lines);
    fdatasyncSync(file);
    count += (PACE * COMMIT_MS) / 1_000;
  }
  closeSync(file);
  return (count * 1_000) / (performance.now() - started);
}

async function atPace(store) {
  const meter = new Meter(store);
  while (meter.elapsedMs < SECONDS * 1_000) {
    const due = Math.floor((meter.elapsedMs * PACE) / 1_000);
    while (meter.sent < due) {
      meter.send();
      if (meter.sent % 1_000 === 0) await store.room();
    }
    await wait(TICK_MS);
  }
  return await meter.end();
}

async function unbounded(store) {
  const meter = new Meter(store);
  while (meter.elapsedMs < SECONDS * 1_000) {
    for (let count = 0; count < 200; count += 1) meter.send();
    await store.room();
    await new Promise(setImmediate);
  }
  return await meter.end();
}

class Meter {
  #store;
  #last = new Array(SESSIONS).fill(0);
  #latencies = [];
  #open = [];
  #gaps = monitorEventLoopDelay({ resolution: 1 });
  #before = performance.eventLoopUtilization();
  #started = performance.now();
  #cpu = process.cpuUsage();
  sent = 0;

  constructor(store) {
    this.#store = store;
    this.#gaps.enable();
  }

  get elapsedMs() {
    return performance.now() - this.#started;
  }

  send() {
    const session = this.sent % SESSIONS;
    this.#last[session] += 1;
    this.sent += 1;
    const at = performance.now();
    const event = { seq: this.#last[session], epoch: 1, at: 1_700_000_000_000, type: 'message/assistant', data: DATA };
    const kept = this.#store.append({ sessionId: `session-${session}`, epoch: 1, events: [event] });
    this.#open.push(kept.then(() => void this.#latencies.push(performance.now() - at)));
  }

  async end() {
    await Promise.all(this.#open);
    const rate = (this.sent * 1_000) / this.elapsedMs;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#gaps.disable();
    const { utilization } = performance.eventLoopUtilization(this.#before);
    await this.#store.close();
    const sorted = this.#latencies.toSorted((one, other) => one - other);
    const acknowledged = (percent) => sorted[Math.floor((sorted.length * percent) / 100)] ?? 0;
    return {
      rate,
      acknowledged,
      gap: this.#gaps.percentile(99) / 1e6,
      busy: utilization,
      cpuUs: (user + system) / this.sent,
    };
  }
}
