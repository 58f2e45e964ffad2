import { register } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createSdkMcpServer, createSupervisor, tool } from '../../dist/src/index.js';
import { createServer } from '../../dist/src/server/index.js';

register('../typescript-loader.mjs', import.meta.url);
const { createRandom } = await import('../../test/chaos/random.ts');

const TOKEN = 'soak-token-that-nobody-can-guess-0123456789';
/** What is kept of each session, and of all: so little that it is reached in the first minutes. */
const RETENTION = { maxEventsPerSession: 400, maxEndedSessions: 100, maxBytes: 8 * 2 ** 20 };
/** How a prompt may end that was crashed or interrupted on purpose. */
const OUTCOMES = ['completed', 'failed', 'interrupted', 'cancelled', 'lost'];

/** Sessions that begin, live through everything and end, over and over; beside them readers that come and go. */
export class Crowd {
  #supervisor;
  #server;
  #random;
  #isEnding = false;
  #lanes = [];
  #resting = 0;
  #gate;
  #rounds = 0;
  #failed = 0;
  #deeds = {};
  #reasons = new Set();

  static async open({ cli, store, sessions, seed }) {
    const crowd = new Crowd();
    crowd.#random = createRandom(seed);
    crowd.#supervisor = createSupervisor({
      pathToClaudeCodeExecutable: cli,
      store,
      retention: RETENTION,
      limits: { maxSessions: 2 * sessions + 10, minFreeMemoryBytes: 1 },
      // Nobody is hurt by a tree that is seen to be gone later; hundreds at once on a busy machine are.
      timeouts: { killGraceMs: 60_000 },
      restart: {
        type: 'permanent',
        intensity: 50,
        periodMs: 60_000,
        backoff: { minMs: 10, maxMs: 100, factor: 2, jitter: 0 },
      },
    });
    const tokens = [{ name: 'soak', token: TOKEN, scopes: ['read'] }];
    const limits = { maxConnections: 2 * sessions + 20, maxStreams: 2 * sessions + 20 };
    crowd.#server = await createServer({ supervisor: crowd.#supervisor, tokens, port: 0, dashboard: false, limits });
    crowd.#lanes = Array.from({ length: sessions }, (_, lane) => crowd.#live(lane));
    return crowd;
  }

  counts() {
    return { rounds: this.#rounds, failed: this.#failed, deeds: this.#deeds, reasons: [...this.#reasons] };
  }

  /** Resolves when every session has ended what it does, and does nothing more; what it resolves with lets them go on. */
  async rest() {
    const gate = {};
    gate.opened = new Promise((resolve) => {
      gate.open = resolve;
    });
    gate.rested = new Promise((resolve) => {
      gate.rest = resolve;
    });
    this.#gate = gate;
    this.#countRest();
    await gate.rested;
    return () => {
      this.#gate = undefined;
      gate.open();
    };
  }

  async close() {
    this.#isEnding = true;
    await Promise.all(this.#lanes);
    await this.#server.close();
    await this.#supervisor.shutdown();
  }

  async #live(lane) {
    // Not all at once.
    await wait(this.#random.below(5_000));
    for (let life = 1; !this.#isEnding; life += 1) {
      await this.#pass();
      try {
        await this.#oneLife(`s${lane}-${life}`);
      } catch (error) {
        this.#note(error);
        await wait(500);
      }
      this.#rounds += 1;
    }
  }

  async #oneLife(id) {
    const session = await this.#supervisor.start({
      id,
      includePartialMessages: true,
      onPromptLost: 'fail',
      env: { SOAK: '1' },
      mcpServers: { soak: createSdkMcpServer({ name: 'soak', tools: [echo] }) },
      hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] },
      canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    });
    try {
      for (let left = 3 + this.#random.below(8); left > 0 && !this.#isEnding; left -= 1) {
        await this.#pass();
        const name = this.#random.pick(DEED_NAMES);
        this.#deeds[name] = (this.#deeds[name] ?? 0) + 1;
        const deed = DEEDS[name]({ session, server: this.#server, random: this.#random });
        await inTime(deed).catch((error) => this.#note(error, name, session));
        await wait(50 + this.#random.below(1_500));
      }
    } finally {
      if (this.#random.chance(0.2)) await session.kill();
      else await session.close();
    }
  }

  /** Where a lane waits while all rest. */
  async #pass() {
    if (this.#gate === undefined) return;
    this.#resting += 1;
    this.#countRest();
    await this.#gate.opened;
    this.#resting -= 1;
  }

  #countRest() {
    if (this.#resting === this.#lanes.length) this.#gate?.rest();
  }

  #note(error, deed = 'life', session) {
    this.#failed += 1;
    if (this.#reasons.size < 20) {
      const { lastFailure } = session?.explain() ?? {};
      this.#reasons.add(`${deed}: ${error?.code ?? error?.message ?? error} ${lastFailure?.message ?? ''}`.trim());
    }
  }
}

const echo = tool('echo', 'Says it again', { text: z.string() }, async ({ text }) => ({
  content: [{ type: 'text', text }],
}));

const DEEDS = {
  prompt: ({ session, random }) => ends(session.prompt(`LINES ${1 + random.below(60)}`), ['completed']),
  ask: ({ session }) => ends(session.prompt('LINES 3 ASK ASK'), ['completed']),
  hook: ({ session }) => ends(session.prompt('HOOK LINES 3'), ['completed']),
  tool: ({ session }) => ends(session.prompt('TOOL LINES 3'), ['completed']),
  crash: ({ session }) => ends(session.prompt('LINES 3 CRASH'), OUTCOMES),
  async interrupt({ session }) {
    const turn = session.prompt('LINES 3 WAIT 50 ASK WAIT 50 ASK');
    await turn.accepted;
    await session.interrupt();
    await ends(turn, OUTCOMES);
  },
  async kill({ session }) {
    const turn = session.prompt('WAIT 100 LINES 3');
    await turn.accepted;
    if (session.pid !== undefined) process.kill(session.pid, 'SIGKILL');
    await ends(turn, OUTCOMES);
  },
  async hibernate({ session }) {
    await session.hibernate();
    await ends(session.prompt('LINES 3'), ['completed']);
  },
  async follow({ session }) {
    let seen = 0;
    for await (const _ of session.events({ from: 0 })) {
      seen += 1;
      if (seen === 5) break;
    }
  },
  /** A reader on the other side of a socket, that leaves in the middle. */
  async stream({ session, server, random }) {
    const leaving = new AbortController();
    const of = random.chance(0.5) ? `/v1/sessions/${session.id}/events` : '/v1/events';
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' };
    const { body } = await fetch(server.url + of, { headers, signal: leaving.signal });
    const turn = session.prompt('LINES 20');
    const reader = body.getReader();
    for (let chunks = 1 + random.below(3); chunks > 0; chunks -= 1) await reader.read();
    leaving.abort();
    await ends(turn, OUTCOMES);
  },
};
const DEED_NAMES = Object.keys(DEEDS);

/** Nothing hangs (P5): not for so long, on however busy a machine. */
async function inTime(deed) {
  const leaving = new AbortController();
  const late = wait(90_000, undefined, { signal: leaving.signal }).then(() => {
    throw new Error('it hangs');
  });
  late.catch(() => {});
  try {
    return await Promise.race([deed, late]);
  } finally {
    leaving.abort();
  }
}

async function ends(turn, outcomes) {
  const { outcome, error } = await turn.result;
  if (!outcomes.includes(outcome)) throw new Error(`ended as ${outcome} ${error?.code ?? ''}`);
}
