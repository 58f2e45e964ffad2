import { randomUUID } from 'node:crypto';
import type { Journal } from './journal.ts';
import type { Output } from './output.ts';
import type { Carrier } from './print-carrier.ts';
import type { JsonObject } from './scenario.ts';

/** What came of a request of the CLI: the host's answer, its error, a cancel of ours, or the end of stdin. */
export type Answer =
  | { readonly kind: 'success'; readonly payload: JsonObject }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'closed' };

interface OwnRequest {
  readonly id: string;
  readonly name: string;
  readonly request: JsonObject;
  /** The turn the request dies with; undefined lives as long as the process. */
  readonly owner: object | undefined;
  readonly settle: (answer: Answer) => void;
  state: 'pending' | 'answered' | 'cancelled';
}

/** The control requests of the CLI to the host, kept by id (WIRE §6), and the judgement of the answers to them. */
export class OwnRequests {
  readonly #journal: Journal;
  readonly #output: Output;
  readonly #byId = new Map<string, OwnRequest>();
  readonly #answers = new Map<string, Promise<Answer>>();
  readonly #carrier: Carrier | undefined;
  #isInputOpen = true;

  /** With a `carrier` everything is asked through it, and nothing by lines. */
  constructor(journal: Journal, output: Output, carrier?: Carrier) {
    this.#journal = journal;
    this.#output = output;
    this.#carrier = carrier;
  }

  send(request: JsonObject, options: { name?: string; owner?: object | undefined } = {}): Promise<Answer> {
    // After the end of stdin nothing can be asked any more (WIRE §15).
    if (!this.#isInputOpen) return this.#remember(options.name, Promise.resolve({ kind: 'closed' }));
    const id = randomUUID();
    const name = options.name ?? id;
    const answer = new Promise<Answer>((settle) => {
      this.#byId.set(id, { id, name, request, owner: options.owner, settle, state: 'pending' });
    });
    if (this.#carrier === undefined) this.#output.frame({ type: 'control_request', request_id: id, request });
    else void this.#carry(id, request, this.#carrier);
    return this.#remember(name, answer);
  }

  /** The answer to the last request of that name. */
  answerTo(name: string): Promise<Answer> | undefined {
    return this.#answers.get(name);
  }

  /** Takes a `control_response` line; returns what it answered, when it answered something. */
  take(line: JsonObject): { name: string; request: JsonObject; answer: Answer } | undefined {
    const response = line.response as JsonObject | undefined;
    if (typeof response?.request_id !== 'string') {
      if ('request_id' in line) this.#journal.violation('misplaced-request-id', JSON.stringify(line));
      return undefined;
    }
    const own = this.#byId.get(response.request_id);
    if (own === undefined || own.state !== 'pending') {
      this.#journal.violation(
        own === undefined
          ? 'answer-to-unknown-request'
          : own.state === 'answered'
            ? 'duplicate-answer'
            : 'answer-after-cancel',
        JSON.stringify(line),
      );
      return undefined;
    }
    own.state = 'answered';
    const answer: Answer =
      response.subtype === 'success'
        ? { kind: 'success', payload: (response.response ?? {}) as JsonObject }
        : { kind: 'error', message: String(response.error) };
    this.#judge(own.request, answer);
    own.settle(answer);
    return { name: own.name, request: own.request, answer };
  }

  pending(subtype: string): JsonObject[] {
    const waiting = [...this.#byId.values()].filter(
      (own) => own.state === 'pending' && own.request.subtype === subtype,
    );
    return waiting.map((own) => ({ type: 'control_request', request_id: own.id, request: own.request }));
  }

  cancel(name: string): void {
    for (const own of this.#byId.values()) if (own.name === name) this.#withdraw(own);
  }

  cancelAllOf(owner: object): void {
    for (const own of this.#byId.values()) if (own.owner === owner) this.#withdraw(own);
  }

  /** Stdin ended: whatever is pending fails without a cancel line (WIRE §6). */
  close(): void {
    if (this.#carrier !== undefined) return;
    this.#isInputOpen = false;
    for (const own of this.#byId.values()) own.settle({ kind: 'closed' });
  }

  async #carry(id: string, request: JsonObject, carrier: Carrier): Promise<void> {
    const answer = await carrier(request).then(
      (payload): Answer => ({ kind: 'success', payload }),
      (error: Error): Answer => ({ kind: 'error', message: error.message }),
    );
    const own = this.#byId.get(id);
    if (own?.state !== 'pending') return;
    own.state = 'answered';
    this.#judge(request, answer);
    own.settle(answer);
  }

  #withdraw(own: OwnRequest): void {
    if (own.state !== 'pending') return;
    own.state = 'cancelled';
    this.#output.frame({ type: 'control_cancel_request', request_id: own.id });
    own.settle({ kind: 'cancelled' });
  }

  #remember(name: string | undefined, answer: Promise<Answer>): Promise<Answer> {
    if (name !== undefined) this.#answers.set(name, answer);
    return answer;
  }

  #judge(request: JsonObject, answer: Answer): void {
    if (answer.kind !== 'success') return;
    const { payload } = answer;
    const detail = JSON.stringify(payload);
    if (request.subtype === 'mcp_message' && payload.mcp_response === undefined) {
      this.#journal.violation('missing-mcp-response', detail);
    }
    if (request.subtype !== 'can_use_tool') return;
    if (payload.behavior === 'allow') {
      if (payload.updatedInput === undefined) this.#journal.violation('allow-without-updated-input', detail);
    } else if (payload.behavior !== 'deny') {
      this.#journal.violation('invalid-permission-answer', detail);
    } else if (typeof payload.message !== 'string' || payload.message === '') {
      this.#journal.violation('deny-without-message', detail);
    }
  }
}
