import { type Actor, createActor, fromPromise } from 'xstate';
import type { AccountPolicy, Wall } from '../../machines/account/account.context.ts';
import type { AccountEvent, AccountNotice, AccountStateName } from '../../machines/account/account.events.ts';
import { accountMachine } from '../../machines/account/account.machine.ts';
import type { LoginInput, MomentInput } from '../../machines/account/account.ports.ts';
import type { RestoredAccount } from '../../machines/account/restored-account.ts';
import type { Parking } from '../../machines/child/child.context.ts';
import type { Clock } from '../clock.ts';
import type { AccountFleetEvent } from './account-event.ts';

/** An account as it stands; JSON, without secrets. Times in epoch milliseconds. */
export interface AccountView {
  readonly key: string;
  readonly state: AccountStateName;
  readonly walls: readonly Wall[];
  /** When one session tries again; null while nothing is planned. */
  readonly resumesAt: number | null;
  /** Why nobody can log in. */
  readonly lock: string | null;
  /** Ids of its living sessions, of those that wait, and of the one that tries. */
  readonly sessions: readonly string[];
  readonly waiting: readonly string[];
  readonly probe: string | null;
}

/** A session as its account sees it. */
export interface AccountMember {
  readonly id: string;
  /** It may go on. */
  release(): void;
  /** What it waits for has another end. */
  told(parking: Parking): void;
}

export interface AccountDeskOptions {
  readonly key: string;
  readonly policy: AccountPolicy;
  /** What another host left of it. */
  readonly restored?: RestoredAccount | undefined;
  readonly clock: Clock;
  /** A number from 0 to 1, for the jitter. */
  readonly chance: () => number;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly tell: (event: AccountFleetEvent) => void;
  /** Resolves with the time when the credentials are other ones. */
  readonly newLogin: (signal: AbortSignal) => Promise<number>;
}

/** A wall clock that leaps, as after the sleep of a laptop, is noticed after this long. */
const LOOK_EVERY_MS = 60_000;

/** One account: hears what its sessions meet, and holds them back or lets them go on. The account machine decides. */
export class AccountDesk {
  readonly #options: AccountDeskOptions;
  readonly #actor: Actor<typeof accountMachine>;
  readonly #members = new Map<string, AccountMember>();
  #state: AccountStateName = 'open';

  constructor(options: AccountDeskOptions) {
    this.#options = options;
    const { key, policy, clock, inspect, newLogin, restored } = options;
    const machine = accountMachine.provide({
      actors: {
        moment: fromPromise<number, MomentInput>(({ input, signal }) => moment(clock, input.at, signal)),
        newLogin: fromPromise<number, LoginInput>(({ signal }) => newLogin(signal)),
      },
    });
    this.#actor = createActor(machine, {
      input: { key, policy, ...(restored === undefined ? {} : { restored }) },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    this.#actor.on('*', (notice) => this.#noticed(notice));
    this.#actor.start();
  }

  get isUsed(): boolean {
    return this.#members.size > 0;
  }

  /** Nobody uses it, and there is nothing to remember. */
  get isIdle(): boolean {
    return !this.isUsed && this.#context.lock === null && this.#state === 'open';
  }

  get probe(): string | null {
    return this.#context.probe;
  }

  view(): AccountView {
    const { walls, resumeAt, lock, waiting, probe } = this.#context;
    return {
      key: this.#options.key,
      state: this.#state,
      walls,
      resumesAt: resumeAt,
      lock,
      sessions: [...this.#members.keys()],
      waiting: waiting.map(({ id }) => id),
      probe,
    };
  }

  join(member: AccountMember): void {
    this.#members.set(member.id, member);
  }

  leave(id: string): void {
    this.#members.delete(id);
    this.send({ type: 'session.left', id, at: this.now() });
  }

  now(): number {
    return this.#options.clock.now();
  }

  chance(): number {
    return this.#options.chance();
  }

  send(event: AccountEvent): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event);
  }

  isWaiting(id: string): boolean {
    return this.#context.waiting.some((session) => session.id === id);
  }

  /** Whether that session may work now. One that may not is entered among those that wait. */
  admits(id: string, hasWork: boolean): boolean {
    if (this.#isFree(id, hasWork)) return true;
    this.send({ type: 'session.waiting', id, hasWork, at: this.now() });
    // Where nobody tries yet, the first that comes does.
    return this.#isFree(id, hasWork);
  }

  /** What a session that waits is told. */
  parking(): Parking {
    const { key } = this.#options;
    const { walls, resumeAt, lock, probedAt, policy } = this.#context;
    if (lock !== null) {
      return {
        reason: 'auth',
        until: null,
        note: `Nobody is logged in for "${key}" (${lock}). Log in again, then supervisor.resumeAccount("${key}").`,
      };
    }
    if (this.#actor.getSnapshot().value !== 'walled') {
      const note = `Another session tries whether "${key}" has work again.`;
      return { reason: 'quota', until: probedAt + policy.probeMs, note };
    }
    const windows = walls.map(({ window }) => window).join(', ');
    const next =
      resumeAt === null
        ? `Nothing goes on by itself: supervisor.resumeAccount("${key}") does it.`
        : 'One session tries again then, and the others follow.';
    return { reason: 'quota', until: resumeAt, note: `"${key}" is at its limit (${windows}). ${next}` };
  }

  stop(): void {
    this.#actor.stop();
  }

  get #context() {
    return this.#actor.getSnapshot().context;
  }

  #isFree(id: string, hasWork: boolean): boolean {
    const state = this.#actor.getSnapshot().value;
    if (state === 'open') return true;
    if (state === 'releasing') return !this.isWaiting(id);
    return state === 'probing' && (!hasWork || this.#context.probe === id);
  }

  #noticed(notice: AccountNotice): void {
    const about = { account: this.#options.key, at: this.now() };
    switch (notice.type) {
      case 'wall.changed': {
        const { window, resetsAt, resumeAt: resumesAt } = notice;
        this.#options.tell({ ...about, type: 'quota.reached', window, resetsAt, resumesAt });
        this.#retell();
        break;
      }
      case 'session.released':
        this.#members.get(notice.id)?.release();
        break;
      default:
        this.#entered(notice.state);
    }
  }

  #entered(state: AccountStateName): void {
    const from = this.#state;
    if (state === from) return;
    this.#state = state;
    const about = { account: this.#options.key, at: this.now() };
    if (state === 'locked') {
      this.#options.tell({ ...about, type: 'account.locked', message: this.#context.lock ?? '' });
      this.#retell();
    } else if (from === 'locked') this.#options.tell({ ...about, type: 'account.unlocked' });
    if (state === 'open') this.#options.tell({ ...about, type: 'quota.reset' });
  }

  /** Those that wait already learn what they wait for now. */
  #retell(): void {
    const parking = this.parking();
    for (const { id } of this.#context.waiting) this.#members.get(id)?.told(parking);
  }
}

function moment(clock: Clock, at: number | null, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    if (at === null) return;
    let timer: unknown;
    const look = () => {
      const leftMs = at - clock.now();
      if (leftMs <= 0) resolve(clock.now());
      else timer = clock.setTimeout(look, Math.min(leftMs, LOOK_EVERY_MS));
    };
    signal.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
    look();
  });
}
