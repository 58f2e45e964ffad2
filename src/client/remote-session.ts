import type { TroupeError } from '../errors.ts';
import { applyEvent } from '../view/apply-event.ts';
import type { SessionView } from '../view/session-view.ts';
import { Backlog } from './backlog.ts';
import { EventStream, type StreamFrame, type StreamState } from './event-stream.ts';
import { eventOf } from './frame-event.ts';
import type { Http } from './http.ts';
import { type Observable, Watched } from './observable.ts';
import type { RemoteEvent } from './remote-event.ts';
import { RemotePermissions } from './remote-permissions.ts';
import { newPromptId, type RemotePromptOptions, RemoteTurn } from './remote-turn.ts';

/** What a prompt may be: plain text, or content blocks as the Messages API takes them. */
export type RemotePromptContent = string | readonly Readonly<Record<string, unknown>>[];

/** The server answers when it is done: when the turn has ended, when the process is gone. */
const ACTION_WAIT_MS = 120_000;

export interface FollowOptions {
  /** `all`: first everything that is kept of the log; `now`: only what happens. Default `now`. */
  readonly replay?: 'all' | 'now';
  /** The pieces of messages that are being written. Default true. */
  readonly partials?: boolean;
  /** `<epoch>:<seq>` of the last event that is known: begins after it, whatever `replay` says. */
  readonly cursor?: string | undefined;
  readonly silenceMs?: number | undefined;
}

/**
 * One session of a server, in the words of the library. It is followed as long as somebody subscribes to its view or reads its
 * events; over a lost connection it goes on where it was.
 */
export class RemoteSession {
  readonly id: string;
  /** What is known of it; undefined until the server told. Subscribing follows it. */
  readonly view: Observable<SessionView | undefined>;
  /** How the stream of its events fares; `ended` while nobody follows. */
  readonly connection: Observable<StreamState>;
  /** While the connection is `waiting`: when it is tried again, in epoch milliseconds. */
  readonly retryAt: Observable<number | undefined>;
  /** Why it cannot be followed: it is unknown, or the token may not. */
  readonly refusal: Observable<TroupeError | undefined>;
  readonly permissions: RemotePermissions;
  readonly #http: Http;
  readonly #options: FollowOptions;
  readonly #path: string;
  readonly #view: Watched<SessionView | undefined>;
  readonly #connection = new Watched<StreamState>('ended');
  readonly #retryAt = new Watched<number | undefined>(undefined);
  readonly #refusal = new Watched<TroupeError | undefined>(undefined);
  readonly #hearers = new Set<(event: RemoteEvent) => void>();
  readonly #backlogs = new Set<Backlog<RemoteEvent>>();
  #subscribers = 0;
  #stream: EventStream | undefined;
  #cursor: string | undefined;

  constructor(id: string, http: Http, options: FollowOptions) {
    this.id = id;
    this.#http = http;
    this.#options = options;
    this.#cursor = options.cursor;
    this.#path = `/v1/sessions/${encodeURIComponent(id)}`;
    this.#view = new Watched<SessionView | undefined>(undefined, (subscribers) => {
      this.#subscribers = subscribers;
      this.#followWhileNeeded();
    });
    this.view = this.#view;
    this.connection = this.#connection;
    this.retryAt = this.#retryAt;
    this.refusal = this.#refusal;
    this.permissions = new RemotePermissions(id, http, () => this.#view.get()?.permissions ?? []);
  }

  /** Calls with every event, and with the notices of the stream, when the view holds it. Returns the way to stop. */
  onEvent(hear: (event: RemoteEvent) => void): () => void {
    const own = (event: RemoteEvent) => hear(event);
    this.#hearers.add(own);
    this.#followWhileNeeded();
    return () => {
      if (this.#hearers.delete(own)) this.#followWhileNeeded();
    };
  }

  /**
   * The events as `onEvent` tells them, at the reader's own pace: while it is a thousand behind, nothing more is read from the
   * server, for the view neither, and the server may say `subscriber.lagged` (P6, P9). Ends with the session, or the signal.
   */
  async *events(options: { signal?: AbortSignal } = {}): AsyncGenerator<RemoteEvent> {
    const { signal } = options;
    const backlog = new Backlog<RemoteEvent>();
    let wake = () => {};
    this.#backlogs.add(backlog);
    const stop = this.onEvent((event) => {
      backlog.put(event);
      wake();
    });
    const watching = this.#connection.subscribe(() => wake());
    const leave = () => {
      this.#backlogs.delete(backlog);
      backlog.leave();
      stop();
      watching();
    };
    // Also where it takes nothing any more: the others shall not wait for it.
    const abort = () => {
      leave();
      wake();
    };
    signal?.addEventListener('abort', abort);
    try {
      while (signal?.aborted !== true) {
        const event = backlog.take();
        if (event !== undefined) yield event;
        else if (this.#connection.get() === 'ended') break;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      const refusal = this.#refusal.get();
      if (refusal !== undefined && signal?.aborted !== true) throw refusal;
    } finally {
      leave();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Sends a prompt. Over a lost connection it is sent again under the same id, and runs once (P2). */
  prompt(content: RemotePromptContent, options: RemotePromptOptions = {}): RemoteTurn {
    const { id = newPromptId(), signal, onBusy, untrusted } = options;
    const body = {
      content,
      id,
      ...(onBusy === undefined ? {} : { onBusy }),
      ...(untrusted === true ? { untrusted } : {}),
    };
    const headers = { 'idempotency-key': id };
    const ask = { method: 'POST', body, headers, isPatient: true, signal } as const;
    const accepted = this.#http.ask<{ cursor?: string }>(`${this.#path}/prompts`, ask);
    const path = `${this.#path}/prompts/${encodeURIComponent(id)}`;
    return new RemoteTurn({ id, http: this.#http, path, signal, accepted, events: (from) => this.#readFrom(from) });
  }

  /** A prompt into the turn that runs. */
  steer(content: RemotePromptContent, options: Omit<RemotePromptOptions, 'onBusy'> = {}): RemoteTurn {
    return this.prompt(content, { ...options, onBusy: 'steer' });
  }

  /** Stops the running turn; resolves when it has ended. */
  interrupt(options: { cancelQueued?: boolean } = {}): Promise<unknown> {
    return this.#post('interrupt', options);
  }

  /** Decides about a prompt in doubt. */
  resolveDoubt(promptId: string, how: 'retry' | 'fail'): Promise<unknown> {
    return this.#post(`doubts/${encodeURIComponent(promptId)}`, { how });
  }

  /** Sends any control request of the CLI; resolves with its answer. */
  control(subtype: string, payload: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.#post('control', { subtype, payload });
  }

  /** Null resets it to the CLI's own. */
  setModel(model: string | null): Promise<unknown> {
    return this.#post('model', { model });
  }

  setPermissionMode(mode: string): Promise<unknown> {
    return this.#post('permission-mode', { mode });
  }

  /** Adds to what it may spend. */
  raiseBudget(amounts: Readonly<Record<string, number>>): Promise<unknown> {
    return this.#post('budget', amounts);
  }

  /** Starts another session that goes on with a copy of the conversation, with the options of this one where none are given. */
  async fork(options: Readonly<Record<string, unknown>> = {}): Promise<RemoteSession> {
    // A start may take as long as the CLI does.
    const request = { method: 'POST', body: options, waitMs: 120_000 } as const;
    const { id } = await this.#http.ask<SessionView>(`${this.#path}/fork`, request);
    const { cursor: _own, ...follow } = this.#options;
    return new RemoteSession(id, this.#http, follow);
  }

  hibernate(): Promise<unknown> {
    return this.#post('hibernate');
  }

  restart(): Promise<unknown> {
    return this.#post('restart');
  }

  /** Ends it in order. */
  close(): Promise<unknown> {
    return this.#post('close');
  }

  /** Ends it by force. */
  kill(): Promise<unknown> {
    return this.#post('kill');
  }

  /** Why it is where it is, and what would move it on. */
  explain(): Promise<Readonly<Record<string, unknown>>> {
    return this.#http.ask(`${this.#path}/explain`);
  }

  /** The view of this moment, without following. */
  read(): Promise<SessionView> {
    return this.#http.ask(this.#path);
  }

  history(): Promise<unknown> {
    return this.#http.ask(`${this.#path}/history`);
  }

  turns(): Promise<unknown> {
    return this.#http.ask(`${this.#path}/turns`);
  }

  #post(action: string, body: unknown = {}): Promise<unknown> {
    return this.#http.ask(`${this.#path}/${action}`, { method: 'POST', body, waitMs: ACTION_WAIT_MS });
  }

  /** A reading of its own, whatever this one has missed. */
  #readFrom(cursor: string | undefined): AsyncGenerator<RemoteEvent> {
    return new RemoteSession(this.id, this.#http, { ...this.#options, cursor, replay: 'all' }).events();
  }

  #followWhileNeeded(): void {
    const isNeeded = this.#subscribers + this.#hearers.size > 0;
    if (isNeeded && this.#stream === undefined) this.#follow();
    if (isNeeded) return;
    this.#stream?.close();
    this.#stream = undefined;
  }

  #follow(): void {
    const { replay, partials, silenceMs } = this.#options;
    this.#refusal.set(undefined);
    this.#connection.set('connecting');
    const stream: EventStream = new EventStream({
      http: this.#http,
      path: `${this.#path}/events`,
      query: () => ({
        ...(replay === 'all' && this.#cursor === undefined ? { replay } : {}),
        ...(partials === false ? { partials } : {}),
      }),
      cursor: () => this.#cursor,
      silenceMs,
      // In the middle of a replay it may be an earlier session with this id that has ended.
      isOver: () => this.#connection.get() === 'live' && this.#view.get()?.ended !== undefined,
      onState: (state) => {
        if (this.#stream === stream || this.#stream === undefined) this.#connection.set(state);
      },
      onRetryAt: (at) => this.#retryAt.set(at),
      onRefused: (error) => this.#refusal.set(error),
      onFrame: (frame) => {
        if (this.#stream === stream) this.#hear(frame);
      },
      room: () => this.#room(),
    });
    this.#stream = stream;
  }

  #room(): Promise<void> | undefined {
    for (const { room } of this.#backlogs) if (room !== undefined) return room;
    return undefined;
  }

  #hear(frame: StreamFrame): void {
    const event = eventOf(frame);
    if (event === undefined) return;
    if (frame.id !== undefined && frame.id !== '') this.#cursor = frame.id;
    if (event.type === 'snapshot') this.#takeSnapshot(event);
    else if ('epoch' in event) {
      const view = this.#view.get();
      if (view !== undefined) this.#view.set(applyEvent(view, event));
    }
    if (event.type === 'snapshot') this.#connection.set('replaying');
    if (event.type === 'replay.completed') this.#connection.set('live');
    for (const hear of [...this.#hearers]) hear(event);
  }

  /** What goes on from where this one is says nothing new. */
  #takeSnapshot({ view, reset }: Extract<RemoteEvent, { type: 'snapshot' }>): void {
    const known = this.#view.get();
    if (known !== undefined && reset !== true && known.seq >= view.seq) return;
    this.#view.set(view);
  }
}
