// What keeping a line costs: in memory, and on the disk. `busy` is the time of the main thread alone: the thread that writes
// has its own. Only the ratios mean something on another machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openSqliteStore } from '../dist/src/index.js';

const { EventLog } = await import('../src/store/event-log.ts');
const { MemoryStore } = await import('../src/store/memory-store.ts');

const SESSIONS = 20;
const DATA = Buffer.alloc(200, 'x');
const LIMITS = { maxItems: 10_000, maxBytes: 16 * 2 ** 20, subscriber: { maxItems: 1_000, maxBytes: 2 ** 20 } };

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const sqlite = (name, options) => openSqliteStore(join(folder, `${name}.db`), options);
  try {
    const rows = [
      await measure('the log in memory, as today', 200_000, () => inMemoryLog),
      await measure('memory store', 100_000, () => oneLineEach(new MemoryStore(), 1)),
      await measure('file, batched, a line per change', 60_000, async () => oneLineEach(await sqlite('one'), 1)),
      await measure('file, batched, 20 lines per change', 100_000, async () => oneLineEach(await sqlite('many'), 20)),
      await measure('file, strict, each session waits for its line', 4_000, async () =>
        waiting(await sqlite('strict', { durability: 'strict' })),
      ),
      await measure('file, batched, each session waits for its line', 4_000, async () =>
        waiting(await sqlite('waiting')),
      ),
    ];
    const [base] = rows;
    console.log(`Keeping one line of ${DATA.length} bytes, ${SESSIONS} sessions`);
    console.table(
      rows.map(({ name, busyUs, wallUs }) => ({
        store: name,
        'busy µs per line': busyUs.toFixed(1),
        'busy, ratio to the first': (busyUs / base.busyUs).toFixed(1),
        'wall µs per line': wallUs.toFixed(1),
      })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name, lines, prepare) {
  const work = await prepare();
  await work(Math.ceil(lines / 10));
  const before = performance.eventLoopUtilization();
  const start = performance.now();
  await work(lines);
  const wall = performance.now() - start;
  const { active } = performance.eventLoopUtilization(before);
  await work.end?.();
  return { name, busyUs: (active * 1_000) / lines, wallUs: (wall * 1_000) / lines };
}

async function inMemoryLog(lines) {
  const logs = Array.from({ length: SESSIONS }, () => new EventLog(LIMITS, () => 0));
  const message = { raw: DATA, moveBytes: (settle) => settle(DATA) };
  for (let line = 0; line < lines; line += 1) {
    logs[line % SESSIONS].append(1, { type: 'message', message });
    if (line % 1_000 === 0) await new Promise(setImmediate);
  }
}

/** Nobody waits for a single line; who is ahead of the disk waits for room. */
function oneLineEach(store, linesPerChange) {
  const last = new Array(SESSIONS).fill(0);
  const work = async (lines) => {
    const open = [];
    for (let line = 0; line < lines; line += linesPerChange) {
      open.push(store.append(next(last, (line / linesPerChange) % SESSIONS, linesPerChange)));
      if (line % 1_000 === 0) await new Promise(setImmediate);
      await store.room();
    }
    await Promise.all(open);
  };
  return Object.assign(work, { end: () => store.close() });
}

function waiting(store) {
  const last = new Array(SESSIONS).fill(0);
  const work = async (lines) => {
    const each = async (session) => {
      for (let line = 0; line < lines / SESSIONS; line += 1) await store.append(next(last, session, 1));
    };
    await Promise.all(last.map((_, session) => each(session)));
  };
  return Object.assign(work, { end: () => store.close() });
}

function next(last, session, count) {
  const first = last[session] + 1;
  last[session] += count;
  const events = Array.from({ length: count }, (_, index) => ({
    ...{ seq: first + index, epoch: 1, at: 1_700_000_000_000, type: 'message' },
    data: DATA,
  }));
  return { sessionId: `session-${session}`, epoch: 1, events };
}
