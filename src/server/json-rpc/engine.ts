import type { Clock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { EngineConnection } from './engine-connection.ts';
import { DEFAULT_ENGINE_LIMITS, type EngineLimits } from './engine-limits.ts';
import type { FrontEnd, FrontEndLink, Identify } from './front-end-link.ts';

export interface EngineOptions {
  readonly supervisor: Pick<Supervisor, 'session' | 'list'>;
  readonly clock: Clock;
  /** Starts a session for a front end: with an id it chose, or one of its own. Default: sessions are started elsewhere. */
  readonly startSession?: StartSession | undefined;
  readonly limits?: Partial<EngineLimits> | undefined;
}

export type StartSession = (
  frontEnd: FrontEnd,
  id: string | undefined,
  options: Readonly<Record<string, unknown>>,
) => Promise<Session>;

/**
 * The engine of the JSON-RPC dialect: any number of front ends, over whatever carries frames, work on the sessions of one
 * supervisor. Several may share a session; the first answer to a question decides.
 */
export class Engine {
  readonly limits: EngineLimits;
  readonly clock: Clock;
  readonly #options: EngineOptions;
  readonly #connections = new Set<EngineConnection>();
  /** Starts in progress, by id: two front ends that name the same new session share it. */
  readonly #starts = new Map<string, Promise<Session>>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.limits = { ...DEFAULT_ENGINE_LIMITS, ...options.limits };
  }

  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Serves a front end; one that is not known yet is identified when it says `initialize`. The caller hands every frame to
   * `receive`, and says with `ended` that the link is gone.
   */
  accept(link: FrontEndLink, frontEnd: FrontEnd | Identify, sessionId?: string): EngineConnection {
    const connection: EngineConnection = new EngineConnection({
      engine: this,
      link,
      frontEnd,
      sessionId,
      onEnded: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    return connection;
  }

  /** Tells every front end that the engine ends, and cuts them. */
  close(): void {
    for (const connection of [...this.#connections]) connection.close();
  }

  list(): Session[] {
    return this.#options.supervisor.list();
  }

  find(id: string): Session | undefined {
    return this.#options.supervisor.session(id);
  }

  /** Throws SESSION_NOT_FOUND. */
  session(id: string): Session {
    const session = this.find(id);
    if (session === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
    return session;
  }

  /** The session with this id, which is started where there is none. Rejects as the start of a session does. */
  async sessionOrNew(frontEnd: FrontEnd, id: string | undefined): Promise<Session> {
    const known = id === undefined ? undefined : this.find(id);
    return known ?? this.start(frontEnd, id, {});
  }

  /** Rejects with SESSION_NOT_FOUND where no sessions can be started, else as the start of a session does. */
  async start(
    frontEnd: FrontEnd,
    id: string | undefined,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Session> {
    const { startSession } = this.#options;
    if (startSession === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
    if (id === undefined) return startSession(frontEnd, id, options);
    const begun = this.#starts.get(id);
    if (begun !== undefined) return begun;
    const start = startSession(frontEnd, id, options).finally(() => this.#starts.delete(id));
    this.#starts.set(id, start);
    return start;
  }
}
