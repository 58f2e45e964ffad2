import type { MemberSpec } from '../../machines/group/strategy.ts';
import type { EndCause } from '../../machines/session/session.events.ts';

/** For how long a member is held: until a restart has come to it, or until somebody asks for it. */
export type HoldFor = 'restart' | 'wish';

/** What a group does with one of its members, a session or another group. */
export interface GroupMember extends MemberSpec {
  readonly kind: 'session' | 'group';
  /** Where it is: the state of its session or group; `stopped` when there is none. */
  readonly state: string;
  /** Resolves when it is ready; rejects with the cause, and then it is held. One that is ready stays as it is. */
  bringUp(): Promise<void>;
  /** Ends its processes and keeps it, with its slot where it is started again soon. Resolves when they are gone. */
  hold(wait: HoldFor): Promise<void>;
  /** Its group has given up: it refuses work until somebody starts it again. */
  setAside(): void;
  /** Ends it for good. */
  close(): Promise<void>;
}

/** Tells of an end that the group did not ask for. */
export type EndListener = (cause: EndCause) => void;
