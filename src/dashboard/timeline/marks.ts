import type { ViewEvent } from '../../view/view-event.ts';

/** A stretch of the log, by the numbers of its events; `to` is undefined while it lasts. */
export interface Stretch {
  readonly from: number;
  readonly to?: number;
  readonly label: string;
}

/** One prompt or question: from when it was there until it was over. */
export interface Lasting extends Stretch {
  readonly id: string;
  readonly outcome?: string;
}

/** What the timeline draws of a log. */
export interface Marks {
  readonly states: readonly Stretch[];
  readonly turns: readonly Stretch[];
  readonly prompts: readonly Lasting[];
  readonly questions: readonly Lasting[];
}

export const NO_MARKS: Marks = { states: [], turns: [], prompts: [], questions: [] };

/** The marks with what the event adds to them. */
export function marked(marks: Marks, event: ViewEvent): Marks {
  const { seq } = event;
  switch (event.type) {
    case 'session.state-changed':
      return { ...marks, states: [...ended(marks.states, seq), { from: seq, label: event.state }] };
    case 'session.ended':
      return { ...marks, states: ended(marks.states, seq), turns: ended(marks.turns, seq) };
    case 'turn.started':
      return { ...marks, turns: [...ended(marks.turns, seq), { from: seq, label: 'turn' }] };
    case 'turn.ended':
      return { ...marks, turns: ended(marks.turns, seq) };
    case 'prompt.accepted':
      return { ...marks, prompts: [...marks.prompts, { id: event.promptId, from: seq, label: 'prompt' }] };
    case 'prompt.ended':
      return { ...marks, prompts: settled(marks.prompts, event.promptId, seq, event.outcome) };
    case 'permission.requested': {
      const label = event.toolName ?? event.kind;
      return { ...marks, questions: [...marks.questions, { id: event.requestId, from: seq, label }] };
    }
    case 'permission.settled':
      return { ...marks, questions: settled(marks.questions, event.requestId, seq, event.outcome) };
    default:
      return marks;
  }
}

/** The last one ends here, where it has not ended yet. */
function ended(stretches: readonly Stretch[], to: number): readonly Stretch[] {
  const last = stretches.at(-1);
  return last === undefined || last.to !== undefined ? stretches : [...stretches.slice(0, -1), { ...last, to }];
}

function settled(all: readonly Lasting[], id: string, to: number, outcome: string): readonly Lasting[] {
  return all.map((one) => (one.id === id && one.to === undefined ? { ...one, to, outcome } : one));
}
