import { signal } from '@preact/signals';
import { connect, EMPTY_FLEET, type FleetView, TroupeError } from '../../client/index.ts';
import { logPageOf, logPath } from './log-page.ts';
import { perFrame } from './per-frame.ts';
import type { Connection, Problem, Source } from './source.ts';
import { connectionOf, watchedSession } from './watched-session.ts';
import { whileVisible } from './while-visible.ts';

/** The server that the page came from. */
export function serverSource(): Source {
  const client = connect({ url: new URL('.', location.href).href });
  const fleet = signal<FleetView>(EMPTY_FLEET);
  const connection = signal<Connection>({ state: 'connecting' });
  const followed = client.fleet();
  const show = perFrame(() => {
    fleet.value = followed.view.get() ?? EMPTY_FLEET;
  });
  const showConnection = () => {
    connection.value = connectionOf(followed);
  };
  followed.connection.subscribe(showConnection);
  followed.refusal.subscribe(showConnection);
  followed.retryAt.subscribe(showConnection);
  whileVisible(document, () => followed.view.subscribe(show));
  return {
    connection,
    fleet,
    watch: (id) =>
      watchedSession(client.session(id), async (after, limit) =>
        logPageOf(await client.ask(`/v1/${logPath(id, after, limit)}`, { method: 'GET' })),
      ),
    ask: (method, path, body) => client.ask(`/v1/${path}`, { method, ...(body === undefined ? {} : { body }) }),
    problemOf,
  };
}

function problemOf(error: unknown): Problem {
  if (!TroupeError.is(error)) return { code: 'UNKNOWN', title: error instanceof Error ? error.message : String(error) };
  const { code, message, details } = error;
  const { field } = details;
  return { code, title: message, details, ...(typeof field === 'string' ? { field } : {}) };
}
