import type { GroupStateName } from '../../machines/group/group.events.ts';
import type { MemberState, Strategy } from '../../machines/group/strategy.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { sentenceOf } from '../session/exit-cause.ts';

/** One child of a group, as OTP's `which_children` tells it. */
export interface GroupChildView extends MemberState {
  readonly kind: 'session' | 'group';
  /** The state of its session or group; `stopped` when there is none. */
  readonly state: string;
}

/** What a group is doing and why; JSON. */
export interface GroupExplanation {
  readonly id: string;
  readonly state: GroupStateName;
  readonly strategy: Strategy;
  readonly because: string;
  /** Restarts that still count, of how many that are allowed. */
  readonly restarts: { readonly count: number; readonly intensity: number; readonly periodMs: number };
  /** Epoch milliseconds when what is being restarted may start; undefined when nothing waits. */
  readonly startsAt: number | undefined;
  readonly children: readonly GroupChildView[];
}

/** One sentence a person can act on. */
export function becauseOf(state: GroupStateName, cause: EndCause | null): string {
  const why = cause === null ? '' : ` ${sentenceOf(cause)}`;
  switch (state) {
    case 'starting':
      return 'Its children are being started, in order.';
    case 'running':
      return 'It runs, and restarts what fails.';
    case 'giving-up':
      return `There were more restarts than it allows, or one would be in vain; its children are being stopped.${why}`;
    case 'holding':
      return 'The group above it is stopping it for a restart.';
    case 'held':
      return `It has no processes; the group above it decides what follows.${why}`;
    case 'quarantined':
      return `It gave up: start() tries again with a clean slate.${why}`;
    case 'stopping':
      return `Its children are being ended, in reverse order.${why}`;
    case 'stopped':
      return `It has ended.${why}`;
  }
}
