import { TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { failureWords } from '../session/result-words.ts';
import type { Session } from '../session/session.ts';
import type { SessionEvent } from '../store/session-event.ts';
import { resultFacts } from '../wire/result-facts.ts';
import { currentHost } from './host.ts';
import { openerFor, readQueryOptions, sessionOptionsOf } from './query-launch.ts';
import { type QueryMessage, QueryView } from './query-message.ts';
import { assertPrompt, type QueryPrompt, type ReadPrompt, readUserMessage, textPrompt } from './query-prompts.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/** After the last turn, background agents may still work for this long before the process is ended anyway. */
const BACKGROUND_CEILING_MS = 10 * 60_000;

/** A stream is not asked for more while this many prompts are unanswered: it waits, and nothing is lost (P9, P10). */
const MAX_UNANSWERED = 1_000;

type Ended = Extract<SessionEvent, { type: 'session.ended' }>;

interface LastResult {
  readonly isError: boolean;
  readonly isInterrupt: boolean;
  readonly said: string;
}

/** One process from start to end: what is fed into it, and what it says. Nothing of it outlives `end` (R53). */
export class QueryRun {
  readonly #options: SessionOptions;
  readonly #supervisor: Supervisor;
  readonly #view: QueryView;
  readonly #inputs = new Set<Promise<void>>();
  readonly #turns = new Set<Promise<void>>();
  #starting: Promise<Session> | undefined;
  #last: LastResult | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;
  /** Something was not written, or not answered, because the process was gone. */
  #isCutOff = false;
  #ended: Ended | undefined;

  constructor(options: unknown) {
    this.#options = readQueryOptions(options);
    // Options that are none at all are named by the start of the session.
    const { env } = this.#options ?? {};
    this.#supervisor = createSupervisor({ limits: { maxSessions: 1 }, spawn: openerFor(this.#options ?? {}) });
    this.#view = new QueryView(env ?? currentHost().env);
  }

  /** The session, started with its first use: a query that is made and then forgotten costs no process. */
  begin(): Promise<Session> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Resolves when the process is ready for a prompt; rejects with the reason when it never will be, and then is over. */
  async ready(): Promise<void> {
    const session = await this.begin();
    try {
      await session.initializationResult();
    } catch (error) {
      await this.end();
      // That there is no process to ask is only what follows from the first reason.
      throw this.#abortError() ?? (await session.ended).error ?? error;
    }
  }

  /** Writes what the stream yields, until it ends or the session does. The run goes on until it is answered. */
  feed(prompt: QueryPrompt): Promise<void> {
    // Nobody would ever read it.
    if (this.#isClosed || this.#ended !== undefined) return Promise.reject(new TroupeError('SESSION_CLOSED'));
    const input = this.#feed(prompt).finally(() => this.#inputs.delete(input));
    this.#inputs.add(input);
    return input;
  }

  async *messages(prompt: QueryPrompt): AsyncGenerator<QueryMessage, void> {
    try {
      assertPrompt(prompt);
      if (this.#isClosed) return;
      const session = await this.begin();
      const events = session.events();
      const done = this.#drive(session, prompt);
      for await (const event of events) {
        if (event.type === 'subscriber.lagged') throw new TroupeError('SUBSCRIBER_LAGGED', { details: { ...event } });
        if (event.type === 'session.ended') this.#ended = event;
        const value = event.type === 'message' ? event.message.value : undefined;
        if (value === undefined) continue;
        if (value['type'] === 'result') this.#last = readResult(value);
        const shown = this.#view.show(value);
        if (shown !== undefined) yield shown;
      }
      await done;
      const { error } = await session.ended;
      this.#throwEnd(error);
    } finally {
      // Also when the loop was left early or threw.
      await this.end();
    }
  }

  /** Ends the process with everything it started, and resolves when that was seen. Idempotent. */
  async end(): Promise<void> {
    this.#isClosed = true;
    await this.#supervisor.shutdown();
  }

  async #start(): Promise<Session> {
    const reason = 'expected an object';
    if (typeof this.#options !== 'object' || this.#options === null || Array.isArray(this.#options)) {
      throw new TroupeError('INVALID_OPTIONS', {
        reason: `"options": ${reason}.`,
        details: { field: 'options', reason },
      });
    }
    // Registered first, so that the messages of a start that fails are heard too.
    const session = await this.#supervisor.start({ ...sessionOptionsOf(this.#options), autoStart: false });
    session.restart();
    return session;
  }

  /** Resolves when everything that was fed in is answered and the session is closed. Never rejects. */
  async #drive(session: Session, prompt: QueryPrompt): Promise<void> {
    try {
      this.feed(prompt).catch((error: unknown) => {
        this.#failure ??= { error };
      });
      do {
        // What was sent before the stream of prompts failed is still answered.
        await Promise.allSettled([...this.#inputs]);
        await Promise.all([...this.#turns]);
        await session.settled({ ceilingMs: BACKGROUND_CEILING_MS });
      } while (this.#inputs.size > 0);
      await session.close();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async #feed(prompt: QueryPrompt): Promise<void> {
    const session = await this.begin();
    if (typeof prompt === 'string') return this.#send(session, textPrompt(prompt));
    const iterator = prompt[Symbol.asyncIterator]();
    const over = session.ended.then(() => 'over' as const);
    const limit = Math.min(MAX_UNANSWERED, this.#options.limits?.maxPromptQueue ?? MAX_UNANSWERED);
    for (let count = 0; ; count += 1) {
      while (this.#turns.size >= limit) await Promise.race(this.#turns);
      const step = await Promise.race([iterator.next(), over]);
      if (step === 'over') {
        this.#isCutOff = true;
        // Nobody waits for the next prompt, and the stream is told to stop.
        iterator.return?.()?.catch(() => {});
        return;
      }
      if (step.done === true) return;
      this.#send(session, readUserMessage(step.value, count));
    }
  }

  #send(session: Session, { content, fields, id, isMine }: ReadPrompt): void {
    this.#view.remember(id, isMine);
    const turn = session.prompt(content, { id, onBusy: 'steer', fields }).result.then(({ error }) => {
      this.#turns.delete(turn);
      this.#isCutOff ||= error?.code === 'CLI_EXITED';
    });
    this.#turns.add(turn);
  }

  /** Why the messages ended. A query that was cut off must not look like one that came to its end. */
  #throwEnd(ended: TroupeError | undefined): void {
    const aborted = this.#abortError();
    if (aborted !== undefined) throw aborted;
    if (this.#isClosed) return;
    // One that leaves by itself and says that all is well has only been faster than our goodbye.
    if (ended !== undefined && (this.#isCutOff || this.#ended?.exitCode !== 0)) throw ended;
    if (this.#failure !== undefined) throw this.#failure.error;
    // As the official SDK has it; an interrupt, however, is an outcome and no error (P3).
    if (this.#last?.isError === true && !this.#last.isInterrupt) {
      throw new TroupeError('TURN_FAILED', { reason: `Claude Code returned an error result: ${this.#last.said}` });
    }
    const { exitCode, signal, wasForced } = this.#ended ?? {};
    // As the official SDK has it: what it did at its end may be lost, however good its last result was (P3).
    if (this.#ended === undefined || wasForced === true || this.#last?.isInterrupt === true || this.#hasLeft()) return;
    const status = exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`;
    throw new TroupeError('CLI_EXITED', { reason: `(${status})`, details: { exitCode, signal } });
  }

  /** The process ended with the status of success, or never began. */
  #hasLeft(): boolean {
    const { exitCode, signal } = this.#ended ?? {};
    return (exitCode === 0 || exitCode === undefined) && (signal ?? null) === null;
  }

  #abortError(): TroupeError | undefined {
    const signal = this.#options?.abortController?.signal;
    return signal?.aborted === true ? new TroupeError('ABORTED', { cause: signal.reason }) : undefined;
  }
}

function readResult(value: Record<string, unknown>): LastResult {
  const facts = resultFacts(value);
  return {
    isError: facts.isError,
    isInterrupt: facts.terminalReason?.startsWith('aborted_') === true,
    said: failureWords(facts),
  };
}
