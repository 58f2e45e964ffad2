// A program that runs sessions and tells what becomes of them, one JSON line for each fact; its plan is its argument. It
// ends when a line on its standard input says how: `shutdown`, `exit`, `throw` or `leave` (a normal end without a shutdown).
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createSupervisor } from '../../dist/src/index.js';

const plan = JSON.parse(process.argv[2]);

function tell(fact) {
  writeSync(1, `${JSON.stringify(fact)}\n`);
}

const supervisor = createSupervisor(plan.supervisor);
supervisor.on('event', (event) => {
  if (event.type === 'orphan.reaped' || event.type === 'orphan.survived') tell(event);
  // From the log, not from the turn: a promise could not show a second outcome.
  if (event.type === 'prompt.ended') tell({ type: 'outcome', id: event.promptId, outcome: event.outcome });
  if (event.type === 'session.started') tell({ type: 'started', sessionId: event.sessionId, pid: event.pid });
  if (event.type === 'pool.filled') tell({ type: 'filled', poolId: event.poolId, pid: event.pid });
  if (event.type === 'supervisor.phase-changed') tell({ type: 'phase', phase: event.phase });
  if (event.type === 'session.state-changed' && event.state === 'closing')
    tell({ type: 'closing', sessionId: event.sessionId });
  if (event.type === 'session.state-changed') tell({ type: 'state', sessionId: event.sessionId, state: event.state });
});

function prompt(session, { id, text }) {
  session.prompt(text, { id });
  tell({ type: 'accepted', id });
}

async function act(session, what) {
  if (what === 'close') return session.close();
  if (what === 'kill-cli') return process.kill(session.pid, 'SIGKILL');
  await session.settled();
  await session.hibernate();
}

async function run({ options, prompts = [], afterwards }) {
  try {
    const session = await supervisor.start(options);
    tell({ type: 'ready', sessionId: session.id, pid: session.pid });
    for (const one of prompts) prompt(session, one);
    // The trouble of the run may come first, and then there is nothing to be done any more.
    if (afterwards !== undefined) void act(session, afterwards).catch(() => {});
    const { reason } = await session.ended;
    tell({ type: 'ended', sessionId: session.id, reason });
  } catch (error) {
    tell({ type: 'failed', sessionId: options.id, code: error.code ?? String(error) });
  }
}

const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  if (line === 'exit') process.exit(3);
  if (line === 'throw') throw new Error('the host failed');
  if (line === 'leave') input.close();
  if (line === 'shutdown') void shutdown();
});

async function shutdown() {
  await supervisor.shutdown();
  tell({ type: 'shut-down' });
  input.close();
}

tell({ type: 'up', pid: process.pid });
if (plan.pool !== undefined) await supervisor.prewarm(plan.pool.options, { count: plan.pool.count });
await Promise.all(plan.sessions.map(run));
