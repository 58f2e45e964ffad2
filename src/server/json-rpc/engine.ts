import type { Clock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { EngineConnection } from './engine-connection.ts';
import { DEFAULT_ENGINE_LIMITS, type EngineLimits } from './engine-limits.ts';
import type { FrontEnd, FrontEndLink, Identify } from './front-end-link.ts';
import type { FrontEndParts } from './front-end-parts.ts';
import { SharedRuns } from './run-messages.ts';

/** Who starts a session, with what it always starts one. */
export interface Starting {
  readonly frontEnd: FrontEnd;
  readonly options: Readonly<Record<string, unknown>>;
  readonly parts: FrontEndParts;
}

export interface EngineOptions {
  readonly supervisor: Pick<Supervisor, 'session' | 'list'>;
  readonly clock: Clock;
  /** Starts a session for a front end: with an id it chose, or one of its own. Default: sessions are started elsewhere. */
  readonly startSession?: StartSession | undefined;
  /** Rejects when a front end may not start sessions with these options. */
  readonly checkOptions?: ((frontEnd: FrontEnd, options: SessionStart) => Promise<unknown>) | undefined;
  readonly limits?: Partial<EngineLimits> | undefined;
}

type SessionStart = Readonly<Record<string, unknown>>;

export type StartSession = (
  frontEnd: FrontEnd,
  id: string | undefined,
  options: SessionStart,
  /** What it has of the front end itself. */
  parts: FrontEndParts,
) => Promise<Session>;

/**
 * The engine of the JSON-RPC dialect: any number of front ends, over whatever carries frames, work on the sessions of one
 * supervisor. Several may share a session; the first answer to a question decides.
 */
export class Engine {
  readonly limits: EngineLimits;
  readonly clock: Clock;
  readonly runs = new SharedRuns();
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
  async sessionOrNew(asking: Starting, id: string | undefined): Promise<Session> {
    const known = id === undefined ? undefined : this.find(id);
    return known ?? this.start(asking, id, {});
  }

  /** Rejects as the start of a session with these options would. */
  async check(frontEnd: FrontEnd, options: SessionStart): Promise<void> {
    await this.#options.checkOptions?.(frontEnd, options);
  }

  /** Rejects with SESSION_NOT_FOUND where no sessions can be started, else as the start of a session does. */
  async start(
    { frontEnd, options: asked, parts }: Starting,
    id: string | undefined,
    own: SessionStart,
  ): Promise<Session> {
    const options = { ...asked, ...own };
    const { startSession } = this.#options;
    if (startSession === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
    if (id === undefined) return startSession(frontEnd, id, options, parts);
    const begun = this.#starts.get(id);
    if (begun !== undefined) return begun;
    const start = startSession(frontEnd, id, options, parts).finally(() => this.#starts.delete(id));
    this.#starts.set(id, start);
    return start;
  }
}
