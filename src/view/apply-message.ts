import { isRecord, type JsonRecord, recordIn, recordsOf, textOf } from './line-value.ts';
import type { SessionView, TaskView } from './session-view.ts';
import type { ViewEvent } from './view-event.ts';

type Apply = (view: SessionView, line: JsonRecord) => SessionView;

/** The few lines of a conversation that say something about the session; no other is parsed. */
const BY_SUBTYPE: ReadonlyMap<string | undefined, Apply> = new Map<string, Apply>([
  ['init', turnOpened],
  ['session_state_changed', activityChanged],
  ['background_tasks_changed', tasksReplaced],
  ['task_started', taskStarted],
  [
    'task_updated',
    (view, { task_id: id, patch }) => taskEnded(view, id, isRecord(patch) ? patch['status'] : undefined),
  ],
  ['task_notification', (view, { task_id: id, status }) => taskEnded(view, id, status)],
  ['status', modeChanged],
]);

const ACTIVITIES: ReadonlySet<unknown> = new Set(['running', 'requires_action', 'idle']);
const ENDS: ReadonlySet<unknown> = new Set(['completed', 'failed', 'stopped', 'killed']);

/** The view after a line of the conversation. */
export function applyMessage(view: SessionView, event: Extract<ViewEvent, { type: 'message' }>): SessionView {
  const apply = event.kind === 'system' ? BY_SUBTYPE.get(event.subtype) : undefined;
  const line = apply === undefined ? undefined : recordIn(event.line);
  return apply === undefined || line === undefined ? view : apply(view, line);
}

function turnOpened(view: SessionView, line: JsonRecord): SessionView {
  const told = {
    conversationId: textOf(line['session_id']),
    model: textOf(line['model']),
    permissionMode: textOf(line['permissionMode']),
    cliVersion: textOf(line['claude_code_version']),
  };
  const known = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  return { ...view, ...known };
}

function activityChanged(view: SessionView, { state }: JsonRecord): SessionView {
  return typeof state === 'string' && ACTIVITIES.has(state) ? { ...view, activity: state } : view;
}

function modeChanged(view: SessionView, line: JsonRecord): SessionView {
  const mode = line['permissionMode'];
  return typeof mode === 'string' ? { ...view, permissionMode: mode } : view;
}

function tasksReplaced(view: SessionView, { tasks }: JsonRecord): SessionView {
  // A list that cannot be read must not look like an empty one: that would mean idle.
  return Array.isArray(tasks) ? { ...view, tasks: recordsOf(tasks).flatMap((task) => taskOf(task) ?? []) } : view;
}

function taskStarted(view: SessionView, line: JsonRecord): SessionView {
  const task = taskOf(line);
  return task === undefined ? view : { ...view, tasks: [...view.tasks.filter(({ id }) => id !== task.id), task] };
}

function taskEnded(view: SessionView, id: unknown, status: unknown): SessionView {
  const isOver = typeof id === 'string' && ENDS.has(status) && view.tasks.some((task) => task.id === id);
  return isOver ? { ...view, tasks: view.tasks.filter((task) => task.id !== id) } : view;
}

function taskOf(line: JsonRecord): TaskView | undefined {
  const { task_id: id, task_type: kind } = line;
  if (typeof id !== 'string') return undefined;
  if (typeof kind === 'string') return { id, kind };
  return { id, kind: line['subagent_type'] === undefined ? 'unknown' : 'local_agent' };
}
