import { type AbortNotice, LightAbort } from '../abort-notice.ts';
import { TroupeError } from '../errors.ts';
import { SparseMap } from '../sparse.ts';

/** One question of the CLI, on its way to whoever answers it. */
export interface IncomingRequest {
  readonly requestId: string;
  readonly subtype: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Aborted when the CLI takes the question back, or when the channel closes. */
  readonly signal: AbortNotice;
  /** Answers now, before the handler is done: what it returns or throws later is told to nobody. */
  readonly respond: (payload: unknown) => void;
}

/** Returns the payload of the answer; a throw becomes an error answer. */
export type RequestHandler = (incoming: IncomingRequest) => Promise<unknown>;

export interface Handling {
  readonly handle: RequestHandler;
  /** What it answers rests on what was logged before. */
  readonly rests: boolean;
}

const nobody = (): undefined => undefined;

/** Puts answers on the wire; resolves to false when the CLI was no longer there to read it. */
export interface ReplySink {
  /** Throws at once when the payload is no JSON: that becomes an error answer. */
  success(requestId: string, payload: unknown, rests: boolean): Promise<boolean>;
  error(requestId: string, message: string, rests: boolean): Promise<boolean>;
}

/** What waits for it is done in order, behind what runs now. */
const SOON = Promise.resolve();

interface InFlight {
  readonly controller: LightAbort;
  readonly written: Promise<boolean>;
}

/** Why an incoming request, or its cancel, was not passed on. */
export type Refusal = 'duplicate' | 'too-many' | 'unknown-cancel';

/**
 * Runs the handlers of incoming requests, all at the same time (R25): a slow one holds nobody back. Every request gets
 * exactly one answer, and none at all after its cancel (R26).
 */
export class RequestHandlers {
  #find: (subtype: string) => Handling | undefined = nobody;
  readonly #inFlight = new SparseMap<string, InFlight>();
  readonly #reply: ReplySink;
  readonly #limit: number;

  constructor(options: { reply: ReplySink; limit: number }) {
    this.#reply = options.reply;
    this.#limit = options.limit;
  }

  get size(): number {
    return this.#inFlight.size;
  }

  has(requestId: string): boolean {
    return this.#inFlight.has(requestId);
  }

  /** Asked for each request. */
  findBy(find: (subtype: string) => Handling | undefined): void {
    this.#find = find;
  }

  dispatch(incoming: Omit<IncomingRequest, 'signal' | 'respond'>): Refusal | undefined {
    const { requestId, subtype } = incoming;
    // A redelivered question is the same question: it keeps its one answer (R05).
    if (this.#inFlight.has(requestId)) return 'duplicate';
    const handler = this.#find(subtype);
    if (handler === undefined) {
      void this.#reply.error(requestId, `Unsupported control request subtype: ${subtype}`, false);
      return undefined;
    }
    if (this.#inFlight.size >= this.#limit) {
      void this.#reply.error(requestId, `Too many control requests are open (${this.#limit}).`, false);
      return 'too-many';
    }
    const controller = new LightAbort();
    // Registered before it runs: a handler may finish, or be cancelled, before `dispatch` returns.
    const written = SOON.then(() => this.#run(handler, incoming, controller));
    this.#inFlight.set(requestId, { controller, written });
    return undefined;
  }

  /** Resolves when the answer to an open request was taken by the pipe; false when it never will be. */
  written(requestId: string): Promise<boolean> {
    return this.#inFlight.get(requestId)?.written ?? Promise.resolve(false);
  }

  cancel(requestId: string): Refusal | undefined {
    const entry = this.#inFlight.get(requestId);
    if (entry === undefined) return 'unknown-cancel';
    this.#inFlight.delete(requestId);
    entry.controller.abort(new Error('The CLI cancelled the request.'));
    return undefined;
  }

  cancelAll(reason: unknown): void {
    const entries = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { controller } of entries) controller.abort(reason);
  }

  async #run(
    { handle, rests }: Handling,
    { requestId, subtype, request }: Omit<IncomingRequest, 'signal' | 'respond'>,
    signal: LightAbort,
  ): Promise<boolean> {
    // Whoever is taken out of the flight is aborted: the signal, not the id, tells whether this very question is open.
    if (signal.aborted) return false;
    let written: Promise<boolean> | undefined;
    const respond = (payload: unknown) => {
      if (signal.aborted || written !== undefined) return;
      this.#inFlight.delete(requestId);
      try {
        written = this.#reply.success(requestId, payload, rests);
      } catch (error) {
        written = this.#reply.error(requestId, reasonOf(error), rests);
      }
    };
    try {
      respond(await handle({ requestId, subtype, request, signal, respond }));
    } catch (error) {
      if (signal.aborted || written !== undefined) return written ?? false;
      this.#inFlight.delete(requestId);
      written = this.#reply.error(requestId, reasonOf(error), rests);
    }
    return written ?? false;
  }
}

/** What went wrong, as the CLI passes it on to the model: the particular reason says more than the general sentence. */
function reasonOf(error: unknown): string {
  if (TroupeError.is(error)) return error.reason ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
