import { createJSONRPCErrorResponse, type JSONRPCClient } from 'json-rpc-2.0';
import { TroupeError } from '../../errors.ts';
import type { PermissionRequest } from '../../permissions/permission-request.ts';
import type { Session } from '../../session/session.ts';
import { answerOf, questionParams } from './question.ts';
import type { Notice } from './session-notices.ts';

export interface QuestionsParts {
  readonly client: JSONRPCClient<void>;
  readonly by: string;
  /** It may answer, and wants to be asked; else it is only shown what is asked. */
  readonly isAsked: boolean;
  readonly notify: (notice: Notice) => void;
}

/** After so many malformed answers to one question it is left to others. */
const MAX_ATTEMPTS = 3;
const WITHDRAWN = -32_001;

/** The questions that one front end was asked. It answers by the response to its request; whoever is first decides (P4). */
export class Questions {
  readonly #parts: QuestionsParts;
  /** The id of the JSON-RPC request by session and question. */
  readonly #open = new Map<string, number>();
  #nextId = 0;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  ask(session: Session, request: PermissionRequest): void {
    const key = keyOf(session.id, request.id);
    if (this.#open.has(key)) return;
    const params = questionParams(session.id, request);
    if (this.#parts.isAsked) void this.#ask(session, request, 1);
    else {
      this.#open.set(key, -1);
      this.#parts.notify({ method: 'permission_pending', params });
    }
  }

  /** Tells who decided, and takes the question back from a front end that has not answered. */
  settled(
    sessionId: string,
    facts: { readonly requestId: string; readonly outcome: string; readonly by: string },
  ): void {
    const { requestId, outcome, by } = facts;
    const params = { session_id: sessionId, request_id: requestId, outcome, by };
    this.#parts.notify({ method: 'permission_resolved', params });
    this.#withdraw(keyOf(sessionId, requestId));
  }

  /** The front end follows the session no more. */
  leave(sessionId: string): void {
    for (const key of [...this.#open.keys()]) if (key.startsWith(keyOf(sessionId, ''))) this.#withdraw(key);
  }

  async #ask(session: Session, request: PermissionRequest, attempt: number): Promise<void> {
    const key = keyOf(session.id, request.id);
    this.#nextId += 1;
    const id = this.#nextId;
    this.#open.set(key, id);
    const params = questionParams(session.id, request);
    const response = await this.#parts.client.requestAdvanced({
      jsonrpc: '2.0',
      id,
      method: 'permission_request',
      params,
    });
    if (this.#open.get(key) !== id) return;
    // Who says that it cannot answer has not decided; the question waits for somebody else.
    if (response.error !== undefined) return;
    const refusal = await this.#answer(session, request, response.result);
    if (refusal === undefined) return;
    const { code, message, details } = refusal;
    const facts = { session_id: session.id, request_id: request.id, code, message, details };
    this.#parts.notify({ method: 'answer_refused', params: facts });
    const isStillOpen = session.permissions.get(request.id)?.settlement === undefined;
    if (code === 'INVALID_ANSWER' && isStillOpen && attempt < MAX_ATTEMPTS && this.#open.has(key))
      await this.#ask(session, request, attempt + 1);
  }

  async #answer(session: Session, request: PermissionRequest, reply: unknown): Promise<TroupeError | undefined> {
    try {
      await session.permissions.answer(request.id, answerOf(request, reply), { by: this.#parts.by });
      return undefined;
    } catch (error) {
      if (TroupeError.is(error)) return error;
      throw error;
    }
  }

  #withdraw(key: string): void {
    const id = this.#open.get(key);
    this.#open.delete(key);
    if (id !== undefined && id > 0) this.#parts.client.receive(createJSONRPCErrorResponse(id, WITHDRAWN, 'Settled'));
  }
}

/** Ids of sessions hold no line end. */
function keyOf(sessionId: string, requestId: string): string {
  return `${sessionId}\n${requestId}`;
}
