import { applyMessage } from './apply-message.ts';
import { applyPermissionEvent } from './permission-fold.ts';
import { applyPromptEvent, backInLine } from './prompt-fold.ts';
import { type SessionView, startView } from './session-view.ts';
import type { ViewEvent } from './view-event.ts';

/** Changes of state that a view keeps. */
const TRANSITIONS_KEPT = 100;

/** States of the session machine without a process that works, and those of supervision that are none of it. */
const WITH_PROCESS: ReadonlySet<string> = new Set([
  'initializing',
  'mcp-setup',
  'ready',
  'awaiting-permission',
  'closing',
]);

/**
 * The view after the event. Pure: what is given stays as it is. An event that the view holds already, by its `seq`, changes
 * nothing; of a kind that this release does not know, nothing but `seq`, `epoch` and `updatedAt`. Where an id is used again,
 * its log goes on: the view of the session that ended is over there, and that of the next one begins.
 */
export function applyEvent(view: SessionView, event: ViewEvent): SessionView {
  if (event.seq <= view.seq) return view;
  const { seq, epoch, at } = event;
  const before = isNextLife(view, event) ? { ...startView(view), epoch: view.epoch } : view;
  const createdAt = before.seq === 0 ? at : before.createdAt;
  const moved: SessionView = { ...before, seq, epoch: Math.max(view.epoch, epoch), updatedAt: at, createdAt };
  if (event.type === 'message') return event.kind === 'stream_event' ? moved : settled(applyMessage(moved, event));
  return settled(factApplied(moved, event));
}

/** The first that is logged of a session is the state it begins in; where that cannot be read, its first process has a number of its own. */
function isNextLife({ ended, epoch }: SessionView, event: ViewEvent): boolean {
  if (ended === undefined) return false;
  return event.epoch > epoch || (event.type === 'session.state-changed' && event.from === undefined);
}

type FactEvent = Exclude<ViewEvent, { type: 'message' }>;

function factApplied(view: SessionView, event: FactEvent): SessionView {
  switch (event.type) {
    case 'session.state-changed':
      return stateEntered(view, event);
    case 'session.started':
      return { ...processGone(view), pid: event.pid };
    case 'session.recovered':
      return recovered(view, event);
    case 'session.resumed':
      return { ...view, conversationId: event.conversationId };
    case 'session.conversation-changed':
      return { ...view, conversationId: event.to };
    case 'session.restarting': {
      const { cause, delayMs, restarts } = event;
      const { count } = view.restarts;
      return { ...view, restarts: { count: count + 1, inWindow: restarts, cause, nextAt: event.at + delayMs } };
    }
    case 'session.parked': {
      const { reason, until, note } = event;
      return { ...view, parked: { reason, until, note } };
    }
    case 'session.quarantined':
      return { ...view, quarantined: { cause: event.cause, at: event.at } };
    case 'session.settings-changed':
      return { ...view, settings: { ...view.settings, [event.setting]: event.value ?? null } };
    case 'session.ended': {
      const { at, cause, exitCode, signal, wasForced } = event;
      const how = { ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) };
      const ended = { at, cause, ...how, ...(wasForced === true ? { wasForced } : {}) };
      return { ...processGone(view), ended };
    }
    case 'turn.started':
    case 'turn.ended':
      return turnMoved(view, event);
    case 'prompt.accepted':
    case 'prompt.delivered':
    case 'prompt.in-doubt':
    case 'prompt.retried':
    case 'prompt.started':
    case 'prompt.deferred':
    case 'prompt.ended':
      return applyPromptEvent(view, event);
    case 'permission.requested':
    case 'permission.settled':
      return applyPermissionEvent(view, event);
    default:
      return besides(view, event);
  }
}

/** What is told beside the work. */
function besides(view: SessionView, event: FactEvent): SessionView {
  switch (event.type) {
    case 'mcp.server-changed': {
      const { server, status, reason } = event;
      const told = { status, ...(reason === undefined ? {} : { reason }) };
      return { ...view, servers: { ...view.servers, [server]: told } };
    }
    case 'watchdog.warned': {
      const { clock, since, interruptAt } = event;
      return { ...view, watchdog: { clock, since, ...(interruptAt === undefined ? {} : { interruptAt }) } };
    }
    case 'watchdog.recovered':
    case 'watchdog.interrupted':
      return without(view, 'watchdog');
    case 'diagnostic':
      return { ...view, diagnostics: view.diagnostics + 1 + (event.suppressed ?? 0) };
    case 'log.volatile':
      return { ...view, volatileSince: event.at };
    case 'log.durable':
      return without(view, 'volatileSince');
    default:
      return view;
  }
}

function stateEntered(view: SessionView, event: Extract<ViewEvent, { type: 'session.state-changed' }>): SessionView {
  const { state, from, at, seq, epoch } = event;
  const transition = { ...(from === undefined ? {} : { from }), to: state, at, seq, epoch };
  const transitions = [...view.transitions.slice(1 - TRANSITIONS_KEPT), transition];
  const { nextAt: _nextAt, ...restarts } = view.restarts;
  const entered = { ...view, state, since: at, transitions, restarts };
  // What led to the state that is left is over with it; why the new one is, the next event says.
  const rid = without(without(entered, 'parked'), 'quarantined');
  return state === 'spawning' || WITH_PROCESS.has(state) ? rid : processGone(rid);
}

/** Until its store has kept that it was taken up, a session that goes on waits, and nothing else tells so. */
function recovered(
  view: SessionView,
  { decision, at }: Extract<ViewEvent, { type: 'session.recovered' }>,
): SessionView {
  const gone = processGone(view);
  const hadProcess = view.state === 'spawning' || WITH_PROCESS.has(view.state);
  return decision === 'resumed' && hadProcess ? { ...gone, state: 'waiting', since: at } : gone;
}

/** Nothing that a process knew or did is so any more; its prompts wait for the next one, unless they are ended. */
function processGone(view: SessionView): SessionView {
  const { pid: _pid, turn: _turn, activity: _activity, watchdog: _watchdog, ...kept } = view;
  return { ...kept, tasks: [], prompts: backInLine(view.prompts) };
}

function turnMoved(view: SessionView, event: Extract<ViewEvent, { type: 'turn.started' | 'turn.ended' }>): SessionView {
  if (event.type === 'turn.started') {
    const { promptId, at } = event;
    return { ...view, turn: { since: at, promptIds: promptId === undefined ? [] : [promptId] } };
  }
  const { usage } = view;
  const { costUsd = 0 } = usage;
  const cost = event.costUsd === undefined ? {} : { costUsd: costUsd + event.costUsd };
  const { turn: _turn, watchdog: _watchdog, ...kept } = view;
  return { ...kept, usage: { ...usage, ...cost, turns: usage.turns + 1 } };
}

function without(view: SessionView, field: 'parked' | 'quarantined' | 'watchdog' | 'volatileSince'): SessionView {
  if (view[field] === undefined) return view;
  const { [field]: _gone, ...kept } = view;
  return kept;
}

/** With what follows from the rest: the word that the library has for it, and the place in the machine. */
function settled(view: SessionView): SessionView {
  const isAsked = view.permissions.length > 0 || view.prompts.some(({ state }) => state === 'in-doubt');
  const status = isAsked ? 'requires_action' : isWorking(view) ? 'running' : 'idle';
  const position = view.state === 'ready' ? `ready.${isWorking(view) ? 'running' : 'idle'}` : view.state;
  return status === view.status && position === view.position ? view : { ...view, status, position };
}

/** As the library decides it: prompts that a process has, a turn, or an agent in the background. */
function isWorking({ prompts, activity, turn, tasks }: SessionView): boolean {
  if (prompts.some(({ state }) => state === 'delivered' || state === 'started')) return true;
  const isActive = activity === undefined ? turn !== undefined : activity !== 'idle';
  return isActive || tasks.some(({ kind }) => kind.includes('agent'));
}
