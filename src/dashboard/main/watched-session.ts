import { batch, computed, signal } from '@preact/signals';
import { applyEvent } from '../../view/apply-event.ts';
import { applyToTranscript } from '../../view/apply-to-transcript.ts';
import type { SessionView } from '../../view/session-view.ts';
import { EMPTY_TRANSCRIPT, type Transcript } from '../../view/transcript.ts';
import { type Frame, followedStream } from './followed-stream.ts';
import { perFrame } from './per-frame.ts';
import type { Problem, WatchedSession } from './source.ts';
import { parsed, type Snapshot, toldEvent } from './told-event.ts';

/** While a log is read, the page is shown what was read at most so often. */
const REPLAY_SHOW_MS = 400;

/** Reads the log of a session from its beginning, then follows it; after a loss it goes on where it was. */
export function watchedSession(id: string): WatchedSession {
  const view = signal<SessionView | undefined>(undefined);
  const transcript = signal<Transcript>(EMPTY_TRANSCRIPT);
  const isReplaying = signal(true);
  const problem = signal<Problem | undefined>(undefined);
  let newest: SessionView | undefined;
  let said = EMPTY_TRANSCRIPT;
  let cursor = '';
  let shownAt = 0;

  const show = perFrame(() => {
    if (isReplaying.value && Date.now() - shownAt < REPLAY_SHOW_MS) return;
    shownAt = Date.now();
    batch(() => {
      view.value = newest;
      transcript.value = said;
    });
  });

  function begin({ view: known, reset }: Snapshot): void {
    if (reset !== true && newest !== undefined) return;
    newest = known;
    said = EMPTY_TRANSCRIPT;
  }

  function onFrame({ type, data }: Frame, frameId: string | undefined): void {
    if (frameId !== undefined) cursor = frameId;
    if (type === 'snapshot') {
      const snapshot = parsed<Snapshot>(data);
      if (snapshot !== undefined) begin(snapshot);
    } else if (type === 'replay.completed') {
      isReplaying.value = false;
    } else if (type !== 'subscriber.lagged' && type !== 'server.closing') {
      const event = toldEvent(data);
      if (event === undefined || newest === undefined || event.seq <= newest.seq) return;
      newest = applyEvent(newest, event);
      said = applyToTranscript(said, event);
    }
    show();
  }

  const path = `v1/sessions/${encodeURIComponent(id)}/events?replay=all`;
  const stream = followedStream({
    url: () => path,
    cursor: () => (cursor === '' ? undefined : cursor),
    onFrame,
    onRefused: (refusal) => {
      problem.value = refusal;
    },
    isOver: () => newest?.ended !== undefined,
  });
  return {
    id,
    connection: computed(() => stream.connection.value),
    view,
    transcript,
    isReplaying,
    problem,
    close: stream.close,
  };
}
