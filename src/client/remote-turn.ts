import { TroupeError } from '../errors.ts';
import type { ViewEvent } from '../view/view-event.ts';
import type { Http } from './http.ts';
import type { RemoteEvent } from './remote-event.ts';

/** How long one question for the result waits at the server. */
const WAIT_MS = 25_000;

/** How a prompt ended, as the library tells it. */
export interface RemoteResult {
  readonly promptId: string;
  readonly outcome: 'completed' | 'failed' | 'interrupted' | 'cancelled' | 'lost';
  readonly text?: string;
  readonly usage?: unknown;
  readonly costUsd?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface RemotePromptOptions {
  /** The prompt's id: the same id with the same content is the same prompt. Default: made up. */
  readonly id?: string;
  /** What happens while the session works. Default `enqueue`. */
  readonly onBusy?: 'enqueue' | 'steer' | 'interrupt' | 'reject';
  /** The text is somebody else's: it runs no command. Default false. */
  readonly untrusted?: boolean;
  /** Ends the sending and the waiting, with ABORTED; a prompt that the server has goes on. */
  readonly signal?: AbortSignal;
}

type MessageEvent = Extract<ViewEvent, { type: 'message' }>;

/** A prompt that was sent, and the promise of what becomes of it. */
export class RemoteTurn implements AsyncIterable<MessageEvent> {
  /** Of the prompt. */
  readonly id: string;
  /** Resolves when the server has it for good. Rejects with the reason it was refused. */
  readonly accepted: Promise<void>;
  readonly #http: Http;
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  readonly #events: (cursor: string | undefined) => AsyncIterable<RemoteEvent>;
  readonly #told: Promise<{ readonly cursor?: string }>;
  #result: Promise<RemoteResult> | undefined;

  constructor(parts: {
    readonly id: string;
    readonly http: Http;
    readonly path: string;
    readonly signal: AbortSignal | undefined;
    /** What the server says when it has the prompt; `cursor`: where its log was before. */
    readonly accepted: Promise<{ readonly cursor?: string }>;
    readonly events: (cursor: string | undefined) => AsyncIterable<RemoteEvent>;
  }) {
    this.id = parts.id;
    this.#told = parts.accepted;
    this.accepted = parts.accepted.then(() => {});
    // Who waits for the result alone hears of a refusal there.
    this.accepted.catch(() => {});
    this.#http = parts.http;
    this.#path = parts.path;
    this.#signal = parts.signal;
    this.#events = parts.events;
  }

  /** Resolves when the prompt has ended, however long that takes and whatever becomes of the connection. */
  get result(): Promise<RemoteResult> {
    this.#result ??= this.#awaitResult();
    return this.#result;
  }

  /** Takes the prompt back; false when it is too late. */
  async cancel(): Promise<boolean> {
    const { cancelled } = await this.#http.ask<{ cancelled: boolean }>(this.#path, {
      method: 'DELETE',
      isRepeatable: true,
    });
    return cancelled;
  }

  /**
   * The messages of its turn, from its start to its end. Throws SUBSCRIBER_LAGGED when some of them are not kept any more:
   * nothing is skipped in silence (P6).
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<MessageEvent> {
    const { cursor } = await this.#told;
    let hasStarted = false;
    let isFirst = cursor === undefined;
    for await (const event of this.#events(cursor)) {
      if (event.type === 'snapshot' && event.reset === true && !isFirst) this.#assertWaits(event, hasStarted);
      isFirst = false;
      if (event.type === 'prompt.started' && event.promptId === this.id) hasStarted = true;
      else if (event.type === 'prompt.ended' && event.promptId === this.id) return;
      else if (event.type === 'message' && hasStarted) yield event;
    }
  }

  /** The stream begins anew at another place. That costs nothing where the turn has not begun. */
  #assertWaits({ view, from }: Extract<RemoteEvent, { type: 'snapshot' }>, hasStarted: boolean): void {
    const prompt = view.prompts.find(({ id }) => id === this.id);
    const waits = prompt !== undefined && (prompt.state === 'accepted' || prompt.state === 'deferred');
    if (waits && !hasStarted) return;
    throw new TroupeError('SUBSCRIBER_LAGGED', { details: { promptId: this.id, from } });
  }

  async #awaitResult(): Promise<RemoteResult> {
    await this.accepted;
    for (;;) {
      const ask = { query: { waitMs: WAIT_MS }, waitMs: WAIT_MS, isPatient: true, signal: this.#signal };
      const told = await this.#http.ask<Partial<RemoteResult>>(this.#path, ask);
      const { outcome } = told;
      if (outcome !== undefined) return { ...told, promptId: this.id, outcome };
    }
  }
}

/** An id that a server of any release takes. */
export function newPromptId(): string {
  return globalThis.crypto.randomUUID();
}
