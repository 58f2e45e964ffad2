import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { PlannedLaunch } from '../launch/launch-plan.ts';
import { causeOf, errorOf, exitCause } from '../session/exit-cause.ts';
import type { OpenTransport, Transport, TransportListeners } from '../transport/transport.ts';
import { methodsOf } from '../transport/transport-methods.ts';
import type { Codec, ControlOutcome, Decoded } from '../wire/codec.ts';

export interface WarmProcessOptions {
  readonly planned: PlannedLaunch;
  readonly open: OpenTransport;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly timeouts: {
    readonly spawnMs: number;
    readonly initializeMs: number;
    readonly closeGraceMs: number;
    readonly killGraceMs: number;
  };
}

/** What it says before anybody listens is kept up to this; a process that says more is not handed out. */
const MAX_KEPT_BYTES = 4 * 2 ** 20;
const MAX_KEPT_STDERR_LINES = 100;
/** A process that does not answer a question within this is not handed out; a fresh one takes about as long to start. */
const PROBE_MS = 1_000;
/** It has nothing to finish: longer nobody waits for it to leave by itself. */
const LONGEST_CLOSE_MS = 2_000;

interface Question {
  readonly requestId: string;
  readonly settle: (outcome: ControlOutcome) => void;
}

/** A CLI process that said `initialize` to nobody in particular, and waits for the session it will be of. */
export class WarmProcess {
  /** Resolves with the reason once it can no longer be handed out, unless it was handed out or asked to end. */
  readonly lost: Promise<TroupeError>;
  readonly #options: WarmProcessOptions;
  readonly #opening: Promise<Transport>;
  #lose: (reason: TroupeError) => void = () => {};
  #transport: Transport | undefined;
  #phase: 'warming' | 'claimed' | 'handed-over' | 'ending' = 'warming';
  #isSound = true;
  #question: Question | undefined;
  #answer: Record<string, unknown> = {};
  /** stdout before the session listens, without the answer; how much of it came before that. */
  #kept: Buffer[] = [];
  #keptBeforeAnswer = 0;
  #keptBytes = 0;
  #openLine: Buffer = Buffer.alloc(0);
  readonly #stderr: string[] = [];
  #listeners: TransportListeners | undefined;
  #isGreeted = false;

  constructor(options: WarmProcessOptions) {
    this.#options = options;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.#opening = options.open(options.planned.plan, {
      output: (chunk) => this.#hear(chunk),
      outputEnded: () => this.#outputEnded(),
      stderr: (line) => this.#hearError(line),
    });
    void this.#opening.then(
      (transport) => this.#follow(transport),
      (error: unknown) => this.#spoil(errorOf(causeOf(error))),
    );
  }

  get pid(): number {
    return this.#transport?.pid ?? 0;
  }

  /** True while nothing speaks against handing it out. */
  get isSound(): boolean {
    return this.#isSound && this.#phase === 'warming';
  }

  /** Resolves when it has answered `initialize`; rejects with the reason, or with the deadline that passed. */
  async initialized(): Promise<void> {
    const { planned, timeouts } = this.#options;
    const { spawnMs, initializeMs } = timeouts;
    const spawned = await this.#within(Promise.race([this.#opening, this.#failure()]), spawnMs);
    if (spawned === 'overdue') throw new TroupeError('SPAWN_TIMEOUT', { details: { deadlineMs: spawnMs } });
    const asked = this.#ask('initialize', planned.initialize);
    const outcome = await this.#within(Promise.race([asked, this.#failure()]), initializeMs);
    if (outcome === 'overdue') throw new TroupeError('INITIALIZE_TIMEOUT', { details: { deadlineMs: initializeMs } });
    if (!outcome.ok) throw new TroupeError('INITIALIZE_FAILED', { reason: outcome.error });
    this.#answer = outcome.response;
  }

  /** Keeps it for one session. Resolves with whether it still answers; one that does not must be ended. */
  async claim(): Promise<boolean> {
    if (!this.isSound) return false;
    // Nothing about it shall change; every release knows the question, and an error is an answer, too.
    const asked = this.#ask('mcp_status', {});
    this.#phase = 'claimed';
    const isGone = this.lost.then(() => 'gone' as const);
    const outcome = await this.#within(Promise.race([asked, isGone]), PROBE_MS);
    return outcome !== 'overdue' && outcome !== 'gone' && this.#isSound;
  }

  /** The process as a transport that was opened just now: its first `initialize` is answered with what is known already. */
  handOver(listeners: TransportListeners): Transport {
    const transport = this.#transport;
    if (transport === undefined) throw new TroupeError('NO_PROCESS');
    this.#phase = 'handed-over';
    this.#listeners = listeners;
    return {
      ...methodsOf(transport),
      write: (line) => {
        const requestId = this.#isGreeted ? undefined : this.#initializeIn(line);
        if (requestId === undefined) return transport.write(line);
        queueMicrotask(() => this.#greet(requestId, listeners));
        return Promise.resolve();
      },
    };
  }

  /** Ends it and waits until its tree was seen gone, in a hurry without asking it to leave. Resolves with the pids that stayed. */
  async end({ isHurried }: { readonly isHurried: boolean }): Promise<readonly number[]> {
    const { closeGraceMs, killGraceMs } = this.#options.timeouts;
    this.#phase = 'ending';
    const opened = await this.#within(
      this.#opening.catch(() => 'failed' as const),
      killGraceMs,
    );
    if (opened === 'failed') return [];
    if (opened === 'overdue') {
      // It is ended as soon as there is anything to end.
      void this.#opening.then((late) => late.killTree(killGraceMs)).catch(() => {});
      return [];
    }
    if (!isHurried && this.#isSound) {
      opened.endInput();
      await this.#within(opened.exited, Math.min(closeGraceMs, LONGEST_CLOSE_MS));
    }
    return (await opened.killTree(killGraceMs)).survivors;
  }

  #follow(transport: Transport): void {
    this.#transport = transport;
    void transport.exited.then(() => {
      this.#isSound = false;
      // What it left behind may hold its pipes open (P1).
      if (this.#phase !== 'handed-over') void transport.killTree(this.#options.timeouts.killGraceMs);
    });
    void transport.finished.then((exit) => {
      const stderrTail = transport.stderrTail();
      const ended = { exit, resultErrors: [], stderrTail, isInitialized: true, isTruncated: false };
      this.#spoil(errorOf(exitCause(ended)));
    });
  }

  #ask(subtype: string, payload: Record<string, unknown>): Promise<ControlOutcome> {
    return new Promise((resolve) => {
      const requestId = `warm-${subtype}`;
      this.#question = { requestId, settle: resolve };
      const line = this.#options.codec.encodeRequest(requestId, { ...payload, subtype });
      // A process that does not read ends, or misses its deadline.
      this.#transport?.write(line).catch(() => {});
    });
  }

  #hear(chunk: Buffer): void {
    if (this.#isGreeted) {
      this.#listeners?.output(chunk);
      return;
    }
    let rest = this.#openLine.length === 0 ? chunk : Buffer.concat([this.#openLine, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      this.#hearLine(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
    this.#openLine = rest;
    if (this.#keptBytes + rest.length > MAX_KEPT_BYTES) this.#distrust('It said more than is kept.');
  }

  #hearLine(line: Buffer): void {
    let isKept = false;
    this.#options.codec.decode(line.subarray(0, -1), (decoded) => {
      if (!this.#settles(decoded)) isKept ||= decoded.kind !== 'keep-alive';
      // Only a session can answer, and the CLI may not wait for one.
      if (decoded.kind === 'control-request') this.#distrust(`It asked "${decoded.subtype}" before it had a session.`);
    });
    if (!isKept) return;
    this.#kept.push(line);
    this.#keptBytes += line.length;
  }

  #settles(decoded: Decoded): boolean {
    const question = this.#question;
    if (decoded.kind !== 'control-response' || decoded.requestId !== question?.requestId) return false;
    if (question.requestId === 'warm-initialize') this.#keptBeforeAnswer = this.#kept.length;
    this.#question = undefined;
    question.settle(decoded.outcome);
    return true;
  }

  #hearError(line: string): void {
    if (this.#listeners !== undefined) this.#listeners.stderr(line);
    else if (this.#stderr.length < MAX_KEPT_STDERR_LINES) this.#stderr.push(line);
  }

  #outputEnded(): void {
    if (this.#listeners !== undefined) this.#listeners.outputEnded?.();
    else this.#distrust('It closed its output.');
  }

  #greet(requestId: string, listeners: TransportListeners): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    const answer = Buffer.from(this.#options.codec.encodeSuccess(requestId, this.#answer));
    const before = this.#kept.slice(0, this.#keptBeforeAnswer);
    const after = this.#kept.slice(this.#keptBeforeAnswer);
    const said = [...before, answer, ...after, this.#openLine].filter(({ length }) => length > 0);
    this.#kept = [];
    this.#openLine = Buffer.alloc(0);
    for (const line of this.#stderr.splice(0)) listeners.stderr(line);
    for (const bytes of said) listeners.output(bytes);
  }

  #initializeIn(line: string): string | undefined {
    let requestId: string | undefined;
    this.#options.codec.decode(Buffer.from(line.trimEnd()), (decoded) => {
      if (decoded.kind === 'control-request' && decoded.subtype === 'initialize') requestId = decoded.requestId;
    });
    return requestId;
  }

  /** What it said cannot be undone: no session shall begin with it. */
  #distrust(reason: string): void {
    if (this.#phase === 'warming') this.#spoil(new TroupeError('INITIALIZE_FAILED', { reason }));
  }

  #spoil(reason: TroupeError): void {
    this.#isSound = false;
    this.#lose(reason);
  }

  async #failure(): Promise<never> {
    throw await this.lost;
  }

  async #within<T>(work: Promise<T>, deadlineMs: number): Promise<T | 'overdue'> {
    const { clock } = this.#options;
    let timer: unknown;
    const overdue = new Promise<'overdue'>((resolve) => {
      timer = clock.setTimeout(() => resolve('overdue'), deadlineMs);
    });
    try {
      return await Promise.race([work, overdue]);
    } finally {
      clock.clearTimeout(timer);
    }
  }
}
