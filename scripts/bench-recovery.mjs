// How long a host needs to take up fifty sessions at work that another one left: until all are there, and until each has its
// prompt again. The CLIs are functions, so that what is measured is ours.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createSupervisor } from '../dist/src/index.js';

const { openInMemory } = await import('../src/transport/in-memory-transport.ts');

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);
const SESSIONS = 50;
const PROMISED_MS = 10_000;
const SIZES = [
  { turns: 10, lines: 20 },
  { turns: 100, lines: 100 },
];

export async function run() {
  const rows = {};
  for (const size of SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
    try {
      const { events, readyMs, workingMs } = await recoveryOf(folder, size);
      rows[`${SESSIONS} sessions, ${Math.round(events / SESSIONS)} events and ${size.turns} turns each`] = {
        'all are there, ms': Math.round(readyMs),
        'each has its prompt, ms': Math.round(workingMs),
      };
      if (workingMs > PROMISED_MS) throw new Error(`It took ${workingMs} ms; ${PROMISED_MS} are promised.`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  console.table(rows);
  if (process.argv.includes('--write')) writeDocument(rows);
}

async function recoveryOf(folder, size) {
  const path = join(folder, 'troupe.db');
  const limits = { maxSessions: SESSIONS, maxStarting: SESSIONS };
  const setting = { pathToClaudeCodeExecutable: process.execPath, limits, reap: 'off' };
  const first = createSupervisor({ ...setting, store: path, spawn: fleet(size).open });
  let events = 0;
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      const session = await first.start({ id: `session-${index}` });
      for (let turn = 0; turn < size.turns; turn += 1) await session.prompt(`turn ${turn}`).result;
      await session.prompt('never ends').accepted;
      await session.prompt('waits').accepted;
      events += session.snapshot().seq;
    }),
  );
  // What a lost host leaves, copied by another process: reading the files in this one would end its locks.
  const left = join(folder, 'left');
  mkdirSync(left);
  execFileSync('cp', [path, `${path}-wal`, left]);
  await first.shutdown({ timeoutMs: 5_000 });

  const working = fleet(size);
  const begin = performance.now();
  const second = createSupervisor({ ...setting, store: join(left, 'troupe.db'), spawn: working.open });
  await second.recovered;
  const readyMs = performance.now() - begin;
  await working.allPrompted;
  const workingMs = performance.now() - begin;
  await second.shutdown({ timeoutMs: 5_000 });
  return { events, readyMs, workingMs };
}

/** CLIs that say so many lines in each turn, and do not end the one that is to be cut off. */
function fleet({ lines }) {
  let prompted = 0;
  let tell;
  const allPrompted = new Promise((resolve) => {
    tell = resolve;
  });
  const open = openInMemory((peer) => {
    const say = (frame) => peer.output(`${JSON.stringify(frame)}\n`);
    peer.onSignal(() => peer.exit({ exitCode: 143, signal: null }));
    void peer.inputEnded.then(() => peer.exit({ exitCode: 0, signal: null }));
    peer.onInput((line) => {
      const { type, request_id, uuid, message } = JSON.parse(line);
      if (type === 'control_request') {
        const response = { commands: [], models: [], claude_code_version: '2.1.332', ...LIFECYCLE };
        say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
      }
      if (type !== 'user') return;
      const session = { session_id: peer.plan.mark };
      say({ type: 'command_lifecycle', command_uuid: uuid, state: 'started', ...session });
      say({ type: 'system', subtype: 'init', model: 'm', permissionMode: 'default', ...LIFECYCLE, ...session });
      prompted += 1;
      if (prompted === SESSIONS) tell();
      if (message.content === 'never ends') return;
      for (let nth = 0; nth < lines; nth += 1) say(ANSWER);
      const result = { subtype: 'success', is_error: false, result: 'done', user_message_uuids: [uuid] };
      say({ type: 'result', num_turns: 1, total_cost_usd: 0.01, ...result, ...session });
      say({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed', ...session });
    });
  });
  return { open, allPrompted };
}

const LIFECYCLE = { capabilities: ['msg_lifecycle_v1'] };
const ANSWER = {
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(300) }] },
};

/** The section of docs/performance.md that holds these figures. */
function writeDocument(rows) {
  const columns = Object.keys(Object.values(rows)[0]);
  const lines = Object.entries(rows).map(([name, cells]) => [name, ...columns.map((column) => cells[column])]);
  const table = [['', ...columns], new Array(columns.length + 1).fill('---'), ...lines];
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)} at the end.`;
  const section = [machine, '', ...table.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(
    DOCUMENT,
    text.replace(/(<!-- recovery figures -->\n)[\s\S]*?(\n<!-- end of recovery figures -->)/, `$1${section}$2`),
  );
}
