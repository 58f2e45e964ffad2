import type { Clock } from '../clock.ts';
import { LatestMap } from '../sparse.ts';
import type { Codec, Decoded } from '../wire/codec.ts';
import { type Answer, PendingRequests } from './pending-requests.ts';
import { type Handling, RequestHandlers } from './request-handlers.ts';

export type ControlDecoded = Extract<Decoded, { kind: 'control-request' | 'control-response' | 'control-cancel' }>;

/** This many answers are remembered; the older ones had their echo long ago. */
const ANSWERS_KEPT = 1_000;

/** Marks the ids of notifications: their answers are expected, however many there are, and nobody waits for them. */
const NOTIFICATION_ID = 'troupe-notification-';

/** Notifications that the pipe has not taken yet; over it they are left out, for prompts need the room (P9). */
const MAX_UNWRITTEN_NOTIFICATIONS = 1_000;

/** Control traffic that belongs to nobody: late, doubled or unasked-for. Told, never acted on (P6). */
export interface ControlOddity {
  readonly reason:
    | 'late-response'
    | 'duplicate-request'
    | 'too-many-requests'
    | 'unknown-cancel'
    /** Told once for each time the CLI stops reading: notifications are left out from here on. */
    | 'too-many-notifications'
    /** It is no JSON. */
    | 'unsendable-notification';
  readonly requestId: string;
}

export interface ControlChannelOptions {
  readonly codec: Codec;
  readonly clock: Clock;
  /** Puts one line on the CLI's input. Its rejection is the channel's to absorb. */
  readonly write: (line: string, about?: { readonly rests: boolean }) => Promise<void>;
  /** Most requests open at once, in each direction. */
  readonly maxPending: number;
  readonly onOddity: (oddity: ControlOddity) => void;
}

/** Requests in both directions over one pipe: pairs our questions with their answers, and runs the handlers of the CLI's. */
export class ControlChannel {
  readonly #options: ControlChannelOptions;
  readonly #pending: PendingRequests;
  readonly #handlers: RequestHandlers;
  /** Ids of our answers, and whether the CLI has repeated each on its output, as one that replays does (WIRE §25.27). */
  readonly #answered = new LatestMap<string, { isEchoed: boolean }>(ANSWERS_KEPT);
  #nextId = 1;
  #unwritten = 0;
  #isLeavingOut = false;
  #closedBecause: unknown;
  #isClosed = false;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
    this.#pending = new PendingRequests({ clock: options.clock, limit: options.maxPending });
    this.#handlers = new RequestHandlers({
      limit: options.maxPending,
      reply: {
        success: (requestId, payload, rests) =>
          this.#answer(requestId, options.codec.encodeSuccess(requestId, payload), rests),
        error: (requestId, message, rests) =>
          this.#answer(requestId, options.codec.encodeError(requestId, message), rests),
      },
    });
  }

  /** Requests of both directions that have no answer yet. */
  get openRequests(): { readonly ours: number; readonly theirs: number } {
    return { ours: this.#pending.size, theirs: this.#handlers.size };
  }

  /** Who answers which requests of the CLI; what nobody does is refused. */
  answerBy(find: (subtype: string) => Handling | undefined): void {
    this.#handlers.findBy(find);
  }

  /**
   * Asks the CLI and resolves with the payload of its answer. Rejects with CONTROL_REFUSED, CONTROL_TIMEOUT (older CLIs
   * never answer what they do not know: WIRE §9), ABORTED, CONTROL_LIMIT, INVALID_OPTIONS for a payload that is no JSON, or
   * the reason the channel closed with.
   */
  request(
    subtype: string,
    payload: Readonly<Record<string, unknown>>,
    options: { deadlineMs: number; signal?: AbortSignal | undefined },
  ): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(this.#closedBecause);
    const requestId = `troupe-${this.#nextId++}`;
    let line: string;
    try {
      line = this.#options.codec.encodeRequest(requestId, { ...payload, subtype });
    } catch (error) {
      return Promise.reject(error);
    }
    const answer = this.#pending.wait(requestId, subtype, {
      ...options,
      onGivenUp: () => void this.#send(this.#options.codec.encodeCancel(requestId)),
    });
    // Who was refused at the limit or aborted before waits for nothing: the CLI must not be asked.
    if (!this.#pending.has(requestId)) return answer;
    this.#options.write(line).catch((error: unknown) => this.#pending.reject(requestId, error));
    return answer;
  }

  /**
   * Tells the CLI something as a request, and waits for no answer: the one it sends all the same is expected and ignored,
   * and does not count as pending. Resolves when the pipe took it; false when it never will, which is told (P6).
   */
  async notify(subtype: string, payload: Readonly<Record<string, unknown>>): Promise<boolean> {
    const requestId = `${NOTIFICATION_ID}${this.#nextId++}`;
    if (this.#isClosed || this.#isOverfull(requestId)) return false;
    let line: string;
    try {
      line = this.#options.codec.encodeRequest(requestId, { ...payload, subtype });
    } catch {
      this.#options.onOddity({ reason: 'unsendable-notification', requestId });
      return false;
    }
    this.#unwritten += 1;
    const isWritten = await this.#send(line);
    this.#unwritten -= 1;
    if (this.#unwritten === 0) this.#isLeavingOut = false;
    return isWritten;
  }

  /** True for a request of the CLI that is being answered, or was. */
  knows(requestId: unknown): boolean {
    return typeof requestId === 'string' && (this.#handlers.has(requestId) || this.#answered.has(requestId));
  }

  /** Resolves when our answer to an open request of the CLI was taken by the pipe; false when it never will be. */
  answerWritten(requestId: string): Promise<boolean> {
    return this.#handlers.written(requestId);
  }

  /** Takes one decoded control line. Never throws and never waits. */
  accept(decoded: ControlDecoded): void {
    const { requestId } = decoded;
    if (this.#isClosed) return;
    switch (decoded.kind) {
      case 'control-request': {
        const refusal = this.#handlers.dispatch(decoded);
        if (refusal === 'duplicate') this.#options.onOddity({ reason: 'duplicate-request', requestId });
        if (refusal === 'too-many') this.#options.onOddity({ reason: 'too-many-requests', requestId });
        return;
      }
      case 'control-cancel':
        if (this.#handlers.cancel(requestId) !== undefined)
          this.#options.onOddity({ reason: 'unknown-cancel', requestId });
        return;
      case 'control-response':
        if (this.#isEcho(requestId) || requestId.startsWith(NOTIFICATION_ID)) return;
        if (!this.#settle(decoded)) this.#options.onOddity({ reason: 'late-response', requestId });
    }
  }

  /** Rejects every waiting caller and aborts every handler with the reason. Idempotent; the first reason stays. */
  close(reason: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closedBecause = reason;
    this.#pending.rejectAll(reason);
    this.#handlers.cancelAll(reason);
  }

  #isEcho(requestId: string): boolean {
    const answered = this.#answered.get(requestId);
    if (answered === undefined || answered.isEchoed) return false;
    answered.isEchoed = true;
    return true;
  }

  #isOverfull(requestId: string): boolean {
    if (this.#unwritten < MAX_UNWRITTEN_NOTIFICATIONS) return false;
    if (!this.#isLeavingOut) this.#options.onOddity({ reason: 'too-many-notifications', requestId });
    this.#isLeavingOut = true;
    return true;
  }

  #settle(decoded: Extract<ControlDecoded, { kind: 'control-response' }>): boolean {
    const { requestId, outcome } = decoded;
    return outcome.ok
      ? this.#pending.resolve(requestId, { ...NOTHING, ...outcome.beside, ...outcome.response })
      : this.#pending.refuse(requestId, outcome.error, outcome.errorCode);
  }

  #answer(requestId: string, line: string, rests: boolean): Promise<boolean> {
    this.#answered.set(requestId, { isEchoed: false });
    return this.#send(line, rests);
  }

  /** An answer that cannot be written has no reader: the end of the process is told elsewhere, with its reason. */
  #send(line: string, rests = false): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    return (rests ? this.#options.write(line, { rests }) : this.#options.write(line)).then(isTaken, isLost);
  }
}

/** What is spread behind an empty object gets the shape of its like; behind another V8 makes it one of its own, kept with it. */
const NOTHING = {};

const isTaken = (): boolean => true;
const isLost = (): boolean => false;
