import type { TroupeError } from '../errors.ts';
import { applyFleetEvent } from '../view/apply-fleet-event.ts';
import type { FleetView, FleetViewEvent } from '../view/fleet-view.ts';
import { EventStream, type StreamState } from './event-stream.ts';
import type { Http } from './http.ts';
import { type Observable, Watched } from './observable.ts';
import { answerPermission, type RemoteAnswer } from './remote-permissions.ts';

/** All sessions of a server. Followed as long as somebody subscribes to its view, over every loss of the connection. */
export class RemoteFleet {
  /** Undefined until the server told. */
  readonly view: Observable<FleetView | undefined>;
  readonly connection: Observable<StreamState>;
  /** While the connection is `waiting`: when it is tried again, in epoch milliseconds. */
  readonly retryAt: Observable<number | undefined>;
  readonly refusal: Observable<TroupeError | undefined>;
  readonly #http: Http;
  readonly #view: Watched<FleetView | undefined>;
  readonly #connection = new Watched<StreamState>('ended');
  readonly #retryAt = new Watched<number | undefined>(undefined);
  readonly #refusal = new Watched<TroupeError | undefined>(undefined);
  readonly #hearers = new Set<(event: FleetViewEvent) => void>();
  readonly #silenceMs: number | undefined;
  #stream: EventStream | undefined;

  constructor(http: Http, silenceMs?: number) {
    this.#http = http;
    this.#silenceMs = silenceMs;
    this.#view = new Watched<FleetView | undefined>(undefined, (subscribers) => {
      if (subscribers > 0) this.#stream ??= this.#follow();
      else {
        this.#stream?.close();
        this.#stream = undefined;
      }
    });
    this.view = this.#view;
    this.connection = this.#connection;
    this.retryAt = this.#retryAt;
    this.refusal = this.#refusal;
  }

  /** Calls with every event while the fleet is followed. Returns the way to stop. */
  onEvent(hear: (event: FleetViewEvent) => void): () => void {
    const own = (event: FleetViewEvent) => hear(event);
    this.#hearers.add(own);
    return () => this.#hearers.delete(own);
  }

  /** Answers a question of any session, by its `globalId`. Rejects as `RemotePermissions.answer` does. */
  answer(globalId: string, answer: RemoteAnswer): Promise<void> {
    return answerPermission(this.#http, globalId, answer);
  }

  #follow(): EventStream {
    this.#refusal.set(undefined);
    return new EventStream({
      http: this.#http,
      path: '/v1/events',
      query: () => ({}),
      // The first frame says how everything is: there is nothing to go on from.
      cursor: () => undefined,
      silenceMs: this.#silenceMs,
      isOver: () => false,
      onRetryAt: (at) => this.#retryAt.set(at),
      onState: (state) => this.#connection.set(state),
      onRefused: (error) => this.#refusal.set(error),
      onFrame: ({ type, data }) => {
        // It says something of the connection, not of the fleet.
        if (type === 'server.closing') return;
        // The server says what it says by its OpenAPI document; a kind that is unknown here is passed on.
        const event = JSON.parse(data) as FleetViewEvent;
        if (type === 'snapshot') this.#connection.set('live');
        this.#view.set(applyFleetEvent(this.#view.get() ?? { sessions: [], permissions: [], phase: 'running' }, event));
        for (const hear of [...this.#hearers]) hear(event);
      },
    });
  }
}
