import type { PromptView, SessionView } from './session-view.ts';
import type { ViewEvent } from './view-event.ts';

/** Ended prompts that a view keeps. */
const ENDED_KEPT = 50;

type PromptEvent = Extract<ViewEvent, { type: `prompt.${string}` }>;

export function applyPromptEvent(view: SessionView, event: PromptEvent): SessionView {
  switch (event.type) {
    case 'prompt.accepted': {
      const { promptId: id, onBusy, preview, at } = event;
      const shown = preview === undefined ? {} : { preview };
      const accepted: PromptView = { id, state: 'accepted', onBusy, ...shown, acceptedAt: at };
      return { ...view, prompts: [...view.prompts.filter((one) => one.id !== id), accepted] };
    }
    case 'prompt.delivered':
      return changed(view, event.promptId, {
        state: 'delivered',
        ...(event.uuid === undefined ? {} : { uuid: event.uuid }),
      });
    case 'prompt.started':
      return turnJoined(changed(view, event.promptId, { state: 'started', startedAt: event.at }), event.promptId);
    case 'prompt.in-doubt':
      return changed(view, event.promptId, { state: 'in-doubt' });
    case 'prompt.retried':
      return changed(view, event.promptId, { state: 'accepted' });
    case 'prompt.deferred':
      return changed(view, event.promptId, { state: 'deferred' });
    case 'prompt.ended': {
      const ended = changed(view, event.promptId, { state: 'ended', outcome: event.outcome, endedAt: event.at });
      return { ...ended, prompts: trimmed(ended.prompts) };
    }
  }
}

/** The process that had them is gone: they wait for the next one. */
export function backInLine(prompts: readonly PromptView[]): readonly PromptView[] {
  const isHeld = ({ state }: PromptView) => state === 'delivered' || state === 'started';
  return prompts.some(isHeld)
    ? prompts.map((prompt) => (isHeld(prompt) ? { ...prompt, state: 'accepted' } : prompt))
    : prompts;
}

function changed(view: SessionView, id: string, change: Partial<PromptView>): SessionView {
  const index = view.prompts.findIndex((prompt) => prompt.id === id);
  const prompt = view.prompts[index];
  return prompt === undefined ? view : { ...view, prompts: view.prompts.with(index, { ...prompt, ...change }) };
}

/** A prompt that steers begins in a turn that is open already. */
function turnJoined(view: SessionView, id: string): SessionView {
  const { turn } = view;
  if (turn === undefined || turn.promptIds.includes(id)) return view;
  return { ...view, turn: { ...turn, promptIds: [...turn.promptIds, id] } };
}

function trimmed(prompts: readonly PromptView[]): readonly PromptView[] {
  const ended = prompts.filter(({ state }) => state === 'ended');
  if (ended.length <= ENDED_KEPT) return prompts;
  const oldest = new Set(ended.slice(0, ended.length - ENDED_KEPT));
  return prompts.filter((prompt) => !oldest.has(prompt));
}
