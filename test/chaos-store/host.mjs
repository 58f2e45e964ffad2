// A host with a store. Tells what happens, one JSON line for each fact, and does what lines on its standard input say. Its plan
// is its argument. It keeps nothing itself: whatever it is killed at, the next one goes on with the store alone.
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { register } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { createSupervisor, openSqliteStore, storedEventsOf } from '../../dist/src/index.js';

const plan = JSON.parse(process.argv[2]);
const begin = performance.now();

/** Written at once: what was told, somebody saw, also when this process is killed right behind it. */
function tell(fact) {
  const bytes = Buffer.from(`${JSON.stringify(fact)}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

/**
 * A store whose commits take longer; one that never commits from an event of one type on; or, to see whether anybody
 * notices, one that says too early that they are done.
 */
function altered(store, { before = 0, after = 0, isLying = false, withheldFrom }) {
  let isWithheld = false;
  const append = async (change) => {
    isWithheld ||= change.events?.some(({ type }) => type === withheldFrom) === true;
    if (isWithheld) return isLying ? undefined : await new Promise(() => {});
    const copy = isLying ? structuredClone(change) : change;
    const done = wait(before).then(() => store.append(copy));
    if (!isLying) await done.then(() => wait(after));
    else done.catch(() => {});
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Tells everything that is kept, and does nothing else. */
async function readAll(path) {
  register('../../scripts/typescript-loader.mjs', import.meta.url);
  const { sessionEventOf } = await import('../../src/store/stored-session-event.ts');
  const kept = await openSqliteStore(path);
  for await (const { sessionId } of kept.sessions()) {
    for await (const row of kept.read({ sessionId, after: 0 })) {
      for (const event of 'data' in row ? storedEventsOf(row).map(sessionEventOf) : [row])
        tell({ type: 'event', id: sessionId, event: shown(event) });
    }
  }
  await kept.close();
  process.exit(0);
}

if (plan.isReader) await readAll(plan.store);

const watching = new Set();
const awaited = new Set();

tell({ type: 'up', pid: process.pid });
const { store: path, alteration, durability, supervisor: options } = plan;
let own;
if (alteration !== undefined) own = await openSqliteStore(path, { durability });
const store = own === undefined ? { store: path, durability } : { store: altered(own, alteration) };
const supervisor = createSupervisor({ ...options, ...store });
supervisor.on('event', (event) => {
  if (event.type.startsWith('orphan.') || event.type.startsWith('store.')) tell({ type: 'fleet', event });
});
try {
  await supervisor.recovered;
} catch (error) {
  tell({ type: 'broken', code: error.code ?? String(error), text: String(error.message) });
  process.exit(4);
}
tell({ type: 'recovered', tookMs: performance.now() - begin, sessions: supervisor.list().map(look) });

const DO = {
  async start({ options }) {
    const session = supervisor.session(options.id) ?? (await supervisor.start(options));
    tell({ type: 'started', id: session.id });
  },
  async prewarm({ options }) {
    await supervisor.prewarm(options);
    tell({ type: 'warm' });
  },
  watch: ({ id, from }) => watch(found(id), from),
  async prompt({ id, promptId, text }) {
    const turn = found(id).prompt(text, { id: promptId });
    const ended = turn.result.then(({ outcome, error }) => ({ outcome, code: error?.code }));
    await turn.accepted;
    tell({ type: 'accepted', id, promptId });
    if (awaited.has(promptId)) return;
    awaited.add(promptId);
    const outcome = await ended;
    // How it ended the next host tells.
    if (outcome.code !== 'HANDED_OVER') tell({ type: 'outcome', id, promptId, ...outcome });
  },
  async answer({ id, requestId, nonce, answer }) {
    await found(id).permissions.answer(requestId, answer);
    tell({ type: 'answered', id, requestId, nonce });
  },
  async set({ id, model, mode }) {
    await found(id).setModel(model);
    await found(id).setPermissionMode(mode);
    tell({ type: 'set', id });
  },
  resolve({ id, promptId, how }) {
    tell({ type: 'resolved', id, promptId, how, isTaken: found(id).doubts.resolve(promptId, how) });
  },
  look: () => tell({ type: 'looked', sessions: supervisor.list().map(look) }),
  explain: ({ id }) => tell({ type: 'explained', id, explanation: found(id).explain() }),
  count() {
    const sessions = supervisor.list().map((session) => ({ id: session.id, costUsd: session.usage().costUsd ?? 0 }));
    tell({ type: 'counted', sessions, totalUsd: supervisor.ledger().total.spent.usd });
  },
  async handover() {
    await supervisor.handover();
    await own?.close();
    tell({ type: 'handed-over' });
    input.close();
  },
  async shutdown() {
    await supervisor.shutdown();
    await own?.close();
    tell({ type: 'shut-down' });
    input.close();
  },
};

const input = createInterface({ input: process.stdin });
input.on('line', async (line) => {
  const command = JSON.parse(line);
  try {
    await DO[command.do](command);
  } catch (error) {
    const { code = String(error.stack), message } = error;
    tell({ type: 'refused', command, code, text: String(message), details: error.details });
  }
});

function found(id) {
  const session = supervisor.session(id);
  if (session === undefined) throw Object.assign(new Error(`There is no session ${id}.`), { code: 'NO_SUCH_SESSION' });
  return session;
}

function look(session) {
  return {
    id: session.id,
    state: session.state,
    epoch: session.incarnation,
    pending: session.permissions.pending().map(({ id, input }) => ({ id, input })),
    doubts: session.doubts.pending().map(({ id }) => id),
  };
}

async function watch(session, from) {
  if (watching.has(session.id)) return;
  watching.add(session.id);
  for await (const event of session.events({ from })) tell({ type: 'event', id: session.id, event: shown(event) });
  watching.delete(session.id);
}

function shown(event) {
  if (event.type !== 'message') return event;
  const { seq, epoch, at, type, message } = event;
  return { seq, epoch, at, type, kind: message.type, digest: createHash('sha1').update(message.raw).digest('hex') };
}
