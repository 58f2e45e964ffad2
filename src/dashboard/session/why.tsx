import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionView } from '../../view/session-view.ts';
import { durationText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { useSource } from '../main/page.ts';
import { type Explained, explained } from './explanation.ts';

/** explain() in words. It is asked again when something happened that it may speak of, at most once a second. */
export function Why({ view }: { readonly view: SessionView }) {
  const source = useSource();
  const told = useSignal<Explained | undefined>(undefined);
  const { id } = view;
  const about = [
    view.position,
    view.epoch,
    view.prompts.length,
    view.permissions.length,
    view.turn?.since,
    view.watchdog?.since,
  ].join();
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(async () => {
      // Without an answer the page does without: the connection badge says why.
      const answer = await source.ask('GET', `sessions/${encodeURIComponent(id)}/explain`).catch(() => undefined);
      if (isWanted) told.value = explained(answer);
    }, 300);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, id, about, told]);

  const { value } = told;
  return (
    <section class="why" aria-label="Why it is there">
      <p>{value?.because ?? 'It does not say yet why it is there.'}</p>
      {value?.advice !== undefined && <p class="advice">{value.advice}</p>}
      {value !== undefined && value.waitingFor.length > 0 && (
        <p class="muted">Waits for {value.waitingFor.join('; ')}.</p>
      )}
      <Deadlines told={value} />
    </section>
  );
}

/** What will be done if nothing happens before. */
function Deadlines({ told }: { readonly told: Explained | undefined }) {
  if (told === undefined || told.deadlines.length === 0) return null;
  return (
    <ul class="deadlines">
      {told.deadlines.map(({ next, at }) => (
        <li key={`${next} ${at}`}>
          <span>{next}</span>
          <span class="figure">{at > now.value ? durationText(at - now.value) : 'due'}</span>
        </li>
      ))}
    </ul>
  );
}
