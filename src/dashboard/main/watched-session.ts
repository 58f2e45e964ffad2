import { batch, signal } from '@preact/signals';
import {
  applyToTranscript,
  EMPTY_TRANSCRIPT,
  type RemoteSession,
  type SessionView,
  type Transcript,
} from '../../client/index.ts';
import { perFrame } from './per-frame.ts';
import type { Connection, Problem, WatchedSession } from './source.ts';

/** While a log is read, what was read is shown at most so often. */
const REPLAY_SHOW_MS = 400;

/** Reads the log of a session from its beginning, then follows it; after a loss it goes on where it was. */
export function watchedSession(session: RemoteSession): WatchedSession {
  const view = signal<SessionView | undefined>(undefined);
  const transcript = signal<Transcript>(EMPTY_TRANSCRIPT);
  const isReplaying = signal(true);
  const connection = signal<Connection>({ state: 'connecting' });
  const problem = signal<Problem | undefined>(undefined);
  let said = EMPTY_TRANSCRIPT;
  let shownAt = 0;

  const show = perFrame(() => {
    if (isReplaying.value && Date.now() - shownAt < REPLAY_SHOW_MS) return;
    shownAt = Date.now();
    batch(() => {
      view.value = session.view.get();
      transcript.value = said;
    });
  });
  const showConnection = () => {
    const refusal = session.refusal.get();
    connection.value = connectionOf(session);
    if (refusal !== undefined) problem.value = { code: refusal.code, title: refusal.message };
  };
  const stops = [
    session.connection.subscribe(showConnection),
    session.refusal.subscribe(showConnection),
    session.retryAt.subscribe(showConnection),
    session.onEvent((event) => {
      if (event.type === 'snapshot') {
        if (event.reset === true) said = begunAnew(said, event.from);
      } else if (event.type === 'replay.completed') isReplaying.value = false;
      else if ('epoch' in event && event.seq > said.seq) said = applyToTranscript(said, event);
      show();
    }),
    session.view.subscribe(show),
  ];
  return {
    id: session.id,
    connection,
    view,
    transcript,
    isReplaying,
    problem,
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

/** What was missed is not known: what was read before is left out, and the page says that something is. */
function begunAnew({ dropped, items }: Transcript, from: number): Transcript {
  if (from === 0) return EMPTY_TRANSCRIPT;
  return { ...EMPTY_TRANSCRIPT, seq: from, dropped: Math.max(1, dropped + items.length) };
}

/** How a stream of the client fares, for the page. */
export function connectionOf(stream: Pick<RemoteSession, 'connection' | 'refusal' | 'retryAt'>): Connection {
  if (stream.refusal.get()?.code === 'UNAUTHENTICATED') return { state: 'logged-out' };
  const state = stream.connection.get();
  if (state !== 'waiting') return { state: state === 'live' || state === 'ended' ? 'live' : 'connecting' };
  const retryAt = stream.retryAt.get();
  return { state: 'reconnecting', ...(retryAt === undefined ? {} : { retryAt }) };
}
