// One session at 2 000 lines a second with a hundred readers over HTTP: whether each gets every event in order or is told what
// it missed, and what a reader that takes nothing costs the others. Both rounds in one run: the ratio counts.
import { request } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { createSupervisor } from '../dist/src/index.js';
import { createServer } from '../dist/src/server/index.js';

const { openInMemory } = await import('../src/transport/in-memory-transport.ts');

const READERS = Number(process.env['TROUPE_BENCH_READERS'] ?? 100);
const SECONDS = Number(process.env['TROUPE_BENCH_SECONDS'] ?? 5);
const LINES_A_SECOND = 2_000;
const TICK_MS = 20;
const TEXT = 'x'.repeat(200);

export async function run() {
  const alone = await round(0);
  const beside = await round(1);
  console.table({ 'all read': shown(alone, alone), 'one takes nothing': shown(beside, alone) });
  return { alone, beside };
}

function shown({ complete, lagged, lost, loopMs, lateMs }, base) {
  return {
    readers: READERS,
    'with every event': complete,
    'told what they missed': lagged,
    'with a gap nobody told': lost,
    'loop p99 ms': loopMs.toFixed(1),
    'last event late by ms': Math.round(lateMs),
    'loop, of the first round': (loopMs / base.loopMs).toFixed(2),
  };
}

async function round(stalled) {
  const clis = [];
  const spawn = openInMemory((peer) => {
    clis.push(peer);
    peer.onInput((text) => greet(peer, JSON.parse(text)));
    void peer.inputEnded.then(() => peer.exit({ exitCode: 0, signal: null }));
  });
  const supervisor = createSupervisor({ spawn, pathToClaudeCodeExecutable: process.execPath, reap: 'off' });
  const session = await supervisor.start({ id: 'bench' });
  const server = await createServer({ supervisor, dashboard: false });
  const readers = await Promise.all(Array.from({ length: READERS }, () => reader(server, false)));
  const still = await Promise.all(Array.from({ length: stalled }, () => reader(server, true)));
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const lines = LINES_A_SECOND * SECONDS;
  const begin = performance.now();
  for (let sent = 0; sent < lines; await wait(TICK_MS)) {
    const due = Math.min(lines, Math.ceil(((performance.now() - begin) / 1_000) * LINES_A_SECOND));
    for (; sent < due; sent += 1) clis[0].output(`{"type":"assistant","n":${sent},"text":"${TEXT}"}\n`);
  }
  const end = performance.now();
  const last = session.snapshot().seq;
  while (performance.now() - end < 60_000 && readers.some(({ seq }) => seq() < last)) await wait(TICK_MS);
  const lateMs = performance.now() - end;
  delay.disable();
  const told = readers.map((one) => one.told());
  for (const one of [...readers, ...still]) one.stop();
  await server.close();
  await supervisor.shutdown();
  return {
    complete: told.filter(({ gaps, lags }) => gaps + lags === 0).length,
    lagged: told.filter(({ lags }) => lags > 0).length,
    lost: told.filter(({ gaps }) => gaps > 0).length,
    loopMs: delay.percentile(99) / 1e6,
    lateMs,
  };
}

function greet(peer, { type, request_id, request: asked }) {
  if (type !== 'control_request') return;
  const response = asked.subtype === 'initialize' ? { claude_code_version: '2.1.332', commands: [], models: [] } : {};
  const answer = { type: 'control_response', response: { subtype: 'success', request_id, response } };
  peer.output(`${JSON.stringify(answer)}\n`);
}

/** Looks at the ids of the frames alone: what it costs is not what is measured. */
async function reader({ url, token }, isStill) {
  let [seq, gaps, lags, rest] = [0, 0, 0, ''];
  const headers = { authorization: `Bearer ${token}` };
  const response = await new Promise((resolve, reject) => {
    request(`${url}/v1/sessions/bench/events`, { headers }, resolve).on('error', reject).end();
  });
  response.on('error', () => {});
  if (isStill) response.pause();
  else {
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      const text = rest + chunk;
      const whole = text.lastIndexOf('\n\n') + 2;
      rest = text.slice(whole);
      for (const [, id, type] of text.slice(0, whole).matchAll(/^id: \d+:(\d+)\nevent: (\S+)$/gm)) {
        if (type === 'snapshot' && seq > 0) lags += 1;
        else if (type !== 'snapshot' && type !== 'replay.completed' && seq > 0 && Number(id) !== seq + 1) gaps += 1;
        seq = Number(id);
      }
    });
  }
  return { seq: () => seq, told: () => ({ gaps, lags }), stop: () => response.destroy() };
}
