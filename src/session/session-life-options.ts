import type { ChildInput } from '../../machines/child/child.context.ts';
import type { Clock } from '../clock.ts';
import type { EventLog } from '../store/event-log.ts';
import type { Admission } from './admission.ts';
import type { Conversation } from './conversation.ts';
import type { Incarnation, IncarnationListener } from './incarnation.ts';
import type { Barrier, WallAtEnd } from './parking-place.ts';
import type { FirstStart } from './unrecorded.ts';

export interface SessionLifeOptions {
  readonly child: ChildInput;
  readonly clock: Clock;
  /** A number from 0 to 1, for the jitter of the backoff. */
  readonly chance: () => number;
  readonly log: EventLog;
  readonly conversation: Conversation;
  readonly admission: Admission;
  /** What stands in the way of its work; asked before each start and each prompt. */
  readonly barrier?: Barrier | undefined;
  /** Hears why a process ended; where the account is the reason, what the session waits for. */
  readonly lostFor?: WallAtEnd | undefined;
  /** Has its machines told what they hear late: called before somebody looks at its state. */
  readonly catchUp?: (() => void) | undefined;
  readonly inspect: ((event: unknown) => void) | undefined;
  /** Hears every line of stderr. What it throws is caught where the lines are cut (R100). */
  readonly onStderr: ((line: string) => void) | undefined;
  readonly build: (number: number, listener: IncarnationListener) => Incarnation;
  readonly firstStart: FirstStart;
  /** Removes what only its processes needed; `ended` waits for it. Must not reject. */
  readonly cleanUp?: (() => Promise<void>) | undefined;
  /** Asks a new process for what was changed at run time (P8); empty when nothing was. */
  readonly replay: (incarnation: Incarnation) => Promise<unknown>[];
  /** Hears of every permission mode the CLI says it has gone over to: the next process starts in it (P8). */
  readonly onModeChanged: (mode: string) => void;
}
