import type { SupervisorPhase } from '../../machines/supervisor/supervisor.events.ts';
import { type AwaitedReason, type SessionWork, type WorkView, workOf } from './awaited-work.ts';
import type { BuiltSession } from './session-factory.ts';

/** How much a phase of the way down still waits for. */
export interface RemainingWork {
  /** Sessions that keep the phase from ending. */
  readonly sessions: number;
  /** Those of them whose turn waits for a person. */
  readonly people: number;
  /** Prompts that are being worked on, of all sessions. */
  readonly turns: number;
  /** Prompts that wait to be sent, of all sessions. */
  readonly queued: number;
}

export interface DrainTallyOptions extends WorkView {
  /** In order of start. */
  readonly sessions: () => Iterable<BuiltSession>;
  /** Hears of every change of the numbers, and of the first ones of each phase. */
  readonly onChange: (phase: SupervisorPhase, remaining: RemainingWork) => void;
  /** Looks at one session before it is counted. */
  readonly onLook: (phase: SupervisorPhase, built: BuiltSession) => void;
}

const NONE: RemainingWork = { sessions: 0, people: 0, turns: 0, queued: 0 };
const NOTHING: SessionWork = { reason: undefined, turns: 0, queued: 0 };

/**
 * Keeps count of what a phase waits for, session by session: a change costs the same with one session and with a thousand.
 */
export class DrainTally {
  readonly #options: DrainTallyOptions;
  readonly #seen = new Map<BuiltSession, SessionWork>();
  readonly #watched = new WeakSet<BuiltSession>();
  #phase: SupervisorPhase = 'running';
  #remaining = NONE;
  #settle: () => void = () => {};

  constructor(options: DrainTallyOptions) {
    this.#options = options;
  }

  /** Counts for another phase, and resolves when nothing is left of what that waits for. */
  async settled(phase: SupervisorPhase, signal: AbortSignal): Promise<void> {
    this.#phase = phase;
    this.#seen.clear();
    this.#remaining = NONE;
    const sessions = [...this.#options.sessions()];
    for (const built of sessions) this.#count(built);
    this.#options.onChange(phase, this.#remaining);
    for (const built of sessions) this.#watch(built);
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (this.#remaining.sessions === 0 || signal.aborted) resolve();
    });
  }

  /** A session came to be on the way down: a group started a member again. */
  added(built: BuiltSession): void {
    if (this.#phase === 'running') return;
    this.#look(built);
    this.#watch(built);
  }

  /** A session is over, and nothing of it is left to store. */
  removed(built: BuiltSession): void {
    if (this.#phase === 'running') return;
    this.#tellChange(() => this.#note(built, NOTHING));
    this.#seen.delete(built);
  }

  /** Whom the phase waits for, and why. */
  awaited(): { readonly built: BuiltSession; readonly reason: AwaitedReason }[] {
    return [...this.#seen].flatMap(([built, { reason }]) => (reason === undefined ? [] : [{ built, reason }]));
  }

  get remaining(): RemainingWork {
    return this.#remaining;
  }

  #watch(built: BuiltSession): void {
    if (this.#watched.has(built)) return;
    this.#watched.add(built);
    void built.conversation.until(() => {
      this.#look(built);
      return built.life.isOver;
    });
  }

  #look(built: BuiltSession): void {
    this.#options.onLook(this.#phase, built);
    this.#tellChange(() => this.#count(built));
  }

  #tellChange(count: () => void): void {
    const former = this.#remaining;
    count();
    const { sessions, people, turns, queued } = this.#remaining;
    const isSame =
      sessions === former.sessions && people === former.people && turns === former.turns && queued === former.queued;
    if (!isSame) this.#options.onChange(this.#phase, this.#remaining);
    if (sessions === 0) this.#settle();
  }

  #count(built: BuiltSession): void {
    this.#note(built, workOf(built, this.#phase, this.#options));
  }

  #note(built: BuiltSession, next: SessionWork): void {
    const former = this.#seen.get(built) ?? NOTHING;
    this.#seen.set(built, next);
    const { sessions, people, turns, queued } = this.#remaining;
    this.#remaining = {
      sessions: sessions + one(next.reason !== undefined) - one(former.reason !== undefined),
      people: people + one(next.reason === 'person') - one(former.reason === 'person'),
      turns: turns + next.turns - former.turns,
      queued: queued + next.queued - former.queued,
    };
  }
}

function one(isCounted: boolean): number {
  return isCounted ? 1 : 0;
}
