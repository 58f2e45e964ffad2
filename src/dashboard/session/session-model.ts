import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { SessionView } from '../../view/session-view.ts';
import type { Transcript } from '../../view/transcript.ts';
import type { WatchedSession } from '../main/source.ts';

/** What a session was after one of its events. */
export interface Moment {
  readonly seq: number;
  readonly view: SessionView;
  readonly transcript: Transcript;
}

/** A session on its page: as it is, or as it was at the moment somebody chose. */
export interface SessionModel {
  readonly watched: WatchedSession;
  /** Undefined: as it is now. */
  readonly moment: Signal<Moment | undefined>;
  /** What chart, transcript and queue show. */
  readonly view: ReadonlySignal<SessionView | undefined>;
  readonly transcript: ReadonlySignal<Transcript>;
}

export function sessionModel(watched: WatchedSession): SessionModel {
  const moment = signal<Moment | undefined>(undefined);
  return {
    watched,
    moment,
    view: computed(() => moment.value?.view ?? watched.view.value),
    transcript: computed(() => moment.value?.transcript ?? watched.transcript.value),
  };
}
