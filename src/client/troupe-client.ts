import type { SessionSummary } from '../view/fleet-view.ts';
import type { SessionView } from '../view/session-view.ts';
import { Http } from './http.ts';
import { RemoteFleet } from './remote-fleet.ts';
import { type FollowOptions, RemoteSession } from './remote-session.ts';

export interface ConnectOptions {
  /** Where the server is, such as `http://127.0.0.1:7411`. */
  readonly url: string;
  /** Its token. Not needed in a page of the server, which has a cookie. */
  readonly token?: string;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Milliseconds in which the server has to begin an answer. Default 30 000. */
  readonly timeoutMs?: number;
  /** Milliseconds of silence after which a stream is taken for lost. Default 45 000: three heartbeats. */
  readonly silenceMs?: number;
}

/** Which sessions are asked for. */
export interface ListOptions {
  readonly state?: string;
  readonly status?: string;
  readonly key?: string;
  readonly search?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A server of Troupe. Asks nothing before it is used. */
export function connect(options: ConnectOptions): TroupeClient {
  return new TroupeClient(options);
}

export class TroupeClient {
  readonly #http: Http;
  readonly #silenceMs: number | undefined;

  constructor(options: ConnectOptions) {
    this.#http = new Http(options);
    this.#silenceMs = options.silenceMs;
  }

  /** One page of the sessions; `next` is the `cursor` of the page after it. */
  sessions(
    options: ListOptions = {},
  ): Promise<{ readonly sessions: readonly SessionSummary[]; readonly next?: string }> {
    return this.#http.ask('/v1/sessions', { query: { ...options } });
  }

  /** Starts a session; resolves when it is ready. With an `id` of its own it is repeated while the server cannot be reached. */
  async start(
    options: Readonly<Record<string, unknown>> = {},
    more: { signal?: AbortSignal } = {},
  ): Promise<RemoteSession> {
    const view = await this.#http.ask<SessionView>('/v1/sessions', {
      method: 'POST',
      body: options,
      signal: more.signal,
      // A start may take as long as the CLI does.
      waitMs: 120_000,
    });
    return this.session(view.id);
  }

  /** A session by its id; whether there is one is seen when something is asked of it. */
  session(id: string, options: FollowOptions = {}): RemoteSession {
    return new RemoteSession(id, this.#http, { silenceMs: this.#silenceMs, ...options });
  }

  /** All sessions, with their open questions. */
  fleet(): RemoteFleet {
    return new RemoteFleet(this.#http, this.#silenceMs);
  }

  /** The supervisor: what it is doing, its limits, accounts, budget and groups. */
  supervisor(): Promise<Readonly<Record<string, unknown>>> {
    return this.#http.ask('/v1/supervisor');
  }

  /** Anything else of the API, by its path. */
  ask<Answer>(path: string, options: Parameters<Http['ask']>[1] = {}): Promise<Answer> {
    return this.#http.ask<Answer>(path, options);
  }
}
