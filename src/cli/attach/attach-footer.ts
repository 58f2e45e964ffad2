import type { StreamState } from '../../client/event-stream.ts';
import type { PermissionView, SessionView } from '../../view/session-view.ts';
import { cutTo, widthOf } from '../terminal/fitted-text.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Style } from '../terminal/style.ts';
import { lasting } from '../terminal/time-words.ts';
import type { LineEditor } from './line-editor.ts';

export interface FooterFacts {
  readonly view: SessionView | undefined;
  readonly connection: StreamState;
  /** When a lost connection is tried again, in epoch milliseconds. */
  readonly retryAt: number | undefined;
  readonly editor: LineEditor | undefined;
  readonly style: Style;
  readonly columns: number;
  readonly now: number;
}

/** The rows that stay below: how the session is, and what the keys do. */
export function footerOf({ view, connection, retryAt, editor, style, columns, now }: FooterFacts): string[] {
  const room = columns - 1;
  const state = style.inverse(cutTo(stateWords(view, now), room));
  if (connection === 'waiting') {
    const seconds = retryAt === undefined ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
    return [state, style.yellow(cutTo(`the server does not answer, again in ${seconds} s   q detach`, room))];
  }
  if (editor === undefined) return [state, ...rowsOf(view, style, room)];
  const head = `${editor.label}> `;
  // The end of a long line is where it is typed.
  const tail = tailOf(plainLine(editor.text), room - widthOf(head) - 1);
  return [state, `${style.bold(head)}${style.text(tail)}▏`];
}

function stateWords(view: SessionView | undefined, now: number): string {
  if (view === undefined) return ' connecting ';
  const waiting = view.prompts.filter(({ state }) => state === 'accepted' || state === 'deferred').length;
  const { costUsd } = view.usage;
  const parts = [
    plainLine(view.id),
    view.position,
    lasting(now - view.since),
    ...(waiting > 0 ? [`${waiting} queued`] : []),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(view.model === undefined ? [] : [plainLine(view.model)]),
  ];
  return ` ${parts.join('  ')} `;
}

function rowsOf(view: SessionView | undefined, style: Style, room: number): string[] {
  const [question, ...others] = view?.permissions ?? [];
  const keys = style.dim(
    cutTo(view?.turn === undefined ? 'p prompt  q detach' : 's steer  i interrupt  q detach', room),
  );
  if (question === undefined) return [keys];
  const more = others.length > 0 ? ` (1 of ${others.length + 1})` : '';
  const asked = `Allow ${plainLine(question.toolName ?? question.kind)}?${more}  ${answersTo(question)}  v view`;
  return [style.yellow(cutTo(asked, room)), keys];
}

function answersTo(question: PermissionView): string {
  if (question.kind !== 'tool') return 'n decline (other answers: on the page)';
  if (question.toolName === 'AskUserQuestion') return '1-9 choose  n deny';
  const remembers = question.suppressAlwaysAllowRule !== true && question.requiresUserInteraction !== true;
  return remembers ? 'y allow  a in this session  A always  n deny  N deny because' : 'y allow  n deny  N deny because';
}

function tailOf(text: string, columns: number): string {
  let tail = text;
  while (widthOf(tail) > Math.max(1, columns)) tail = tail.slice(1);
  return tail;
}
