import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupervisorOptions } from '../../src/index.ts';
import { type Aim, type Behaviour, type ChaosPlan, describePlan, isAimed } from './chaos-plan.ts';
import { familyScript } from './cli-family.ts';
import { type HostEnd, type HostPlan, type HostProgram, startHost } from './host-program.ts';
import type { Props } from './props.ts';
import { SpawnerWatch } from './spawner-watch.ts';
import { type Traces, watchTraces } from './traces.ts';

export interface RunReport {
  readonly seed: number;
  readonly plan: string;
  /** What was not as promised; nothing in a run that went well. */
  readonly failures: readonly string[];
  /** From the end of the last host until nobody of the run was left. */
  readonly goneAfterMs: number;
  readonly tookMs: number;
}

/** Everybody must be gone so long after the last host has ended. */
const GONE_MS = 10_000;
/** Longer than any end may take, on a machine that does a lot else. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 50;

const SUPERVISOR: SupervisorOptions = {
  onHostSignal: 'shutdown',
  restart: { type: 'transient', intensity: 3, backoff: { minMs: 10, maxMs: 50 } },
  timeouts: {
    closeGraceMs: 300,
    terminateGraceMs: 400,
    killGraceMs: 20_000,
    initializeMs: 30_000,
    hostSignalMs: 3_000,
  },
};

/** What the host does to bring its first session into a state, and the state that shows it. A budget parks by itself. */
const WAYS: Readonly<
  Record<Aim, { readonly afterwards?: 'close' | 'hibernate' | 'kill-cli'; readonly shows: string }>
> = {
  closing: { afterwards: 'close', shows: 'closing' },
  'backing-off': { afterwards: 'kill-cli', shows: 'backing-off' },
  // While its process leaves, its state is shown.
  pausing: { afterwards: 'hibernate', shows: 'closing' },
  parked: { shows: 'parked' },
};

/** Long enough to be met. */
const AIMED_BACKOFF = { minMs: 300, maxMs: 400 };

/** Runs hosts and their sessions, brings the trouble over them, and looks at what is left. */
export async function runChaos(plan: ChaosPlan, props: Props): Promise<RunReport> {
  const begin = performance.now();
  // Unlike those of any other run, also of one with the same seed.
  const nonce = randomUUID().slice(0, 8);
  const prefix = `chaos-${plan.seed}-${nonce}`;
  const seconds = `120.${Number.parseInt(nonce, 16)}`;
  const folder = join(props.folder, prefix);
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const traces = watchTraces(prefix, seconds);
  const run = new Run(plan, props, { prefix, seconds, folder, temporary });
  try {
    const failures = await run.play();
    const ended = performance.now();
    failures.push(...(await remainders(traces, temporary, run.spawners)));
    const goneAfterMs = performance.now() - ended;
    failures.push(...traces.deadDecoys().map((name) => `The decoy "${name}" was killed.`));
    return { seed: plan.seed, plan: describePlan(plan), failures, goneAfterMs, tookMs: performance.now() - begin };
  } finally {
    traces.sweep();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function remainders(traces: Traces, temporary: string, spawners: SpawnerWatch): Promise<string[]> {
  const deadline = performance.now() + GONE_MS;
  let left = await leftNow(traces, temporary, spawners);
  while (left.length > 0 && performance.now() < deadline) {
    await wait(LOOK_EVERY_MS);
    left = await leftNow(traces, temporary, spawners);
  }
  return left.length === 0 ? [] : [`After ${GONE_MS} ms there are still ${left.join(', ')}.`];
}

/** Processes and temporary folders. */
async function leftNow(traces: Traces, temporary: string, spawners: SpawnerWatch): Promise<string[]> {
  const folders = (await readdir(temporary)).filter((name) => name.startsWith('troupe-'));
  return [...traces.living().map(String), ...spawners.living().map((pid) => `the spawner ${pid}`), ...folders];
}

interface RunPlace {
  readonly prefix: string;
  readonly seconds: string;
  readonly folder: string;
  readonly temporary: string;
}

class Run {
  readonly spawners = new SpawnerWatch();
  readonly #plan: ChaosPlan;
  readonly #props: Props;
  readonly #place: RunPlace;
  readonly #failures: string[] = [];

  constructor(plan: ChaosPlan, props: Props, place: RunPlace) {
    this.#plan = plan;
    this.#props = props;
    this.#place = place;
  }

  async play(): Promise<string[]> {
    const host = this.#start(await this.#hostPlan());
    await this.#moment(host);
    await this.#trouble(host);
    return this.#failures;
  }

  async #hostPlan(): Promise<HostPlan> {
    const { moment } = this.#plan;
    const aim = isAimed(moment) ? WAYS[moment.after] : undefined;
    const sessions = this.#plan.sessions.map(async ({ behaviour, prompts }, index) => ({
      options: {
        id: `${this.#place.prefix}-${index}`,
        pathToClaudeCodeExecutable: await this.#cli(behaviour, index),
        // Brings a private file into a temporary folder.
        settings: { env: { CHAOS: 'secret' } },
        ...(index === 0 && moment.after === 'parked' ? { budget: { maxTurns: 1 } } : {}),
        ...(behaviour === 'real'
          ? { cwd: this.#props.real.cwd, env: this.#props.real.env, allowedTools: ['Bash'] }
          : {}),
      },
      prompts: prompts.map((text) => ({ id: randomUUID(), text: behaviour === 'real' ? this.#realText(text) : text })),
      ...(index === 0 && aim?.afterwards !== undefined ? { afterwards: aim.afterwards } : {}),
    }));
    const isWatched = this.#plan.trouble.kind === 'kill-watched-host';
    const restart = { ...SUPERVISOR.restart, ...(moment.after === 'backing-off' ? { backoff: AIMED_BACKOFF } : {}) };
    const supervisor = { ...this.#supervisor(), restart, ...(isWatched ? { onHostLost: 'end' as const } : {}) };
    return { supervisor, sessions: await Promise.all(sessions) };
  }

  async #cli(behaviour: Behaviour, index: number): Promise<string> {
    if (behaviour === 'real') return this.#props.real.path;
    const path = join(this.#place.folder, `claude-${index}`);
    const cli = behaviour === 'deaf' ? this.#props.deafCli : this.#props.healthyCli;
    await writeFile(path, familyScript(behaviour, cli, this.#place.seconds), { mode: 0o700 });
    return path;
  }

  #realText(text: string): string {
    if (text === 'slow') return 'SLOW 20';
    // The CLI refuses a lone sleep.
    const command = `while true; do sleep ${this.#place.seconds}; done`;
    return text === 'tool' ? `CALL Bash ${JSON.stringify({ command, description: 'sleep' })}` : text;
  }

  #start(plan: HostPlan): HostProgram {
    const host = startHost(plan, { PATH: process.env['PATH'], TMPDIR: this.#place.temporary });
    if (this.#plan.spawner.mode !== 'direct') this.spawners.follow(host, this.#plan.spawner.killedAfterMs);
    return host;
  }

  #supervisor(): SupervisorOptions {
    return { ...SUPERVISOR, spawner: this.#plan.spawner.mode };
  }

  async #moment(host: HostProgram): Promise<void> {
    const { moment } = this.#plan;
    const { after, delayMs } = moment;
    if (isAimed(moment)) {
      const { shows } = WAYS[moment.after];
      const first = `${this.#place.prefix}-0`;
      const isThere = host.heard('state', ({ sessionId, state }) => sessionId === first && state === shows);
      await patiently(`the first session to be ${moment.after}`, isThere);
      await wait(delayMs);
      return;
    }
    if (after !== 'spawn') await patiently('the host to be up', host.heard('up'));
    if (after === 'ready') {
      const ids = this.#plan.sessions.map((_, index) => `${this.#place.prefix}-${index}`);
      const ready = ids.map((id) => host.heard('ready', ({ sessionId }) => sessionId === id));
      await patiently('the sessions to be ready', Promise.all(ready));
    }
    await wait(delayMs);
  }

  async #trouble(host: HostProgram): Promise<void> {
    const { trouble } = this.#plan;
    switch (trouble.kind) {
      case 'none':
        return this.#shutDown(host);
      case 'kill-cli':
        for (let times = 0; times < trouble.times; times += 1) {
          signalCli(host, 'SIGKILL');
          await wait(100);
        }
        return this.#shutDown(host);
      case 'stop-cli':
        signalCli(host, 'SIGSTOP');
        if (trouble.continueAfterMs !== undefined) {
          await wait(trouble.continueAfterMs);
          signalCli(host, 'SIGCONT');
        }
        return this.#shutDown(host);
      case 'signal-host': {
        host.kill(trouble.signal);
        if (trouble.againAfterMs !== undefined) {
          await wait(trouble.againAfterMs);
          host.kill(trouble.signal);
        }
        const end = await patiently('the host to go', host.ended);
        this.#expect(
          end.signal === trouble.signal,
          `After ${trouble.signal} the host ended with ${textOf(end, host)}.`,
        );
        // Before the first prompt was accepted, and after a second signal, nothing is promised.
        if (trouble.againAfterMs === undefined) this.#checkOutcomes(host);
        return;
      }
      case 'end-host': {
        // A host that is not up yet reads the word when it is.
        host.say(trouble.way);
        const end = await patiently('the host to go', host.ended);
        const code = trouble.way === 'exit' ? 3 : 1;
        this.#expect(end.code === code, `The host ended with ${textOf(end, host)}.`);
        return;
      }
      case 'kill-watched-host':
        host.kill('SIGKILL');
        await host.ended;
        return;
      case 'kill-host':
        host.kill('SIGKILL');
        await host.ended;
        if (trouble.nextHostLivesMs !== undefined) await this.#shortHost(trouble.nextHostLivesMs);
        return this.#nextHost();
    }
  }

  /** A host that reaps is itself killed in the middle of it. */
  async #shortHost(livesMs: number): Promise<void> {
    const host = this.#start(await this.#nextPlan('short'));
    await wait(livesMs);
    host.kill('SIGKILL');
    await host.ended;
  }

  /** The host that finds what others left behind, and is well itself. */
  async #nextHost(): Promise<void> {
    const host = this.#start(await this.#nextPlan('next'));
    await patiently('the next host to be ready', host.heard('ready'));
    const survived = host.facts.filter(({ type }) => type === 'orphan.survived');
    this.#expect(survived.length === 0, `Orphans survived: ${JSON.stringify(survived)}.`);
    await this.#shutDown(host);
  }

  async #nextPlan(name: string): Promise<HostPlan> {
    const id = `${this.#place.prefix}-${name}`;
    const options = { id, pathToClaudeCodeExecutable: this.#props.healthyCli };
    return { supervisor: this.#supervisor(), sessions: [{ options, prompts: [{ id: randomUUID(), text: 'hello' }] }] };
  }

  async #shutDown(host: HostProgram): Promise<void> {
    host.say('shutdown');
    const end = await patiently('the host to shut down', host.ended);
    this.#expect(end.code === 0, `The host that was shut down ended with ${textOf(end, host)}.`);
    this.#checkOutcomes(host);
  }

  /** Every prompt that was accepted ended once (P2). */
  #checkOutcomes(host: HostProgram): void {
    for (const fact of host.facts) {
      if (fact.type !== 'accepted') continue;
      const outcomes = host.facts.filter((other) => other.type === 'outcome' && other.id === fact.id);
      this.#expect(outcomes.length === 1, `The prompt ${fact.id} has ${outcomes.length} outcomes.`);
    }
  }

  #expect(isSo: boolean, failure: string): void {
    if (!isSo) this.#failures.push(failure);
  }
}

/** Signals the process that was started last; it may have ended. */
function signalCli(host: HostProgram, signal: NodeJS.Signals): void {
  const started = host.facts.findLast((fact) => fact.type === 'started');
  if (started?.type !== 'started') return;
  try {
    process.kill(started.pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function textOf({ code, signal }: HostEnd, host: HostProgram): string {
  return `code ${code}, signal ${signal} ${host.complaints()}`.trim();
}

async function patiently<T>(what: string, wanted: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const overdue = wait(PATIENCE_MS, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new Error(`Waited ${PATIENCE_MS} ms for ${what}.`)),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([wanted, overdue]);
  } finally {
    timer.abort();
  }
}
