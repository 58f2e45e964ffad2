import type { ActorLogic, AnyActorRef, Snapshot } from 'xstate';
import { type LinkNews, SessionLink, type StartSession } from './session-link.ts';
import type { SessionLogicCommand, SessionLogicEvent, SessionLogicFact } from './session-logic.events.ts';

export interface SessionLogicInput {
  readonly start: StartSession;
}

/** How the session ended that was asked to; one that ended otherwise is an actor error. */
export interface SessionLogicOutput {
  /** Undefined where it was closed before it was ready. */
  readonly sessionId: string | undefined;
}

/** What can be read of the session at any time; JSON. */
export interface SessionLogicView {
  readonly sessionId: string | undefined;
  /** `starting` until it is ready, then the state of the session. */
  readonly state: string;
  /** Ids of the prompts sent from here that have not ended, in order. */
  readonly prompts: readonly string[];
  /** The open questions of the CLI, oldest first. */
  readonly questions: readonly {
    readonly requestId: string;
    readonly kind: string;
    readonly toolName: string | undefined;
    readonly input: unknown;
  }[];
  /** How often a new process took over. */
  readonly restarts: number;
}

export type SessionLogicSnapshot = Snapshot<SessionLogicOutput> & SessionLogicView;

/** The logic of the actor that stands for a session in a machine of yours. */
export type SessionLogic = ActorLogic<
  SessionLogicSnapshot,
  SessionLogicCommand,
  SessionLogicInput,
  AnyActorRef['system'],
  SessionLogicEvent
>;

const NEW: SessionLogicView = { sessionId: undefined, state: 'starting', prompts: [], questions: [], restarts: 0 };

/** The way of each actor to its session. */
const links = new WeakMap<AnyActorRef, SessionLink>();

type Heard = SessionLogicCommand | LinkNews | { type: 'xstate.stop' };

/**
 * A supervised session as actor logic, to be invoked or spawned by a machine of your own. Commands in; facts out, both sent
 * to that machine and emitted. Done when the session was closed; an actor error, with the error of the session, when it
 * could not be started or was lost for good. To stop the actor is to close the session: the supervisor that started it sees
 * to the end, and its limits hold as ever. A process that is replaced on the way is told, and nothing else changes. A
 * snapshot cannot be restored: start a session with `resume` instead.
 */
export const sessionLogic: SessionLogic = {
  getInitialSnapshot: ({ self }, { start }) => {
    const actor: AnyActorRef = self;
    links.set(actor, new SessionLink(start, (news) => actor.send(news)));
    return active(NEW);
  },
  start: ({ status }, { self }) => {
    if (status === 'active') linkOf(self).begin();
  },
  transition: (snapshot, event, { self, emit }) => {
    const { next, told } = after(snapshot, event, linkOf(self));
    if (told !== undefined) {
      emit(told);
      self._parent?.send(told);
    }
    return next;
  },
  getPersistedSnapshot: (snapshot) => snapshot,
};

function after(
  snapshot: SessionLogicSnapshot,
  heard: Heard,
  link: SessionLink,
): { next: SessionLogicSnapshot; told?: SessionLogicEvent } {
  switch (heard.type) {
    case 'xstate.stop':
      link.leave();
      return { next: { ...viewOf(snapshot), status: 'stopped', output: undefined, error: undefined } };
    case 'link.told': {
      const { fact, sessionId } = heard;
      const next = active({ ...viewAfter(viewOf(snapshot), fact), sessionId });
      return { next, told: { ...fact, sessionId } };
    }
    case 'link.ended':
      return { next: ended(viewOf(snapshot), heard.error) };
    default:
      link.obey(heard);
      return { next: snapshot };
  }
}

function viewAfter(view: SessionLogicView, fact: SessionLogicFact): SessionLogicView {
  switch (fact.type) {
    case 'session.ready':
      return { ...view, state: 'ready' };
    case 'session.state-changed':
      return { ...view, state: fact.state };
    case 'session.restarting':
      return { ...view, restarts: view.restarts + 1 };
    case 'session.prompted':
      return { ...view, prompts: [...view.prompts, fact.promptId] };
    case 'session.turn-ended':
      return { ...view, prompts: view.prompts.filter((id) => id !== fact.promptId) };
    case 'permission.requested': {
      const { type: _, ...question } = fact;
      return { ...view, questions: [...view.questions, question] };
    }
    case 'permission.settled':
      return { ...view, questions: view.questions.filter(({ requestId }) => requestId !== fact.requestId) };
    default:
      return view;
  }
}

function active(view: SessionLogicView): SessionLogicSnapshot {
  return { ...view, status: 'active', output: undefined, error: undefined };
}

function ended(view: SessionLogicView, error: unknown): SessionLogicSnapshot {
  const over = { ...view, state: error === undefined ? 'closed' : 'failed', prompts: [], questions: [] };
  if (error !== undefined) return { ...over, status: 'error', output: undefined, error };
  return { ...over, status: 'done', output: { sessionId: view.sessionId }, error: undefined };
}

function viewOf({ sessionId, state, prompts, questions, restarts }: SessionLogicSnapshot): SessionLogicView {
  return { sessionId, state, prompts, questions, restarts };
}

function linkOf(actor: AnyActorRef): SessionLink {
  const link = links.get(actor);
  if (link === undefined) throw new Error('A session cannot be restored from a snapshot: start it with `resume`.');
  return link;
}
