import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { route, useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';
import { appearance, nextAppearance } from '../theme/appearance.ts';
import { ConnectionBadge } from './connection-badge.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { isTyping } from './keys.ts';
import { LoggedOut } from './logged-out.tsx';
import { Toasts } from './toasts.tsx';

interface PlaceOptions {
  readonly page: 'fleet' | 'inbox' | 'tree';
  readonly label: string;
}

const PLACES: readonly PlaceOptions[] = [
  { page: 'fleet', label: 'Fleet' },
  { page: 'inbox', label: 'Inbox' },
  { page: 'tree', label: 'Supervision' },
];

/** What is around every page: where one can go, and whether what one sees is so. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const source = useSource();
  const helps = useSignal(false);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === '?') helps.value = true;
      if (event.key === 'g') location.hash = addressOf({ page: 'fleet' });
      if (event.key === 'i') location.hash = addressOf({ page: 'inbox' });
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, [helps]);

  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to the content
      </button>
      <header class="frame-head">
        <a class="brand" href={addressOf({ page: 'fleet' })}>
          <Mark /> Troupe
        </a>
        <nav aria-label="Pages">
          {PLACES.map(({ page, label }) => (
            <Place key={page} page={page} label={label} />
          ))}
        </nav>
        <div class="frame-tools">
          <ConnectionBadge connection={source.connection} />
          <button type="button" class="quiet" onClick={nextAppearance} aria-label={`Appearance: ${appearance.value}`}>
            {APPEARANCE_SIGNS[appearance.value]}
          </button>
          <button
            type="button"
            class="quiet"
            aria-label="Keyboard"
            onClick={() => {
              helps.value = true;
            }}
          >
            ?
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {source.connection.value.state === 'logged-out' ? <LoggedOut /> : children}
      </main>
      <KeyboardHelp isOpen={helps} />
      <Toasts />
    </>
  );
}

const APPEARANCE_SIGNS = { system: '◐', light: '☀', dark: '☾' } as const;

function Place({ page, label }: PlaceOptions) {
  const source = useSource();
  const isHere = route.value.page === page || (page === 'fleet' && route.value.page === 'session');
  const open = page === 'inbox' ? source.fleet.value.permissions.length : 0;
  return (
    <a href={addressOf({ page })} aria-current={isHere ? 'page' : undefined}>
      {label}
      {open > 0 && (
        <span class="count">
          {open}
          <span class="unseen"> open questions</span>
        </span>
      )}
    </a>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="4.5" r="3" />
      <circle cx="4" cy="15" r="3" />
      <circle cx="16" cy="15" r="3" />
      <path d="M10 7.5v3m0 0-4.4 2.2M10 10.5l4.4 2.2" />
    </svg>
  );
}
