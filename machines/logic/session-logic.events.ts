import type { HostedAnswer } from './hosted-session.ts';

/** What a machine of yours tells the session. Before it is ready, commands wait; afterwards each is obeyed or refused. */
export type SessionLogicCommand =
  /** `id`, `onBusy` and `untrusted` as in `session.prompt()` of `troupe`. */
  | {
      type: 'session.prompt';
      text: string;
      id?: string;
      onBusy?: 'enqueue' | 'steer' | 'interrupt' | 'reject';
      untrusted?: boolean;
    }
  | { type: 'session.interrupt'; cancelQueued?: boolean }
  | { type: 'permission.answer'; requestId: string; answer: HostedAnswer; by?: string }
  /** Ends it; the actor is done when the end was seen. */
  | { type: 'session.close' };

/** What happens in the session. `code`: one of the error codes of `troupe`. */
export type SessionLogicFact =
  | { type: 'session.ready' }
  | { type: 'session.state-changed'; state: string; from: string | undefined }
  /** Its process was lost; another one takes up the conversation after that wait. Nothing need be done about it. */
  | { type: 'session.restarting'; code: string; message: string; delayMs: number }
  | { type: 'session.resumed' }
  | { type: 'session.prompted'; promptId: string }
  | {
      type: 'session.turn-ended';
      promptId: string;
      outcome: string;
      text: string | undefined;
      code: string | undefined;
    }
  /** A command was not obeyed. */
  | { type: 'session.refused'; command: SessionLogicCommand['type']; code: string; message: string }
  | { type: 'permission.requested'; requestId: string; kind: string; toolName: string | undefined; input: unknown }
  | { type: 'permission.settled'; requestId: string; outcome: string; by: string };

/** The same as it is sent to the machine that invoked or spawned the actor, and emitted by the actor. */
export type SessionLogicEvent = SessionLogicFact & { sessionId: string };
