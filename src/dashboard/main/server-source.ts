import { signal } from '@preact/signals';
import { EMPTY_FLEET } from '../../view/fleet-view.ts';
import { EMPTY_TRANSCRIPT } from '../../view/transcript.ts';
import type { Connection, Problem, Source } from './source.ts';

/** The server that the page came from. */
export function serverSource(): Source {
  const connection = signal<Connection>({ state: 'connecting' });
  return {
    connection,
    fleet: signal(EMPTY_FLEET),
    watch: (id) => ({
      id,
      connection,
      view: signal(undefined),
      transcript: signal(EMPTY_TRANSCRIPT),
      isReplaying: signal(true),
      problem: signal(undefined),
      close: () => {},
    }),
    ask: async (method, path, body) => {
      const response = await fetch(`v1/${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return response.json();
    },
    problemOf: (error): Problem => ({ code: 'UNKNOWN', title: String(error) }),
  };
}
