import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupervisorOptions } from '../../src/index.ts';
import type { FakeClaude } from '../../src/testing/fake-cli/fake-claude.ts';
import { SpawnerWatch } from '../chaos/spawner-watch.ts';
import { type Traces, watchTraces } from '../chaos/traces.ts';
import { Client, type ClientPrompt } from './client.ts';
import { type Executions, executionsIn, executionsOf } from './executions.ts';
import { type HostFact, type HostProgram, type ShownEvent, type StoreAlteration, startHost } from './host-program.ts';
import { describePlan, type PlannedEnd, type StoreChaosPlan } from './store-plan.ts';
import { fakeOfRun, type StoreProps } from './store-props.ts';
import { faultsOf } from './verdict.ts';

/** What is done to a run to see that it is noticed. */
export type Sabotage =
  /** Commits are said to be done before they are. */
  | 'early-acknowledgement'
  /** The CLI forgets what it has done: what it is sent again it does again. */
  | 'no-deduplication';

export interface StoreRunReport {
  readonly seed: number;
  readonly plan: string;
  /** What was not as promised; nothing in a run that went well. */
  readonly failures: readonly string[];
  readonly kills: number;
  /** Hosts that left their sessions to the next one, to the end. */
  readonly handovers: number;
  readonly sessions: number;
  readonly prompts: number;
  readonly decisions: number;
  readonly events: number;
  /** The slowest recovery: from the start of a host until every session was there. */
  readonly recoveryMs: number;
  readonly tookMs: number;
}

/** Longer than anything may take, on a machine that does a lot else. */
const PATIENCE_MS = 90_000;
const MOMENT_MS = 15_000;
const LOOK_EVERY_MS = 500;
const GONE_MS = 10_000;

const SUPERVISOR: SupervisorOptions = {
  restart: { type: 'transient', intensity: 20, backoff: { minMs: 10, maxMs: 50 } },
  timeouts: {
    closeGraceMs: 1_000,
    terminateGraceMs: 2_000,
    killGraceMs: 20_000,
    initializeMs: 60_000,
    admissionMs: 600_000,
    // Some turns end in it, others are cut off.
    handoverMs: 300,
  },
  limits: { maxSessions: 4 },
};

/** Has a client work with hosts that are killed, one after the other, and looks at what was promised to it. */
export async function runStoreChaos(
  plan: StoreChaosPlan,
  props: StoreProps,
  options: { readonly sabotage?: Sabotage | undefined; readonly keep?: boolean } = {},
): Promise<StoreRunReport> {
  const begin = performance.now();
  const nonce = randomUUID().slice(0, 8);
  const prefix = `store-${plan.seed}-${nonce}`;
  const folder = join(props.folder, prefix);
  await mkdir(join(folder, 'tmp'), { recursive: true, mode: 0o700 });
  // The second is nobody's: sleepers are not part of these runs.
  const traces = watchTraces(prefix, `900.${Number.parseInt(nonce, 16)}`);
  const fake =
    plan.cli === 'fake' ? await fakeOfRun(plan.recorded, options.sabotage === 'no-deduplication') : undefined;
  const run = new StoreRun(plan, props, { prefix, folder, fake, sabotage: options.sabotage });
  try {
    const report = await run.play(traces);
    return { ...report, tookMs: performance.now() - begin };
  } finally {
    traces.sweep();
    await fake?.dispose();
    if (options.keep !== true) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface StorePlace {
  readonly prefix: string;
  readonly folder: string;
  readonly fake: FakeClaude | undefined;
  readonly sabotage: Sabotage | undefined;
}

class StoreRun {
  readonly #plan: StoreChaosPlan;
  readonly #props: StoreProps;
  readonly #place: StorePlace;
  readonly #client: Client;
  readonly #spawners = new SpawnerWatch();
  readonly #stored = new Map<string, ShownEvent[]>();
  #kills = 0;
  #handovers = 0;

  constructor(plan: StoreChaosPlan, props: StoreProps, place: StorePlace) {
    this.#plan = plan;
    this.#props = props;
    this.#place = place;
    this.#client = this.#newClient();
  }

  async play(traces: Traces): Promise<Omit<StoreRunReport, 'tookMs'>> {
    const { plan, client } = { plan: this.#plan, client: this.#client };
    for (const end of plan.ends) await this.#shortLife(end);
    await this.#lastLife();
    await this.#readStore();
    const executions = await this.#executions();
    const failures = faultsOf({
      client,
      executions,
      stored: this.#stored,
      losses: plan.ends.length,
      tellsTurns: plan.cli === 'fake',
    });
    failures.push(...(await this.#remainders(traces)));
    return {
      seed: plan.seed,
      plan: describePlan(plan),
      failures,
      kills: this.#kills,
      handovers: this.#handovers,
      sessions: plan.sessions.length,
      prompts: client.prompts.filter(({ isAccepted }) => isAccepted).length,
      decisions: executions.decisions.length,
      events: [...this.#stored.values()].reduce((sum, log) => sum + log.length, 0),
      recoveryMs: Math.max(0, ...client.recoveryMs),
    };
  }

  async #shortLife(end: PlannedEnd): Promise<void> {
    const host = this.#start();
    // What does not come is not waited for: the last life shows what is wrong.
    const { after, nth } = end.moment;
    const moment = after === 'worked' ? this.#worked(nth) : this.#client.moment(end.moment);
    await Promise.race([moment, later(MOMENT_MS)]);
    await wait(end.moment.delayMs);
    if (end.way === 'handover') {
      this.#client.leave();
      host.say({ do: 'handover' });
      // The handover is through when the host has ended; or it is killed meanwhile.
      const over = end.killAfterMs === undefined ? later(PATIENCE_MS) : later(end.killAfterMs);
      await Promise.race([host.ended, over]);
    }
    host.kill();
    const { signal, code } = await host.ended;
    if (end.way === 'handover' && code === 0) this.#handovers += 1;
    else if (end.way === 'handover' && end.killAfterMs === undefined)
      this.#client.failures.push(`The host did not hand over: ${code} ${signal} ${host.complaints()}`);
    if (signal === 'SIGKILL') this.#kills += 1;
    this.#client.lose();
  }

  async #worked(turns: number): Promise<void> {
    const completed = async () => [...(await this.#executions()).turns.values()].reduce((sum, one) => sum + one, 0);
    const deadline = performance.now() + MOMENT_MS;
    while ((await completed()) < turns && performance.now() < deadline) await wait(20);
  }

  async #lastLife(): Promise<void> {
    const client = this.#client;
    const host = this.#start();
    const life = this.#plan.ends.length;
    const looking = setInterval(() => client.look(), LOOK_EVERY_MS);
    try {
      await patiently(
        'every prompt to end',
        client.until(() => client.isThrough(life)),
        host,
      );
    } catch (error) {
      const open = client.open(life);
      client.failures.push(`${String(error)} Open: ${open.map(({ token }) => token).join(' ')} ${host.complaints()}`);
      for (const id of new Set(open.map(({ sessionId }) => sessionId))) host.say({ do: 'explain', id });
    } finally {
      clearInterval(looking);
    }
    client.leave();
    host.say({ do: 'count' });
    host.say({ do: 'shutdown' });
    const ended = await Promise.race([host.ended, later(PATIENCE_MS)]);
    if (ended?.code !== 0)
      client.failures.push(`The last host ended with ${JSON.stringify(ended)} ${host.complaints()}`);
    host.kill();
    client.lose();
  }

  /** What the store holds, told by a program that does nothing else. */
  async #readStore(): Promise<void> {
    const hear = (fact: HostFact): void => {
      if (fact.type !== 'event') return;
      this.#stored.set(fact.id, [...(this.#stored.get(fact.id) ?? []), fact.event]);
    };
    const reader = startHost({ ...this.#hostPlan(), isReader: true }, this.#env(), hear);
    const end = await patiently('the store to be read', reader.ended);
    if (end.code !== 0) this.#client.failures.push(`The store cannot be read: ${reader.complaints()}`);
  }

  #start(): HostProgram {
    const client = this.#client;
    const host = startHost(this.#hostPlan(), this.#env(), (fact) => client.hear(fact));
    if (this.#plan.spawner.mode !== 'direct') this.#spawners.follow(host, this.#plan.spawner.killedAfterMs);
    client.meet(host);
    void host.ended.then(() => client.lose());
    return host;
  }

  #hostPlan() {
    const { durability, slowCommitMs, withheldFrom, kind } = this.#plan;
    const lie: StoreAlteration | undefined =
      this.#place.sabotage === 'early-acknowledgement' ? { before: 150, after: 0, isLying: true } : undefined;
    const hold = this.#client.life < 0 && withheldFrom !== undefined ? { withheldFrom } : undefined;
    const alteration = lie === undefined ? (hold ?? slowCommitMs) : { ...lie, ...hold };
    const limits = kind === 'crowd' ? { limits: { ...SUPERVISOR.limits, maxSessions: 50 } } : {};
    // The environment is no option of the sessions: it holds a key, and a store keeps none.
    const real = this.#plan.cli === 'real' ? this.#props.real.supervisor : {};
    const supervisor = { ...SUPERVISOR, ...limits, ...real, spawner: this.#plan.spawner.mode };
    return { store: join(this.#place.folder, 'troupe.db'), durability, supervisor, alteration };
  }

  #env(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], TMPDIR: join(this.#place.folder, 'tmp') };
  }

  #newClient(): Client {
    const { sessions } = this.#plan;
    const { prefix, fake } = this.#place;
    const cli = fake === undefined ? { cwd: this.#props.real.cwd } : { pathToClaudeCodeExecutable: fake.path };
    return new Client({
      sessions: sessions.map(({ onPromptLost }, index) => ({
        id: `${prefix}-${index}`,
        options: { id: `${prefix}-${index}`, onPromptLost, autoStart: this.#plan.kind !== 'crowd', ...cli },
        isStarted: false,
      })),
      prompts: sessions.flatMap(({ onPromptLost, prompts }, index) =>
        prompts.map((prompt) => ({
          ...prompt,
          onPromptLost,
          promptId: randomUUID(),
          sessionId: `${prefix}-${index}`,
          text: fake === undefined ? this.#realText(prompt) : `${prompt.task} ${prompt.token}`,
          sentIn: undefined,
          isAccepted: false,
          outcomes: [],
          retries: 0,
        })),
      ),
      answer: (prompt, behavior, nonce) => {
        if (behavior === 'deny') return { behavior, message: nonce };
        const command = fake === undefined ? this.#effect(prompt.token, nonce) : `${prompt.text} ${nonce}`;
        return { behavior, updatedInput: { command } };
      },
    });
  }

  #realText({ task, token }: Pick<ClientPrompt, 'task' | 'token'>): string {
    if (task === 'say') return `say ${token}`;
    if (task === 'slow') return 'SLOW 20';
    return `CALL Bash ${JSON.stringify({ command: this.#effect(token, 'unasked'), description: token })}`;
  }

  #effect(token: string, nonce: string): string {
    return `echo ${token} ${nonce} >> ${join(this.#place.folder, 'effects')}`;
  }

  async #executions(): Promise<Executions> {
    const tokens = new Set(this.#client.prompts.map(({ token }) => token));
    const { fake, folder } = this.#place;
    if (fake !== undefined) return executionsOf(fake, tokens);
    return executionsIn(await readFile(join(folder, 'effects'), 'utf8').catch(() => ''), tokens);
  }

  async #remainders(traces: Traces): Promise<string[]> {
    const deadline = performance.now() + GONE_MS;
    const living = () => [...traces.living(), ...this.#spawners.living().map((pid) => `the spawner ${pid}`)];
    while (living().length > 0 && performance.now() < deadline) await wait(50);
    const left = living();
    const failures = traces.deadDecoys().map((name) => `The decoy "${name}" was killed.`);
    return left.length === 0 ? failures : [...failures, `After ${GONE_MS} ms there are still ${left.join(', ')}.`];
  }
}

/** Holds nobody back who would end before. */
function later(ms: number): Promise<undefined> {
  return wait(ms, undefined, { ref: false });
}

async function patiently<T>(what: string, wanted: Promise<T>, host?: HostProgram): Promise<T> {
  const timer = new AbortController();
  const overdue = wait(PATIENCE_MS, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new Error(`Waited ${PATIENCE_MS} ms for ${what}. ${host?.complaints() ?? ''}`)),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([wanted, overdue]);
  } finally {
    timer.abort();
  }
}
