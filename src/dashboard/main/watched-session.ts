import { batch, signal } from '@preact/signals';
import {
  EMPTY_TRANSCRIPT,
  type RemoteEvent,
  type RemoteSession,
  type SessionView,
  type Transcript,
} from '../../client/index.ts';
import type { LogPage } from './log-page.ts';
import { perFrame } from './per-frame.ts';
import type { Connection, Problem, WatchedSession } from './source.ts';
import { TranscriptReader } from './transcript-reader.ts';
import { whileVisible } from './while-visible.ts';

/** Follows a session as it is now, with the newest part of its log; after a loss it goes on where it was. */
export function watchedSession(
  session: RemoteSession,
  read: (after: number, limit: number) => Promise<LogPage>,
): WatchedSession {
  const view = signal<SessionView | undefined>(undefined);
  const transcript = signal<Transcript>(EMPTY_TRANSCRIPT);
  const isReading = signal(true);
  const hasEarlier = signal(false);
  const connection = signal<Connection>({ state: 'connecting' });
  const problem = signal<Problem | undefined>(undefined);

  const show = perFrame(() =>
    batch(() => {
      view.value = session.view.get();
      transcript.value = reader.transcript;
      isReading.value = reader.isReading;
      hasEarlier.value = reader.hasEarlier;
    }),
  );
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const reader = new TranscriptReader({ read, onChange: show, pause });
  const hear = (event: RemoteEvent) => {
    if (event.type === 'snapshot') void reader.goesOn(event.from);
    else if ('epoch' in event) reader.hear(event);
    show();
  };
  const showConnection = () => {
    const refusal = session.refusal.get();
    connection.value = connectionOf(session);
    if (refusal !== undefined) problem.value = { code: refusal.code, title: refusal.message };
  };
  const stops = [
    session.connection.subscribe(showConnection),
    session.refusal.subscribe(showConnection),
    session.retryAt.subscribe(showConnection),
    whileVisible(document, () => {
      const unhear = session.onEvent(hear);
      const unsubscribe = session.view.subscribe(show);
      return () => [unsubscribe(), unhear()];
    }),
    () => reader.close(),
  ];
  return {
    id: session.id,
    connection,
    view,
    transcript,
    isReading,
    hasEarlier,
    problem,
    readEarlier: () => void reader.readEarlier(),
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

/** How a stream of the client fares, for the page. */
export function connectionOf(stream: Pick<RemoteSession, 'connection' | 'refusal' | 'retryAt'>): Connection {
  if (stream.refusal.get()?.code === 'UNAUTHENTICATED') return { state: 'logged-out' };
  const state = stream.connection.get();
  if (state !== 'waiting') return { state: state === 'live' || state === 'ended' ? 'live' : 'connecting' };
  const retryAt = stream.retryAt.get();
  return { state: 'reconnecting', ...(retryAt === undefined ? {} : { retryAt }) };
}
