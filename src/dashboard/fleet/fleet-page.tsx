import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../frame/keys.ts';
import { useSource } from '../main/page.ts';
import { FleetGrid } from './fleet-grid.tsx';
import { belongs, type FleetChoice, rowsOf, type Shown } from './fleet-rows.ts';
import { FleetSums } from './fleet-sums.tsx';
import { NewSession } from './new-session.tsx';

const FILTERS: readonly { readonly shown: Shown; readonly label: string }[] = [
  { shown: 'all', label: 'All' },
  { shown: 'asking', label: 'Asking' },
  { shown: 'working', label: 'Working' },
  { shown: 'trouble', label: 'In trouble' },
  { shown: 'ended', label: 'Ended' },
];

export function FleetPage() {
  const source = useSource();
  const choice = useSignal<FleetChoice>({ search: '', shown: 'all', sort: 'attention', isDescending: false });
  const isStarting = useSignal(false);
  const search = useRef<HTMLInputElement>(null);
  const rows = useComputed(() => rowsOf(source.fleet.value.sessions, choice.value));
  useEffect(() => {
    document.title = 'Troupe';
    const listener = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === '/') {
        event.preventDefault();
        search.current?.focus();
      }
      if (event.key === 'n') isStarting.value = true;
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, [isStarting]);

  const { sessions } = source.fleet.value;
  return (
    <section class="fleet">
      <div class="fleet-head">
        <h1>Fleet</h1>
        <FleetSums fleet={source.fleet.value} />
        <button
          type="button"
          class="primary"
          onClick={() => {
            isStarting.value = true;
          }}
        >
          New session
        </button>
      </div>
      <div class="fleet-choice">
        <input
          ref={search}
          type="search"
          aria-label="Search sessions"
          placeholder="Search id, key, group, model, state"
          value={choice.value.search}
          onInput={({ currentTarget }) => {
            choice.value = { ...choice.value, search: currentTarget.value };
          }}
        />
        <fieldset class="pills">
          <legend class="unseen">Show</legend>
          {FILTERS.map(({ shown, label }) => (
            <button
              key={shown}
              type="button"
              aria-pressed={choice.value.shown === shown}
              onClick={() => {
                choice.value = { ...choice.value, shown };
              }}
            >
              {label} <span class="figure">{sessions.filter((session) => belongs(session, shown)).length}</span>
            </button>
          ))}
        </fieldset>
      </div>
      {sessions.length === 0 ? (
        <p class="empty">
          {source.connection.value.state === 'live' ? 'There is no session yet.' : 'Nothing is known yet.'}
        </p>
      ) : (
        <FleetGrid rows={rows} choice={choice} />
      )}
      <NewSession isOpen={isStarting} />
    </section>
  );
}
