import type { EndCause } from '../../machines/session/session.events.ts';
import type { SessionChild } from '../launch/group-options.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { Session } from '../session/session.ts';
import type { EndListener, GroupMember, HoldFor } from './group-member.ts';
import type { BuiltSession } from './session-factory.ts';

const STOPPED: EndCause = { code: 'closed', message: 'Its group stopped it.', ending: 'asked' };

/** What the group has asked for last; an end that does not follow from it is one of the session's own. */
type Wish = 'start' | 'hold' | 'set-aside' | 'close';

export interface SessionMemberHands {
  readonly build: (id: string, options: SessionOptions) => BuiltSession;
  /** Resolves when a session of that id that has ended can begin anew. Undefined without a store. */
  readonly whenLeft: ((id: string) => Promise<void>) | undefined;
  readonly onEnded: EndListener;
}

/** A session as a member of a group. When the session has ended for good, the next start makes one with the same id. */
export class SessionMember implements GroupMember {
  readonly kind = 'session';
  readonly id: string;
  readonly restart: SessionChild['restart'];
  readonly significant: boolean;
  readonly #options: SessionOptions;
  readonly #hands: SessionMemberHands;
  #built: BuiltSession | undefined;
  #wish: Wish = 'hold';
  #isStarting = false;

  constructor(id: string, { restart, significant, options }: SessionChild, hands: SessionMemberHands) {
    this.id = id;
    this.restart = restart;
    this.significant = significant;
    this.#options = options;
    this.#hands = hands;
  }

  get session(): Session | undefined {
    return this.#built?.session;
  }

  get state(): string {
    return this.#built?.life.state ?? 'stopped';
  }

  async bringUp(): Promise<void> {
    const wasSetAside = this.#wish === 'set-aside';
    this.#wish = 'start';
    const life = await this.#woken(wasSetAside);
    if (!isReady(life)) throw life.isOver ? (await life.ended).cause : this.#cause(life);
  }

  async hold(wait: HoldFor): Promise<void> {
    this.#wish = 'hold';
    const life = this.#built?.life;
    if (life === undefined || life.isOver) return;
    life.pause('hold', wait === 'restart');
    await until(life, () => life.state === 'held' || life.state === 'quarantined');
    if (wait === 'wish' && this.#wish === 'hold') life.rest();
  }

  setAside(): void {
    this.#wish = 'set-aside';
    this.#built?.life.setAside();
  }

  async close(): Promise<void> {
    this.#wish = 'close';
    this.#built?.life.stop('close');
    await this.#built?.life.ended;
  }

  async #woken(wasSetAside: boolean): Promise<BuiltSession['life']> {
    // Also while it comes to be: one of a lost host begins where it was held, and that is no end.
    this.#isStarting = true;
    try {
      const { life } = this.#living ?? (await this.#anew(this.#built));
      // Set aside by itself: there are processes beside which none may be started (WIRE §25.14).
      if (life.state === 'quarantined' && !wasSetAside) throw this.#cause(life);
      life.wake();
      await until(life, () => isReady(life) || life.state === 'held' || life.state === 'quarantined');
      return life;
    } finally {
      this.#isStarting = false;
    }
  }

  get #living(): BuiltSession | undefined {
    return this.#built?.life.isOver === true ? undefined : this.#built;
  }

  /** When all of the last one is told, and kept: the next one goes on behind it (P7). */
  async #anew(former: BuiltSession | undefined): Promise<BuiltSession> {
    if (former === undefined) return this.#begin();
    await former.life.ended;
    await this.#hands.whenLeft?.(this.id);
    if (this.#wish !== 'start') throw STOPPED;
    return this.#living ?? this.#begin();
  }

  #begin(): BuiltSession {
    const conversationId = this.#built?.session.conversationId;
    const resumed = conversationId === undefined ? {} : { resume: conversationId };
    const { sessionId: _former, continue: _latest, forkSession: _fork, ...options } = this.#options;
    const built = this.#hands.build(this.id, conversationId === undefined ? this.#options : { ...options, ...resumed });
    this.#built = built;
    built.life.onChange(() => {
      if (built.life.state === 'held' && this.#wish === 'start' && !this.#isStarting)
        this.#hands.onEnded(this.#cause(built.life));
    });
    void built.life.ended.then(({ cause }) => {
      if (this.#wish !== 'close' && !this.#isStarting && this.#built === built) this.#hands.onEnded(cause);
    });
    built.life.begin();
    return built;
  }

  #cause(life: BuiltSession['life']): EndCause {
    const { cause } = life.childSnapshot().context;
    return cause ?? STOPPED;
  }
}

/**
 * A parked one waits, and has not failed: who parked it has it go on. One that its owner sent to sleep while it started comes
 * when it gets a prompt.
 */
function isReady({ state }: BuiltSession['life']): boolean {
  return state === 'ready' || state === 'awaiting-permission' || state === 'parked' || state === 'hibernated';
}

/** Resolves when the condition holds or the session is over; each state is bounded by its own deadlines. */
function until(life: BuiltSession['life'], isTrue: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!life.isOver && !isTrue()) return;
      stop();
      resolve();
    };
    const stop = life.onChange(check);
    check();
  });
}
