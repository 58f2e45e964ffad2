import type { Explanation } from '../../session/explanation.ts';
import type { SupervisorExplanation } from '../../supervision/supervisor-explanation.ts';
import type { Style } from '../terminal/style.ts';
import { lasting, timeOfDay } from '../terminal/time-words.ts';

/** Where a session is, why, what would move it on, and what is done at which time if nothing does. */
export function explainText(
  told: Explanation,
  { style, now }: { readonly style: Style; readonly now: number },
): string[] {
  const { id, state, status, since, because, waitingFor, incarnation, pid, openPermissions, lastFailure } = told;
  const line = lineWith(style);
  return [
    `${style.bold(id)}  ${style.cyan(state)} (${style.text(status)}) for ${lasting(now - since)}, since ${timeOfDay(since)}`,
    line('why', because),
    ...waitingFor.map((one) => line('waits for', one)),
    ...openPermissions.map(({ id: request, toolName, kind, ageMs }) =>
      line('answer', `${toolName ?? kind}, asked ${lasting(ageMs)} ago: troupe approve ${id}~${request}`),
    ),
    ...told.promptsInDoubt.map((doubt) => line('in doubt', `prompt ${doubt.id}: decide on the page, or by the API`)),
    ...told.deadlines.map(({ at, next }) => line('next', `${nextAt(at, now)}: ${next}`)),
    ...(told.deadlines.length === 0 ? [line('next', 'nothing by itself: no deadline is set')] : []),
    line('prompts', `${told.outstandingPrompts} not ended, ${told.queuedPrompts} of them wait in the queue`),
    ...(told.backgroundTasks > 0 ? [line('tasks', `${told.backgroundTasks} in the background`)] : []),
    line('process', pid === undefined ? `none; ${incarnation} so far` : `pid ${pid}, number ${incarnation}`),
    ...told.degradedServers.map(({ name, reason }) => line('server', `${name} is not connected: ${reason}`)),
    ...(lastFailure === undefined || lastFailure.code === 'closed'
      ? []
      : [line('failure', `${lastFailure.message} (${lastFailure.code})`)]),
    ...(told.advice === undefined ? [] : [line('advice', told.advice)]),
  ];
}

/** The same of the supervisor. */
export function explainFleetText(
  told: SupervisorExplanation,
  { style, now }: { readonly style: Style; readonly now: number },
): string[] {
  const line = lineWith(style);
  return [
    `${style.bold('supervisor')}  ${style.cyan(told.phase)} for ${lasting(now - told.since)}, since ${timeOfDay(told.since)}`,
    line('why', told.because),
    ...told.awaited.map(({ id, state, reason }) => line('waits for', `${id} (${state}): ${reason}`)),
    ...(told.deadlineAt === undefined ? [] : [line('next', `${nextAt(told.deadlineAt, now)}: this phase gives up`)]),
    line('sessions', `${told.sessions}, in ${told.groups} groups`),
  ];
}

function lineWith(style: Style) {
  return (name: string, text: string) => `  ${style.dim(name.padEnd(10))}${style.text(text)}`;
}

function nextAt(at: number, now: number): string {
  return at <= now ? 'now' : `in ${lasting(at - now)}, at ${timeOfDay(at)}`;
}
