import { type Actor, createActor, fromPromise } from 'xstate';
import type { PermissionInput } from '../../machines/permission/permission.context.ts';
import type { PermissionEvent, Settlement, Verdict } from '../../machines/permission/permission.events.ts';
import { permissionMachine } from '../../machines/permission/permission.machine.ts';
import type { AskInput, Reply } from '../../machines/permission/permission.ports.ts';
import { failed, ruled, settlementBy } from '../../machines/permission/settlement.ts';
import { LightAbort } from '../abort-notice.ts';
import { atEndOfTurn, type Clock } from '../clock.ts';
import type { PermissionRequest } from './permission-request.ts';

export interface OpenQuestionOptions {
  readonly request: PermissionRequest;
  /** Known for one of a former host, whose text may be less than what was asked. */
  readonly digest: string | undefined;
  readonly input: PermissionInput;
  readonly clock: Clock;
  readonly inspect: ((event: unknown) => void) | undefined;
  /** What the rules say; undefined where there are none. */
  readonly judge: () => Promise<Verdict> | Verdict;
  /** Asks the callback; undefined where there is none, and people answer. */
  readonly ask: ((signal: LightAbort) => Promise<Reply>) | undefined;
  /** It has to be told that it was asked. Called once, before anything else is told of it. */
  readonly onRequested: () => void;
  /** No rule decides it: somebody is asked, and the session waits. */
  readonly onOpen: () => void;
  /** Called in the moment of the settlement, before anybody else knows of it. */
  readonly onSettled: (settlement: Settlement) => void;
  /** In place of all three, for one that was settled before anybody was told of it. `wasOpen`: no rule decided it. */
  readonly onPassed: (settlement: Settlement, wasOpen: boolean) => void;
}

/** The answer of a callback that leaves it to people: they answer with `send`. One for all would keep whoever ever waited for it. */
export function nobody(): Promise<Reply> {
  return new Promise(() => {});
}

/** Whose machine it is, by the system of its root actor. */
const QUESTIONS = new WeakMap<object, OpenQuestion>();

/** One for all questions of all sessions: with ports of its own it would be built anew for each. */
const MACHINE = permissionMachine.provide({
  actors: {
    judge: fromPromise<Verdict, AskInput>(({ system }) => questionIn(system).judge()),
    ask: fromPromise<Reply, AskInput>(({ system, signal }) => questionIn(system).ask(signal)),
  },
});

function questionIn(system: object): OpenQuestion {
  const question = QUESTIONS.get(system);
  if (question === undefined) throw new Error('A permission machine was started without its question.');
  return question;
}

/**
 * A question that waits for its answer. Most are answered by a rule or a callback in the very turn of the event loop in which
 * they came: those need no machine. One that is still open at the end of that turn goes on in its machine,
 * which then owns its deadline and its races; what was asked before is not asked again.
 */
export class OpenQuestion {
  readonly request: PermissionRequest;
  readonly digest: string | undefined;
  readonly settled: Promise<Settlement>;
  /** The CLI's id of the request; undefined while no process asks. */
  askedAs: string | undefined;
  readonly #options: OpenQuestionOptions;
  readonly #callback = new LightAbort();
  readonly #asked: (() => void)[] = [];
  #actor: Actor<typeof permissionMachine> | undefined;
  #judging: Promise<Verdict> | Verdict | undefined;
  #asking: Promise<Reply> | undefined;
  #isBegun = false;
  #isTold = false;
  #isAsking = false;
  #isOpen = false;
  #settlement: Settlement | undefined;
  #isStopped = false;
  #resolve: (settlement: Settlement) => void = () => {};

  constructor(options: OpenQuestionOptions) {
    this.#options = options;
    this.request = options.request;
    this.digest = options.digest;
    this.settled = new Promise<Settlement>((resolve) => {
      this.#resolve = resolve;
    });
  }

  get deadlineMs(): number {
    return this.#options.input.deadlineMs;
  }

  /** What it was decided, though it may not be told everywhere yet. */
  get settlement(): Settlement | undefined {
    return this.#settlement;
  }

  /** Has it judged, and whoever has to be asked asked. */
  begin(): void {
    this.#isBegun = true;
    // Whoever inspects the machines wants to see each of them, and a question of a former host waits for its process.
    if (this.#options.inspect !== undefined || this.digest !== undefined) {
      this.#startMachine();
      return;
    }
    void this.#decideAtOnce();
    if (this.#settlement === undefined) atEndOfTurn(() => this.goOn());
  }

  /** It is not answered yet: from now on it is waited for. */
  goOn(): void {
    if (this.#isBegun && !this.#isElsewhere) this.#startMachine();
  }

  send(event: PermissionEvent): void {
    if (this.#actor !== undefined) {
      this.#actor.send(event);
      return;
    }
    this.#tell();
    if (this.#isAsking) this.#open();
    this.#settle(settlementBy(event));
    this.#callback.abort();
  }

  /** Nothing is decided here any more. */
  stop(): void {
    this.#isStopped = true;
    this.#actor?.stop();
    this.#callback.abort();
  }

  /** Resolves when a process asks it. */
  whenAsked(): Promise<void> {
    if (this.askedAs !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  markAsked(id: string): void {
    this.askedAs = id;
    for (const resolve of this.#asked.splice(0)) resolve();
  }

  /** For the machine's ports: what was begun goes on, whoever waits for it. */
  judge(): Promise<Verdict> {
    this.#judging ??= this.#options.judge();
    return Promise.resolve(this.#judging);
  }

  ask(signal: AbortSignal): Promise<Reply> {
    signal.addEventListener('abort', () => this.#callback.abort(signal.reason), { once: true });
    this.#asking ??= this.#options.ask?.(this.#callback) ?? nobody();
    return this.#asking;
  }

  /** As the machine does it, as long as there is none. */
  async #decideAtOnce(): Promise<void> {
    let decider = 'policy';
    try {
      this.#judging = this.#options.judge();
      const verdict = 'behavior' in this.#judging ? this.#judging : await this.#judging;
      if (this.#isElsewhere) return;
      if (verdict.behavior !== 'ask') {
        this.#settle(ruled(verdict));
        return;
      }
      if (this.#options.ask === undefined) {
        this.goOn();
        return;
      }
      decider = 'callback';
      this.#isAsking = true;
      this.#asking = this.#options.ask(this.#callback);
      const reply = await this.#asking;
      if (!this.#isElsewhere) this.#settle(ruled(reply));
    } catch (error) {
      if (!this.#isElsewhere) this.#settle(failed(decider, error));
    }
  }

  get #isElsewhere(): boolean {
    return this.#settlement !== undefined || this.#isStopped || this.#actor !== undefined;
  }

  #startMachine(): void {
    const { input, clock, inspect } = this.#options;
    this.#actor = createActor(MACHINE, { input, clock, ...(inspect === undefined ? {} : { inspect }) });
    QUESTIONS.set(this.#actor.system, this);
    this.#actor.subscribe((snapshot) => {
      if (snapshot.status === 'done') this.#settle(snapshot.output);
    });
    this.#tell();
    this.#open();
    this.#actor.start();
  }

  #tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#options.onRequested();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#options.onOpen();
  }

  #settle(settlement: Settlement): void {
    if (this.#settlement !== undefined || this.#isStopped) return;
    this.#settlement = settlement;
    if (this.#isTold) this.#options.onSettled(settlement);
    else this.#options.onPassed(settlement, this.#isAsking);
    this.#resolve(settlement);
  }
}
