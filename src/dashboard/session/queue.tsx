import type { PromptView, SessionView } from '../../view/session-view.ts';
import { ageText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { attempt, useSource } from '../main/page.ts';

/** How many that have ended are shown below those that have not. */
const ENDED_SHOWN = 5;

export function Queue({ view, isPast }: { readonly view: SessionView; readonly isPast: boolean }) {
  const open = view.prompts.filter(({ state }) => state !== 'ended');
  const ended = view.prompts
    .filter(({ state }) => state === 'ended')
    .slice(-ENDED_SHOWN)
    .toReversed();
  return (
    <section class="card queue">
      <h2>
        Prompts <span class="figure muted">{open.length} open</span>
      </h2>
      {open.length + ended.length === 0 && <p class="muted">None yet.</p>}
      <ol>
        {[...open, ...ended].map((prompt) => (
          <Prompt key={prompt.id} prompt={prompt} sessionId={view.id} isPast={isPast} />
        ))}
      </ol>
    </section>
  );
}

interface PromptOptions {
  readonly prompt: PromptView;
  readonly sessionId: string;
  readonly isPast: boolean;
}

function Prompt({ prompt, sessionId, isPast }: PromptOptions) {
  const source = useSource();
  const base = `sessions/${encodeURIComponent(sessionId)}`;
  const path = encodeURIComponent(prompt.id);
  const state = prompt.outcome ?? prompt.state;
  const waits = prompt.state === 'accepted' || prompt.state === 'deferred';
  return (
    <li class={prompt.state}>
      <span class="what" title={prompt.id}>
        {prompt.preview ?? prompt.id}
      </span>
      <span class={`chip ${TONES[state] ?? ''}`}>{state}</span>
      <span class="figure muted">{ageText(now.value - (prompt.endedAt ?? prompt.startedAt ?? prompt.acceptedAt))}</span>
      {prompt.from !== undefined && <span class="muted">from {prompt.from}</span>}
      {waits && !isPast && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            void attempt(source, 'It was not cancelled.', () => source.ask('DELETE', `${base}/prompts/${path}`))
          }
        >
          Cancel
        </button>
      )}
      {prompt.state === 'in-doubt' && !isPast && (
        <span class="doubt">
          {(['retry', 'fail'] as const).map((how) => (
            <button
              key={how}
              type="button"
              onClick={() =>
                void attempt(source, 'The doubt remains.', () => source.ask('POST', `${base}/doubts/${path}`, { how }))
              }
            >
              {how}
            </button>
          ))}
        </span>
      )}
    </li>
  );
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  failed: 'bad',
  lost: 'bad',
  'in-doubt': 'asks',
  started: 'works',
};
