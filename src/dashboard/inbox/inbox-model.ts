import { effect, type Signal, signal } from '@preact/signals';
import type { FleetPermission } from '../../view/fleet-view.ts';
import type { Source } from '../main/source.ts';

/** A question that somebody has answered while it was on the page. */
export interface AnsweredQuestion {
  readonly question: FleetPermission;
  readonly outcome: string;
  /** Who, or by what. */
  readonly by: string;
}

/** How many answered ones stay in sight. */
const MOST = 20;

export interface InboxModel {
  /** Newest first. */
  readonly answered: Signal<readonly AnsweredQuestion[]>;
  close(): void;
}

/** Watches the open questions: of those that are settled it asks who did it, here or elsewhere. */
export function inboxModel(source: Source): InboxModel {
  const answered = signal<readonly AnsweredQuestion[]>([]);
  let known = new Map<string, FleetPermission>();
  const close = effect(() => {
    const open = new Map(source.fleet.value.permissions.map((question) => [question.globalId, question]));
    const gone = [...known.values()].filter(({ globalId }) => !open.has(globalId));
    known = open;
    for (const question of gone) void noteEnd(question);
  });
  async function noteEnd(question: FleetPermission): Promise<void> {
    const path = `permissions/${encodeURIComponent(question.globalId)}`;
    // A session that is over answers no more; the question is gone with it.
    const end = endOf(await source.ask('GET', path).catch(() => undefined));
    if (end === undefined) return;
    answered.value = [{ question, ...end }, ...answered.value].slice(0, MOST);
  }
  return { answered, close };
}

/** What became of a question, in the answer of `GET permissions/:id`. */
export function endOf(answer: unknown): { readonly outcome: string; readonly by: string } | undefined {
  const record = isRecord(answer) && isRecord(answer['permission']) ? answer['permission'] : answer;
  if (!isRecord(record)) return undefined;
  const end = isRecord(record['settlement']) ? record['settlement'] : record;
  const { outcome, by, who } = end;
  if (typeof outcome !== 'string') return undefined;
  const name = typeof who === 'string' ? who : by;
  return { outcome, by: typeof name === 'string' ? name : 'somebody' };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
