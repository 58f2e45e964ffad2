import { TroupeError } from '../../errors.ts';
import { CliMessage } from '../cli-message.ts';
import type { Codec, ControlOutcome, Decoded, PromptLine } from '../codec.ts';
import { isRecord, stringOf } from '../fields.ts';
import { decodeLine } from '../stream-json/decoding.ts';
import { toLine } from '../stream-json/encoding.ts';
import { decisionFor, toolQuestion } from './answer.ts';
import { greetingOf, missingOf } from './greeting.ts';
import { abilitiesOf, type PeerAbilities } from './peer-abilities.ts';
import { type Params, type PeerLine, type RpcFault, type RpcId, readPeerLine } from './peer-line.ts';
import { type OpenPrompt, SpokenTurn } from './spoken-turn.ts';

type Emit = (decoded: Decoded) => void;

/** A call of ours that has no answer yet. */
type OpenCall =
  | { readonly kind: 'initialize'; readonly requestId: string; readonly greeting: Record<string, unknown> }
  | { readonly kind: 'control'; readonly requestId: string; readonly method: string }
  | { readonly kind: 'prompt'; readonly prompt: OpenPrompt };

/** A question of the engine that has no answer yet. */
interface OpenQuestion {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params;
}

const METHOD_NOT_FOUND = -32_601;
const APPLICATION_ERROR = -32_000;

/** What a session knows by itself; another copy would only be noise. */
const KNOWN_ALREADY: ReadonlySet<string> = new Set([
  'prompt_state',
  'session_state',
  'permission_pending',
  'replay_completed',
]);

const UNKNOWN: PeerAbilities = abilitiesOf(undefined);

/**
 * The JSON-RPC dialect, seen from the front end: the host calls, the engine answers, notifies and asks (DIALECTS §3). One for each
 * process: it remembers which answer belongs to what, and which answer of the model is under way.
 */
export class JsonRpcCodec implements Codec {
  readonly #calls = new Map<RpcId, OpenCall>();
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #turn = new SpokenTurn();
  #abilities = UNKNOWN;
  #sessionId: string | undefined;
  #isPartial = false;
  #hasGreeted = false;
  #nextId = 1;

  decode(line: Buffer, emit: Emit): void {
    // The reading of lines, with what is glued to them, is the same; only what an object means is another matter.
    decodeLine(line, (decoded) => {
      try {
        if (decoded.kind === 'diagnostic' && decoded.reason === 'untyped') this.#object(line, decoded, emit);
        else if (decoded.kind === 'diagnostic' && decoded.reason === 'foreign') this.#foreign(line, decoded, emit);
        else if (decoded.kind === 'diagnostic') emit(decoded);
        else this.#typed(line, decoded, emit);
      } catch (error) {
        // What is nested deeper than the stack can be read and not be written again.
        if (!(error instanceof RangeError)) throw error;
        const sample = line.toString('utf8', 0, 2_048).slice(0, 512);
        emit({ kind: 'diagnostic', reason: 'malformed-control', sample, bytes: line.length });
      }
    });
  }

  encodePrompt({ uuid, content }: PromptLine): string {
    const id = this.#take({ kind: 'prompt', prompt: { uuid, content } });
    const session = this.#sessionId === undefined ? {} : { session_id: this.#sessionId };
    return toLine(call(id, 'user_message', { content, ...session, prompt_id: uuid }), 'INVALID_PROMPT');
  }

  encodeRequest(requestId: string, request: { subtype: string } & Record<string, unknown>): string {
    const { subtype } = request;
    if (subtype === 'initialize' && !this.#hasGreeted) return this.#greet(requestId, request);
    if (subtype === 'interrupt') {
      const { cancel_queued: cancelQueued } = request;
      const id = this.#take({ kind: 'control', requestId, method: 'interrupt' });
      const session = this.#sessionId === undefined ? {} : { session_id: this.#sessionId };
      const queued = cancelQueued === true ? { cancel_queued: true } : {};
      return toLine(call(id, 'interrupt', { ...session, ...queued }), 'INVALID_OPTIONS');
    }
    if (subtype === 'mcp_message') {
      // What a server of this process says without being asked; whoever asked for none of its tools hears nothing.
      if (!this.#abilities.extensions.has('in_process_tools')) return '';
      const { server_name, message } = request;
      return toLine({ jsonrpc: '2.0', method: 'mcp_message', params: { server_name, message } }, 'INVALID_OPTIONS');
    }
    throw new TroupeError('CONTROL_UNSUPPORTED', {
      reason: `"${subtype}" has no counterpart in the dialect json-rpc.`,
      details: { subtype, dialect: 'json-rpc' },
    });
  }

  encodeSuccess(requestId: string, response: unknown): string {
    const question = this.#questions.get(requestId);
    this.#questions.delete(requestId);
    if (question === undefined) return '';
    return toLine({ jsonrpc: '2.0', id: question.id, result: this.#resultFor(question, response) }, 'INVALID_ANSWER');
  }

  encodeError(requestId: string, message: string): string {
    const question = this.#questions.get(requestId);
    this.#questions.delete(requestId);
    if (question === undefined) return '';
    const code = message.startsWith('Unsupported control request') ? METHOD_NOT_FOUND : APPLICATION_ERROR;
    return toLine({ jsonrpc: '2.0', id: question.id, error: { code, message } }, 'INVALID_ANSWER');
  }

  /** The dialect has no word for it: an answer that comes all the same is told as late. */
  encodeCancel(): string {
    return '';
  }

  #greet(requestId: string, request: Record<string, unknown>): string {
    this.#hasGreeted = true;
    this.#isPartial = request['includePartialMessages'] === true;
    const { sessionId } = request;
    this.#sessionId = stringOf(sessionId) || undefined;
    const greeting = greetingOf(request);
    this.#calls.set(0, { kind: 'initialize', requestId, greeting });
    return toLine(call(0, 'initialize', greeting), 'INVALID_OPTIONS');
  }

  #take(open: OpenCall): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#calls.set(id, open);
    return id;
  }

  /** An object that has no `type`: the ordinary case here. */
  #object(line: Buffer, decoded: Decoded, emit: Emit): void {
    if (!this.#peerLine(readPeerLine(jsonIn(line)), line, emit)) emit(decoded);
  }

  /** A list of objects is a batch; behind a banner an object may be glued, which must not be lost (R11). */
  #foreign(line: Buffer, decoded: Decoded, emit: Emit): void {
    const batch = jsonIn(line);
    // A batch of nothing is no request (JSON-RPC 2.0, 6), and nothing is dropped in silence (P6).
    if (!Array.isArray(batch) || batch.length === 0) {
      emit(decoded);
      const frame = frameBehind(line);
      if (frame !== undefined) this.#peerLine(readPeerLine(jsonIn(frame)), frame, emit);
      return;
    }
    for (const value of batch) {
      if (!this.#peerLine(readPeerLine(value), line, emit))
        emit({
          kind: 'diagnostic',
          reason: 'malformed-control',
          sample: line.toString('utf8', 0, 2_048).slice(0, 512),
          bytes: line.length,
        });
    }
  }

  /** An object with a `type` of its own is either still one of ours, or the peer speaks `stream-json`. */
  #typed(line: Buffer, decoded: Decoded, emit: Emit): void {
    const value = decoded.kind === 'message' ? decoded.message.value : undefined;
    if (this.#peerLine(readPeerLine(value), line, emit)) return;
    if (this.#abilities === UNKNOWN)
      emit({ kind: 'dialect-mismatch', seen: 'stream-json', sample: line.toString('utf8').slice(0, 200) });
    else
      emit({ kind: 'diagnostic', reason: 'foreign', sample: line.toString('utf8').slice(0, 512), bytes: line.length });
  }

  /** False for what is no JSON-RPC. */
  #peerLine(peer: PeerLine, line: Buffer, emit: Emit): boolean {
    switch (peer.kind) {
      case 'notification':
        this.#notified(peer.method, peer.params, line, emit);
        return true;
      case 'request':
        this.#asked(peer, line, emit);
        return true;
      case 'result':
        this.#answered(peer.id, { result: peer.result }, line, emit);
        return true;
      case 'error':
        this.#answered(peer.id, { error: peer.error }, line, emit);
        return true;
      case 'other':
        return false;
    }
  }

  #notified(method: string, params: Params, line: Buffer, emit: Emit): void {
    const tell = teller(line, emit);
    const isOfTurn = ['assistant_token', 'tool_use_start', 'tool_result'].includes(method);
    this.#learnSession(params);
    if (isOfTurn) this.#open(line, emit);
    if (method === 'assistant_token') this.#turn.token(params, this.#facts, tell);
    else if (method === 'tool_use_start') this.#turn.toolStarted(params, this.#facts, tell);
    else if (method === 'tool_result') this.#turn.toolEnded(params, this.#facts, tell);
    else if (method === 'turn_complete') this.#completed(params, line, emit);
    else if (method === 'permission_resolved') this.#takenBack(params, emit);
    else if (KNOWN_ALREADY.has(method)) emit({ kind: 'keep-alive' });
    // Newer notifications are ignored by everybody who does not know them, but not lost.
    else tell({ type: 'json_rpc', subtype: method, params });
  }

  #completed(params: Params, line: Buffer, emit: Emit): void {
    const tell = teller(line, emit);
    this.#turn.completed(params, this.#facts, tell);
    // A turn that nobody asked for has no other end.
    const isOwn = this.#turn.isOpen && this.#oldestPrompt() === undefined;
    if (isOwn) this.#turn.end(undefined, params['is_error'] === true ? { status: 'failed' } : {}, this.#facts, tell);
  }

  /** Somebody else decided. */
  #takenBack(params: Params, emit: Emit): void {
    const { request_id: requestId } = params;
    for (const [key, question] of this.#questions) {
      if (requestId === undefined || question.params['request_id'] !== requestId) continue;
      this.#questions.delete(key);
      emit({ kind: 'control-cancel', requestId: key });
    }
  }

  #asked(peer: Extract<PeerLine, { kind: 'request' }>, line: Buffer, emit: Emit): void {
    const { id, method, params } = peer;
    const requestId = `${typeof id === 'number' ? 'number' : 'text'}-${id}`;
    this.#learnSession(params);
    if (method === 'permission_request' || method === 'hook') this.#open(line, emit);
    this.#questions.set(requestId, { id, method, params });
    const request = requestOf(method, params);
    emit({ kind: 'control-request', requestId, subtype: request.subtype, request });
  }

  #answered(
    id: RpcId | undefined,
    outcome: { readonly result: unknown } | { readonly error: RpcFault },
    line: Buffer,
    emit: Emit,
  ): void {
    const open = id === undefined ? undefined : this.#calls.get(id);
    if (id === undefined || open === undefined) {
      emit({ kind: 'control-response', requestId: `json-rpc-${id ?? 'null'}`, outcome: controlOutcome(outcome, '') });
      return;
    }
    this.#calls.delete(id);
    if (open.kind === 'prompt') this.#prompted(open.prompt, outcome, line, emit);
    else if (open.kind === 'initialize') this.#greeted(open, outcome, emit);
    else emit({ kind: 'control-response', requestId: open.requestId, outcome: controlOutcome(outcome, open.method) });
  }

  #prompted(
    prompt: OpenPrompt,
    outcome: { readonly result: unknown } | { readonly error: RpcFault },
    line: Buffer,
    emit: Emit,
  ): void {
    const facts = 'error' in outcome ? { status: 'failed', error: outcome.error } : outcome.result;
    const params = isRecord(facts) ? facts : {};
    this.#learnSession(params);
    this.#turn.end(prompt, params, this.#facts, teller(line, emit));
  }

  #greeted(
    { requestId, greeting }: Extract<OpenCall, { kind: 'initialize' }>,
    outcome: { readonly result: unknown } | { readonly error: RpcFault },
    emit: Emit,
  ): void {
    if ('error' in outcome) {
      emit({ kind: 'control-response', requestId, outcome: controlOutcome(outcome, 'initialize') });
      return;
    }
    this.#abilities = abilitiesOf(outcome.result);
    this.#sessionId = this.#abilities.sessionId ?? this.#sessionId;
    const missing = missingOf(greeting, this.#abilities);
    const { version, tools, extensions } = this.#abilities;
    const response = {
      protocol_version: version,
      tools,
      engine_capabilities: [...extensions],
      ...(missing.length === 0 ? {} : { unsupported_options: missing }),
    };
    emit({ kind: 'control-response', requestId, outcome: { ok: true, response, beside: {} } });
  }

  #resultFor({ method, params }: OpenQuestion, response: unknown): unknown {
    if (method === 'permission_request') {
      const { input } = toolQuestion(params);
      return decisionFor(response, input, this.#abilities.extensions.has('updated_input'));
    }
    return response ?? {};
  }

  #open(line: Buffer, emit: Emit): void {
    this.#turn.open(this.#oldestPrompt(), this.#facts, teller(line, emit));
  }

  #oldestPrompt(): OpenPrompt | undefined {
    for (const open of this.#calls.values()) if (open.kind === 'prompt') return open.prompt;
    return undefined;
  }

  #learnSession(params: Params): void {
    this.#sessionId = (stringOf(params['session_id']) || undefined) ?? this.#sessionId;
  }

  get #facts() {
    return { sessionId: this.#sessionId ?? '', tools: this.#abilities.tools, isPartial: this.#isPartial };
  }
}

function call(id: number, method: string, params: Record<string, unknown>) {
  return { jsonrpc: '2.0', id, method, params };
}

function requestOf(method: string, params: Params): { subtype: string } & Record<string, unknown> {
  if (method === 'permission_request' && (params['kind'] ?? 'tool') === 'tool') return toolQuestion(params);
  if (method === 'hook') {
    const { hook_id, input, tool_use_id } = params;
    return {
      subtype: 'hook_callback',
      callback_id: hook_id,
      input,
      ...(tool_use_id === undefined ? {} : { tool_use_id }),
    };
  }
  if (method === 'mcp_message') return { ...params, subtype: 'mcp_message' };
  return { ...params, subtype: `json-rpc ${method}` };
}

function controlOutcome(
  outcome: { readonly result: unknown } | { readonly error: RpcFault },
  method: string,
): ControlOutcome {
  if ('result' in outcome) {
    return { ok: true, response: isRecord(outcome.result) ? outcome.result : {}, beside: {} };
  }
  const { code, message } = outcome.error;
  if (code !== METHOD_NOT_FOUND) return { ok: false, error: message, errorCode: undefined };
  return { ok: false, error: `Unsupported control request subtype: ${method}`, errorCode: 'unsupported_request' };
}

function teller(line: Buffer, emit: Emit) {
  return (value: { readonly type: string } & Readonly<Record<string, unknown>>) =>
    emit({ kind: 'message', message: CliMessage.translated(line, value) });
}

/** So many places where an object may begin are tried behind a banner. */
const MAX_CANDIDATES = 16;
const FRAME_START = Buffer.from('{"');

function frameBehind(line: Buffer): Buffer | undefined {
  let start = line.indexOf(FRAME_START);
  for (let tries = 0; tries < MAX_CANDIDATES && start !== -1; tries += 1) {
    const frame = line.subarray(start);
    if (readPeerLine(jsonIn(frame)).kind !== 'other') return frame;
    start = line.indexOf(FRAME_START, start + 1);
  }
  return undefined;
}

/** Undefined for what is no JSON. */
function jsonIn(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8').replace(/^[\s\ufeff]+/, ''));
  } catch {
    return undefined;
  }
}
