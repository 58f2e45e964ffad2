import { createJSONRPCErrorResponse, JSONRPCClient, type JSONRPCRequest, JSONRPCServer } from 'json-rpc-2.0';
import type { z } from 'zod';
import { TroupeError } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import { type EventRun, isRun, type LogEntry } from '../../store/event-run.ts';
import type { ObservedEvent, SubscriberEvent } from '../../store/session-event.ts';
import { Attachment } from './attachment.ts';
import { callTable } from './call-table.ts';
import { InitializeParams } from './calls.ts';
import type { Engine, Starting } from './engine.ts';
import { readFrame } from './frame.ts';
import type { CutReason, FrontEnd, FrontEndLink, Identify, Scope } from './front-end-link.ts';
import { type FrontEndParts, frontEndParts, type RelayedServer } from './front-end-parts.ts';
import { type Agreement, agree, EXTENSIONS } from './handshake.ts';
import { Questions } from './questions.ts';
import { rpcError } from './rpc-error.ts';
import { type Notice, SessionNotices } from './session-notices.ts';

export interface ConnectionParts {
  readonly engine: Engine;
  readonly link: FrontEndLink;
  readonly frontEnd: FrontEnd | Identify;
  /** The session of calls that name none. Default: one is started with the first message. */
  readonly sessionId?: string | undefined;
  readonly onEnded: () => void;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** One front end of the engine, whatever carries its frames. */
export class EngineConnection {
  readonly engine: Engine;
  /** The session of calls that name none. */
  sessionId: string | undefined;
  /** Messages that have not reached their session yet. */
  readonly taking = new Set<Promise<unknown>>();
  readonly #link: FrontEndLink;
  readonly #onEnded: () => void;
  readonly #server: JSONRPCServer<void>;
  readonly #client: JSONRPCClient<void>;
  readonly #attachments = new Map<string, Attachment>();
  readonly #stopWaiting: () => void;
  readonly #identify: Identify;
  readonly #isStranger: boolean;
  #frontEnd: FrontEnd | undefined;
  #agreement: Agreement | undefined;
  #greeting: Promise<unknown> | undefined;
  #parts: FrontEndParts = {};
  #sessionOptions: Readonly<Record<string, unknown>> = {};
  /** Servers that run in the front end, by name. */
  relays: ReadonlyMap<string, RelayedServer> = new Map();
  #questions: Questions | undefined;
  #openCalls = 0;
  #isOver = false;
  #hasSaidAll = false;
  #stopAnswering = () => {};
  /** What comes once the call under way is answered. */
  #cutNext: CutReason | undefined;

  constructor({ engine, link, frontEnd, sessionId, onEnded }: ConnectionParts) {
    this.engine = engine;
    this.#isStranger = typeof frontEnd === 'function';
    this.#identify = typeof frontEnd === 'function' ? frontEnd : () => frontEnd;
    this.sessionId = sessionId;
    this.#link = link;
    this.#onEnded = onEnded;
    this.#client = new JSONRPCClient((payload) => this.#send(JSON.stringify(payload)));
    // What goes wrong is told to the front end; there is nobody else to tell.
    this.#server = new JSONRPCServer({ errorListener: () => {} });
    this.#server.mapErrorToJSONRPCErrorResponse = rpcError;
    this.#server.addMethod('initialize', (params: unknown) => {
      const answer = this.#initialize(this.parse(InitializeParams, params));
      this.#greeting = answer.catch(() => {});
      return answer;
    });
    for (const [method, { needs, run }] of Object.entries(callTable(this))) {
      this.#server.addMethod(method, async (params: unknown) => {
        // What comes right behind the greeting waits for its answer.
        await this.#greeting;
        this.#assertMay(needs);
        return run(params);
      });
    }
    const { clock, limits } = engine;
    const timer = clock.setTimeout(() => this.cut('not-initialized'), limits.initializeMs);
    this.#stopWaiting = () => clock.clearTimeout(timer);
  }

  /** What was agreed on; undefined before `initialize`. */
  get agreement(): Agreement | undefined {
    return this.#agreement;
  }

  /** Who it is. Only who said `initialize` gets as far as to be asked for. */
  get frontEnd(): FrontEnd {
    if (this.#frontEnd === undefined) throw new TroupeError('UNAUTHENTICATED');
    return this.#frontEnd;
  }

  /** With what it starts sessions. */
  get starting(): Starting {
    // Who wants to hear tokens wants them as they come.
    const streamed = this.#wants.streaming ? { includePartialMessages: true } : {};
    return { frontEnd: this.frontEnd, options: { ...streamed, ...this.#sessionOptions }, parts: this.#parts };
  }

  /** Takes one frame. Never throws: what is wrong with it is answered. */
  receive(frame: string): void {
    if (this.#isOver) return;
    if (Buffer.byteLength(frame) > this.engine.limits.maxFrameBytes) {
      this.cut('frame-too-large');
      return;
    }
    const read = readFrame(frame);
    if (read.kind === 'unreadable') this.#refuse(PARSE_ERROR, 'Parse error');
    else if (read.kind === 'invalid') this.#refuse(INVALID_REQUEST, 'Invalid Request');
    else if (read.kind === 'reply') this.#client.receive(read.replies);
    else if (read.kind === 'batch') this.#receiveBatch(read.calls);
    else void this.#serve(read.call);
    // A stranger whose first words are of another protocol gets no second try: what follows may be of a page (P11).
    const isForeign = read.kind === 'unreadable' || read.kind === 'invalid';
    if (isForeign && this.#isStranger && this.#agreement === undefined) this.cut('not-authenticated');
  }

  /** The front end says nothing more. What it asked is answered first, within `drainMs`; its questions are left to others. */
  inputEnded(): void {
    if (this.#isOver || this.#hasSaidAll) return;
    this.#hasSaidAll = true;
    this.#client.rejectAllPendingRequests('The front end says nothing more.');
    const { clock, limits } = this.engine;
    const timer = clock.setTimeout(() => this.cut('input-ended'), limits.drainMs);
    this.#stopAnswering = () => clock.clearTimeout(timer);
    if (this.#openCalls === 0) this.cut('input-ended');
  }

  /** The link is gone. Nothing is answered for the front end; its turns go on. */
  ended(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWaiting();
    this.#stopAnswering();
    for (const attachment of this.#attachments.values()) attachment.end();
    this.#attachments.clear();
    this.#client.rejectAllPendingRequests('The front end is gone.');
    this.#onEnded();
  }

  /** The engine ends. */
  close(): void {
    this.notify({ method: 'server_closing', params: {} });
    this.cut('server-closing');
  }

  notify({ method, params }: Notice): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Follows a session from behind `from` on, by default from now; once. Throws FRONT_END_LIMIT. */
  attach(session: Session, from?: number): Attachment {
    const known = this.#attachments.get(session.id);
    if (known !== undefined) return known;
    const { maxAttachments } = this.engine.limits;
    if (this.#attachments.size >= maxAttachments)
      throw new TroupeError('FRONT_END_LIMIT', { details: { limit: 'maxAttachments', max: maxAttachments } });
    const questions = this.#questions;
    const notices = new SessionNotices(session.id, this.#wants, from !== undefined);
    const attachment: Attachment = new Attachment({
      session,
      from: from ?? session.snapshot().seq,
      hear: (event) => this.#tell(notices, event, session.id),
      ask: (request) => questions?.ask(session, request),
      settled: (event) => questions?.settled(session.id, event),
      onEnd: () => this.detach(session.id, attachment),
    });
    this.#attachments.set(session.id, attachment);
    return attachment;
  }

  /** Follows it no more; true when it did. */
  detach(sessionId: string, only?: Attachment): boolean {
    const attachment = this.#attachments.get(sessionId);
    if (attachment === undefined || (only !== undefined && only !== attachment)) return false;
    this.#attachments.delete(sessionId);
    this.#questions?.leave(sessionId);
    attachment.end();
    return true;
  }

  /** Throws INVALID_REQUEST naming the field. */
  parse<T extends z.ZodType>(schema: T, params: unknown): z.infer<T> {
    const result = schema.safeParse(params);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const field = ['params', ...(issue?.path ?? [])].join('.');
    throw new TroupeError('REQUEST_INVALID', { reason: `"${field}": ${issue?.message}.`, details: { field } });
  }

  get #wants() {
    return this.#agreement?.capabilities ?? { streaming: false, permissions: false, progress: false, messages: false };
  }

  async #initialize(params: z.infer<typeof InitializeParams>) {
    if (this.#agreement !== undefined)
      throw new TroupeError('REQUEST_INVALID', { reason: 'The connection is initialized already.' });
    this.#stopWaiting();
    if (this.#frontEnd !== undefined) throw new TroupeError('REQUEST_INVALID', { reason: 'It says so already.' });
    this.#frontEnd = this.#identify(params.token ?? undefined);
    if (this.#frontEnd === undefined) {
      this.#cutNext = 'not-authenticated';
      throw new TroupeError('UNAUTHENTICATED', { details: { field: 'params.token' } });
    }
    const agreement = agree(params, this.#frontEnd);
    await this.#takeParts(params, agreement);
    this.#agreement = agreement;
    this.#questions = new Questions({
      client: this.#client,
      by: this.#frontEnd.name,
      isAsked: agreement.capabilities.permissions && agreement.scopes.has('answer'),
      notify: (notice) => {
        if (agreement.capabilities.permissions) this.notify(notice);
      },
    });
    this.sessionId = params.session_id ?? this.sessionId;
    const session = this.sessionId === undefined ? undefined : this.engine.find(this.sessionId);
    if (session !== undefined) this.attach(session);
    const { version, capabilities, role, scopes } = agreement;
    const { tools, mcpServers } = session?.facts ?? { tools: [], mcpServers: [] };
    return {
      protocol_version: version,
      capabilities: { tools, mcp_servers: mcpServers.length, ...capabilities, ...EXTENSIONS },
      role,
      scopes: [...scopes],
      ...(this.sessionId === undefined ? {} : { session_id: this.sessionId }),
    };
  }

  /** What sessions are to have of this front end: refused now rather than with the first message. */
  async #takeParts(params: z.infer<typeof InitializeParams>, { scopes }: Agreement): Promise<void> {
    const { hooks, in_process_servers: servers, options } = params;
    const isAsked = [hooks, servers, options].some((given) => given !== undefined && given !== null);
    if (!isAsked) return;
    // A hook decides about tools, as an answer does.
    const needed: readonly Scope[] = hooks ? ['control', 'answer'] : ['control'];
    const lacking = needed.find((scope) => !scopes.has(scope));
    if (lacking !== undefined) throw new TroupeError('SCOPE_MISSING', { details: { scope: lacking } });
    if (options) await this.engine.check(this.frontEnd, options);
    this.#sessionOptions = options ?? {};
    const { relays, ...parts } = frontEndParts(this.#client, { hooks, servers });
    this.relays = relays;
    this.#parts = parts;
  }

  #assertMay(needs: Scope): void {
    if (this.#agreement === undefined)
      throw new TroupeError('REQUEST_INVALID', { reason: 'The first call is initialize.' });
    if (!this.#agreement.scopes.has(needs))
      throw new TroupeError('SCOPE_MISSING', { reason: `It needs the scope "${needs}".`, details: { scope: needs } });
  }

  #receiveBatch(batch: JSONRPCRequest[]): void {
    const { maxBatch } = this.engine.limits;
    if (batch.length === 0 || batch.length > maxBatch)
      this.#refuse(INVALID_REQUEST, `A batch holds 1 to ${maxBatch} calls.`);
    else void this.#serve(batch);
  }

  async #serve(calls: JSONRPCRequest | JSONRPCRequest[]): Promise<void> {
    const count = Array.isArray(calls) ? calls.length : 1;
    const { maxOpenCalls } = this.engine.limits;
    if (this.#openCalls + count > maxOpenCalls) {
      const error = new TroupeError('FRONT_END_LIMIT', { details: { limit: 'maxOpenCalls', max: maxOpenCalls } });
      for (const { id = null } of [calls].flat()) this.#send(JSON.stringify(rpcError(id, error)));
      return;
    }
    this.#openCalls += count;
    const response = await this.#server.receive(calls);
    this.#openCalls -= count;
    if (response !== null) this.#send(JSON.stringify(response));
    if (this.#cutNext !== undefined) this.cut(this.#cutNext);
    else if (this.#hasSaidAll && this.#openCalls === 0) this.cut('input-ended');
  }

  /** Waits while the front end does not read: the feed of a session keeps what it may, and says what it must drop. */
  #tell(notices: SessionNotices, entry: LogEntry | SubscriberEvent, sessionId: string): Promise<void> | undefined {
    if (!isRun(entry)) this.#tellEvent(notices, entry, sessionId);
    else if (!this.#tellRun(entry, sessionId)) {
      for (const event of entry.events()) this.#tellEvent(notices, event, sessionId);
    }
    const isFull = this.#link.bufferedBytes > this.engine.limits.maxBufferedBytes / 2;
    return isFull ? this.#drained() : undefined;
  }

  #tellEvent(notices: SessionNotices, event: ObservedEvent, sessionId: string): void {
    if (this.#wants.messages && event.type === 'message') this.#passThrough(sessionId, event);
    for (const notice of notices.of(event)) this.notify(notice);
  }

  /** Who wants no tokens gets nothing of the pieces of an answer but their lines; those are the same for everybody. */
  #tellRun(run: EventRun, sessionId: string): boolean {
    if (this.#wants.streaming) return false;
    if (!this.#wants.messages || this.#isOver) return true;
    if (this.#link.bufferedBytes + run.bytes <= this.engine.limits.maxBufferedBytes)
      return this.#link.sendRun?.(this.engine.runs.of(sessionId, run)) ?? false;
    this.cut('too-slow');
    return true;
  }

  async #drained(): Promise<void> {
    const { clock, limits } = this.engine;
    const timer = clock.setTimeout(() => this.cut('too-slow'), limits.drainMs);
    await this.#link.drained();
    clock.clearTimeout(timer);
  }

  /** The bytes of the line as they are, never written anew. */
  #passThrough(sessionId: string, event: Extract<ObservedEvent, { readonly type: 'message' }>): void {
    const params = JSON.stringify({ session_id: sessionId, seq: event.seq, epoch: event.epoch });
    const line = `${params.slice(0, -1)},"line":${event.message.text}}`;
    this.#send(`{"jsonrpc":"2.0","method":"cli_message","params":${line}}`);
  }

  #refuse(code: number, message: string): void {
    this.#send(JSON.stringify(createJSONRPCErrorResponse(null, code, message)));
  }

  #send(frame: string): void {
    if (this.#isOver) return;
    if (this.#link.bufferedBytes + frame.length > this.engine.limits.maxBufferedBytes) this.cut('too-slow');
    else this.#link.send(frame);
  }

  /** Ends the connection from this side. Idempotent. */
  cut(reason: CutReason): void {
    if (this.#isOver) return;
    this.ended();
    this.#link.close(reason);
  }
}
