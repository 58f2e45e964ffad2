import type { MembersCommand } from '../../machines/group/group.events.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import type { Clock } from '../clock.ts';
import { causeOf } from '../session/exit-cause.ts';
import type { GroupMember } from './group-member.ts';

export interface MemberRestartsOptions {
  readonly clock: Clock;
  /** Restarts of different members do not wait for each other. */
  readonly isEachAlone: boolean;
  readonly member: (id: string) => GroupMember | undefined;
  /** False when its owner has ended it, or taken it down, since the restart was decided. */
  readonly isWanted: (id: string) => boolean;
  readonly onStarted: (id: string) => void;
  readonly onFailed: (id: string, cause: EndCause) => void;
}

/** One restart under way; a newer one takes its place. */
interface Round {
  isOver: boolean;
  /** Ends the wait before the start. */
  wake: () => void;
}

/** Carries out what the group decided: stop some in this order, wait, start some in this order. */
export class MemberRestarts {
  readonly #options: MemberRestartsOptions;
  readonly #rounds = new Map<string, Round>();
  /** Members that a restart is to stop, or is stopping. */
  readonly #stops = new Map<string, Promise<void>>();

  constructor(options: MemberRestartsOptions) {
    this.#options = options;
  }

  /** Ends every restart that is under way, and its wait. A start in progress is left to who stops the member. */
  recall(): void {
    for (const round of this.#rounds.values()) leave(round);
    this.#rounds.clear();
  }

  /** Never rejects: what fails is told. Where members depend on each other, a newer restart covers what an older one left. */
  async carryOut({ hold, start, delayMs }: Extract<MembersCommand, { type: 'members.restart' }>): Promise<void> {
    const [first] = start;
    if (first === undefined) return this.recall();
    const key = this.#options.isEachAlone ? first : '';
    const former = this.#rounds.get(key);
    if (former !== undefined) leave(former);
    const round: Round = { isOver: false, wake: () => {} };
    this.#rounds.set(key, round);
    await this.#stopAll(hold);
    await this.#pass(round, delayMs);
    for (const id of start) {
      if (round.isOver || !(await this.#started(id, round))) break;
    }
    if (this.#rounds.get(key) === round) this.#rounds.delete(key);
  }

  /** A restart is to stop this member, or is stopping it. */
  isToStop(id: string): boolean {
    return this.#stops.has(id);
  }

  /** Resolves when no restart is to stop this member any more: who leaves with a restart leaves when its turn comes. */
  async stopped(id: string): Promise<void> {
    await this.#stops.get(id);
  }

  async #stopAll(ids: readonly string[]): Promise<void> {
    let last = Promise.resolve();
    for (const id of ids) {
      const former = last;
      last = former.then(() => this.#options.member(id)?.hold('restart'));
      this.#stops.set(id, last);
    }
    await last;
    for (const id of ids) this.#stops.delete(id);
  }

  async #started(id: string, round: Round): Promise<boolean> {
    const { isWanted } = this.#options;
    if (!isWanted(id)) return true;
    try {
      await this.#options.member(id)?.bringUp();
    } catch (error) {
      if (round.isOver) return false;
      // Those behind it wait for nobody who is not to come.
      if (!isWanted(id)) return true;
      this.#options.onFailed(id, readCause(error));
      return false;
    }
    if (!round.isOver) this.#options.onStarted(id);
    return !round.isOver;
  }

  #pass(round: Round, delayMs: number): Promise<void> {
    if (round.isOver) return Promise.resolve();
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, delayMs);
      round.wake = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
  }
}

function leave(round: Round): void {
  round.isOver = true;
  round.wake();
}

/** Members reject with causes; anything else is a programming error, and no end for the group. */
export function readCause(error: unknown): EndCause {
  const isCause = typeof error === 'object' && error !== null && 'ending' in error && 'code' in error;
  return isCause ? (error as EndCause) : causeOf(error);
}
