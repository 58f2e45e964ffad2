import type { RestartType } from '../../machines/child/child-spec.ts';
import type { AutoShutdown, Strategy } from '../../machines/group/strategy.ts';

/** A supervisor of OTP in a few lines: what it does when children end. Written from OTP's documentation, not from ours. */
export interface OtpChild {
  readonly id: string;
  readonly restart: RestartType;
  readonly significant: boolean;
  /** Undefined: the spec is kept, without a process. */
  pid: string | undefined;
}

export interface OtpFlags {
  readonly strategy: Strategy;
  readonly intensity: number;
  readonly periodMs: number;
  readonly autoShutdown: AutoShutdown;
}

export type OtpAnswer =
  | { readonly did: 'nothing' | 'shutdown' | 'gave-up' }
  | { readonly did: 'restarted'; readonly stopped: readonly string[]; readonly started: readonly string[] };

export class OtpSupervisor {
  children: OtpChild[];
  readonly #flags: OtpFlags;
  #restarts: number[] = [];

  constructor(flags: OtpFlags, specs: readonly Omit<OtpChild, 'pid'>[]) {
    this.#flags = flags;
    this.children = specs.map((spec) => ({ ...spec, pid: spec.id }));
  }

  /** `handle_info({'EXIT', …})`: the child ended by itself at that moment. */
  exited(id: string, isNormal: boolean, at: number): OtpAnswer {
    const child = this.children.find((one) => one.id === id);
    if (child?.pid === undefined) return { did: 'nothing' };
    if (child.restart === 'permanent' || (child.restart === 'transient' && !isNormal)) return this.#restart(child, at);
    child.pid = undefined;
    if (child.restart === 'temporary') this.children = this.children.filter((one) => one !== child);
    if (!child.significant || this.#flags.autoShutdown === 'never') return { did: 'nothing' };
    if (this.#flags.autoShutdown === 'any_significant') return { did: 'shutdown' };
    return { did: this.children.some((one) => one.significant && one.pid !== undefined) ? 'nothing' : 'shutdown' };
  }

  #restart(child: OtpChild, at: number): OtpAnswer {
    const { strategy, intensity, periodMs } = this.#flags;
    this.#restarts = [at, ...this.#restarts].filter((moment) => at - moment <= periodMs);
    if (this.#restarts.length > intensity) return { did: 'gave-up' };
    if (strategy === 'one_for_one') return { did: 'restarted', stopped: [], started: [child.id] };
    const first = strategy === 'one_for_all' ? 0 : this.children.indexOf(child);
    const after = this.children.slice(first);
    const stopped = after.filter((one) => one.pid !== undefined && one !== child).reverse();
    const gone = after.filter(({ restart, pid }) => restart === 'temporary' && pid !== undefined);
    this.children = this.children.filter((one) => !gone.includes(one));
    const started = after.filter((one) => !gone.includes(one));
    // `start_children` starts every child of the list, also one that had ended normally before.
    for (const one of started) one.pid = one.id;
    return { did: 'restarted', stopped: stopped.map(({ id }) => id), started: started.map(({ id }) => id) };
  }
}
