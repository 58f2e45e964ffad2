import { TroupeError } from '../../src/errors.ts';
import type { Turn, TurnResult } from '../../src/index.ts';
import type { Session } from '../../src/session/session.ts';
import type { ObservedEvent } from '../../src/store/session-event.ts';
import { type Chronicle, digestOf } from './chronicle.ts';

/** Something that was asked for, and what came of it. */
export interface Call {
  readonly name: string;
  readonly session: string;
  readonly host: string;
  /** Of the time that passed for timers. */
  readonly calledAt: number;
  readonly withinMs: number;
  outcome: 'pending' | 'done' | { readonly code: string; readonly isTyped: boolean; readonly details: unknown };
}

export interface ClientPrompt {
  readonly id: string;
  readonly text: string;
  readonly session: string;
  /** Which life of the session, where the id was taken again. */
  readonly life: number;
  acceptance: 'pending' | 'accepted' | { readonly code: string };
  /** Every result that a turn of it told, over all hosts; HANDED_OVER is none. */
  readonly results: TurnResult[];
}

export interface ClientAnswer {
  readonly requestId: string;
  readonly session: string;
  readonly behavior: 'allow' | 'deny';
  readonly by: string;
  readonly call: Call;
  /** Told while the store failed, and its host is gone since: the next one may know nothing of it. */
  mayBeLost?: true;
}

/** What the clients of a world have done, and were told. */
export class Clients {
  readonly calls: Call[] = [];
  readonly prompts: ClientPrompt[] = [];
  readonly answers: ClientAnswer[] = [];
  readonly readers: Reader[] = [];
  /** How often somebody who was asked about a prompt said that it is to begin anew, by its text. */
  readonly retries = new Map<string, number>();
  /** Sessions about whose work somebody has said that it may stop. */
  readonly stopped = new Set<string>();

  track<T>(call: Omit<Call, 'outcome'>, work: () => Promise<T> | T): Call {
    const tracked: Call = { ...call, outcome: 'pending' };
    this.calls.push(tracked);
    const fail = (error: unknown) => {
      const isTyped = TroupeError.is(error);
      tracked.outcome = {
        code: isTyped ? error.code : String(error instanceof Error ? error.stack : error),
        isTyped,
        details: isTyped ? error.details : undefined,
      };
    };
    try {
      void Promise.resolve(work()).then(() => {
        tracked.outcome = 'done';
      }, fail);
    } catch (error) {
      fail(error);
    }
    return tracked;
  }

  /**
   * What was told while the store failed may be lost with the host. And whoever was refused because the store did not answer
   * cannot know whether it took the prompt after all: the next host may find it.
   */
  hostIsGone(wasVolatile: (session: string) => boolean): void {
    for (const { session, acceptance, results } of this.prompts) {
      if (acceptance !== 'accepted' || wasVolatile(session)) results.length = 0;
    }
    for (const answer of this.answers) {
      if (answer.call.outcome === 'done' && wasVolatile(answer.session)) answer.mayBeLost = true;
    }
  }

  follow(prompt: ClientPrompt, turn: Turn): void {
    turn.accepted.then(
      () => {
        if (prompt.acceptance === 'pending') prompt.acceptance = 'accepted';
      },
      (error: unknown) => {
        const code = TroupeError.is(error) ? error.code : String(error);
        if (prompt.acceptance === 'pending') prompt.acceptance = { code };
      },
    );
    void turn.result.then((result) => {
      if (result.error?.code !== 'HANDED_OVER') prompt.results.push(result);
    });
  }
}

/** One reader of the events of one session. */
export class Reader {
  readonly session: string;
  readonly host: string;
  /** What was seen of the session in the life that it reads of. */
  readonly chronicle: Chronicle;
  readonly from: number;
  readonly isSlow: boolean;
  /** In the order in which it got them: numbers with digests, and notices. */
  readonly got: ({ readonly seq: number; readonly digest: string } | { readonly notice: ObservedEvent })[] = [];
  /** How much of it was looked at. */
  checked = 0;
  lastSeq: number;
  isOver = false;
  /** What it was told instead of the rest. */
  failure: unknown;
  #next: () => void = () => {};
  readonly #events: AsyncIterableIterator<ObservedEvent>;

  constructor(
    session: Session,
    { host, chronicle, from, isSlow }: { host: string; chronicle: Chronicle; from: number; isSlow: boolean },
  ) {
    this.session = session.id;
    this.chronicle = chronicle;
    this.host = host;
    this.from = from;
    this.lastSeq = from;
    this.isSlow = isSlow;
    this.#events = session.events({ from });
    this.#read().catch((error: unknown) => {
      this.isOver = true;
      this.failure = error;
    });
  }

  /** A slow one takes one more. */
  step(): void {
    this.#next();
  }

  leave(): void {
    this.isOver = true;
    void this.#events.return?.();
  }

  async #read(): Promise<void> {
    for await (const event of this.#events) {
      if (this.isOver) return;
      this.got.push('epoch' in event ? { seq: event.seq, digest: digestOf(event) } : { notice: event });
      if (!this.isSlow) continue;
      await new Promise<void>((resolve) => {
        this.#next = resolve;
      });
    }
    this.isOver = true;
  }
}
