import type { ReadonlySignal } from '@preact/signals';
import type { Connection } from '../main/source.ts';
import { durationText } from './figures.ts';
import { now } from './now.ts';

export function ConnectionBadge({ connection }: { readonly connection: ReadonlySignal<Connection> }) {
  const { value } = connection;
  return (
    <span class={`connection ${value.state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {wordsFor(value)}
    </span>
  );
}

function wordsFor(connection: Connection): string {
  if (connection.state === 'live') return 'live';
  if (connection.state === 'logged-out') return 'logged out';
  if (connection.state === 'connecting') return 'connecting';
  const { retryAt } = connection;
  return retryAt === undefined || retryAt <= now.value
    ? 'reconnecting'
    : `again in ${durationText(retryAt - now.value + 999)}`;
}
