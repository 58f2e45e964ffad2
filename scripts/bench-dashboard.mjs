// Five hundred sessions with ten events a second each and the page of the dashboard on top of them, in a real Chromium: the longest
// task of the page, and how long the server's loop keeps everybody waiting. The server has a process of its own, and its
// sessions live in it. TROUPE_TEST_CHROMIUM names another browser than /usr/bin/chromium.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { register } from 'node:module';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SESSIONS = Number(process.env['TROUPE_BENCH_SESSIONS'] ?? 500);
const SECONDS = Number(process.env['TROUPE_BENCH_SECONDS'] ?? 10);
const EVENTS_A_SECOND = 10;
const TICK_MS = 10;
const PAGES = { 'the fleet': '#/', 'one session': '#/sessions/bench-7' };
const SEEN = { 'the fleet': '.grid-body [role="row"]', 'one session': '.transcript' };
const TEXT = 'The parser keeps its place in the line when a chunk ends inside a character. '.repeat(3);
const AS_SERVER = 'as-server';
/** The prompt that a CLI is at work on. */
const turns = new Map();

if (process.argv[2] === AS_SERVER) await serve();

export async function run() {
  const { chromium } = await import('playwright-core');
  const server = fork(fileURLToPath(import.meta.url), [AS_SERVER]);
  const executablePath = process.env['TROUPE_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const { loginUrl } = await told(server);
    // The address works once: the cookie is that of the context.
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
    const login = await context.newPage();
    await login.goto(loginUrl);
    await login.close();
    const rows = {};
    for (const [name, hash] of Object.entries(PAGES))
      rows[name] = await round({ context, server, name, url: new URL(hash, new URL(loginUrl).origin) });
    console.table(rows);
    return rows;
  } finally {
    await browser.close();
    server.kill('SIGTERM');
  }
}

/** What a page of the dashboard costs, from the moment at which it is opened. */
async function round({ context, server, name, url }) {
  const strangers = [];
  const page = await context.newPage();
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url.origin) strangers.push(request.url());
  });
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
    globalThis.framesDrawn = 0;
    const count = () => {
      globalThis.framesDrawn += 1;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  page.on('pageerror', (error) => strangers.push(String(error)));
  await ask(server, 'start');
  await page.goto(url.href);
  await page.locator(SEEN[name]).first().waitFor();
  const opening = await tasks(page);
  // Somebody scrolls meanwhile.
  for (const end = performance.now() + SECONDS * 1_000; performance.now() < end; await wait(250)) {
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 200);
  }
  const measured = await tasks(page);
  const { events, ms, busyMs, loopMs, worstMs } = await ask(server, 'stop');
  await page.close();
  if (strangers.length > 0) throw new Error(`The page asked others than its server, or threw: ${strangers.join(', ')}`);
  return {
    sessions: SESSIONS,
    'events a second': Math.round((events * 1_000) / ms),
    'longest task ms': Math.round(measured.longest),
    'over 200 ms': measured.over,
    'longest at opening ms': Math.round(opening.longest),
    'frames a second': Math.round(measured.frames / SECONDS),
    'server at work %': Math.round((busyMs * 100) / ms),
    'server loop p99 ms': loopMs.toFixed(1),
    'server loop longest ms': worstMs.toFixed(1),
  };
}

/** The long tasks of the page since it was asked last. */
function tasks(page) {
  return page.evaluate(() => {
    const durations = globalThis.longTasks.splice(0);
    const frames = globalThis.framesDrawn;
    globalThis.framesDrawn = 0;
    return { longest: Math.max(0, ...durations), over: durations.filter((ms) => ms > 200).length, frames };
  });
}

async function ask(server, word) {
  server.send(word);
  return told(server);
}

async function told(server) {
  const gone = once(server, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with ${code}.`)));
  const [answer] = await Promise.race([once(server, 'message'), gone]);
  return answer;
}

async function serve() {
  register('./typescript-loader.mjs', import.meta.url);
  const { createSupervisor } = await import('../dist/src/index.js');
  const { createServer } = await import('../dist/src/server/index.js');
  const { openInMemory } = await import('../src/transport/in-memory-transport.ts');
  const peers = new Map();
  const spawn = openInMemory((peer) => {
    peers.set(peer.plan.mark.replace(/:\d+:[^:]*$/, ''), peer);
    peer.onInput((text) => answer(peer, JSON.parse(text)));
    void peer.inputEnded.then(() => peer.exit({ exitCode: 0, signal: null }));
  });
  const supervisor = createSupervisor({
    spawn,
    pathToClaudeCodeExecutable: process.execPath,
    reap: 'off',
    limits: { maxSessions: SESSIONS, maxStarting: 50 },
  });
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) => supervisor.start({ id: `bench-${index}` })),
  );
  const server = await createServer({ supervisor });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  let begin = performance.now();
  let before = 0;
  let cpu = process.cpuUsage();
  const written = () => sessions.reduce((sum, session) => sum + session.snapshot().seq, 0);
  process.on('message', (word) => {
    if (word === 'start') {
      delay.reset();
      delay.enable();
      begin = performance.now();
      before = written();
      cpu = process.cpuUsage();
      process.send({});
      return;
    }
    delay.disable();
    const ms = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    const busyMs = (user + system) / 1_000;
    const [loopMs, worstMs] = [delay.percentile(99) / 1e6, delay.max / 1e6];
    process.send({ events: written() - before, ms, busyMs, loopMs, worstMs });
  });
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  process.send({ loginUrl: server.loginUrl() });

  // Each session takes a step ten times a second: every twentieth is a prompt, the rest is what the model says, then the turn ends.
  const start = performance.now();
  for (let taken = 0; ; await wait(TICK_MS)) {
    const due = Math.floor(((performance.now() - start) / 1_000) * EVENTS_A_SECOND * SESSIONS);
    // At most so many at once: what is late catches up bit by bit, as processes would whose pipes are full.
    for (const end = Math.min(due, taken + SESSIONS / 5); taken < end; taken += 1) {
      const session = sessions[taken % SESSIONS];
      step(session, peers.get(session.id), Math.floor(taken / SESSIONS) + (taken % SESSIONS));
    }
  }
}

function step(session, peer, count) {
  const uuid = turns.get(peer);
  if (count % 20 === 0 && uuid === undefined) {
    session.prompt('Go on with the parser.').result.catch(() => {});
    return;
  }
  if (count % 20 === 19 && uuid !== undefined) {
    turns.delete(peer);
    say(peer, {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'done',
      user_message_uuids: [uuid],
      num_turns: 1,
      total_cost_usd: 0.01,
      terminal_reason: 'completed',
    });
    say(peer, { type: 'command_lifecycle', command_uuid: uuid, state: 'completed' });
    return;
  }
  say(peer, {
    type: 'assistant',
    message: { id: `msg_${count}`, role: 'assistant', content: [{ type: 'text', text: TEXT }] },
  });
}

function answer(peer, { type, request_id, request, uuid }) {
  if (type === 'control_request') {
    const response =
      request.subtype === 'initialize'
        ? { claude_code_version: '2.1.332', commands: [], models: [], capabilities: ['msg_lifecycle_v1'] }
        : {};
    say(peer, { type: 'control_response', response: { subtype: 'success', request_id, response } });
  }
  if (type !== 'user') return;
  turns.set(peer, uuid);
  say(peer, { type: 'command_lifecycle', command_uuid: uuid, state: 'started' });
  say(peer, {
    type: 'system',
    subtype: 'init',
    model: 'fake',
    permissionMode: 'default',
    capabilities: ['msg_lifecycle_v1'],
  });
}

function say(peer, frame) {
  peer.output(`${JSON.stringify({ session_id: '0b7a4c1e-5d3f-4e8a-9b60-000000000000', ...frame })}\n`);
}
