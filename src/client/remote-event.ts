import type { SessionView } from '../view/session-view.ts';
import type { ViewEvent } from '../view/view-event.ts';

/** Told to one reader only; none of the log. */
export type SubscriberNotice =
  /** What was kept is delivered; what follows is live. */
  | { readonly type: 'replay.completed'; readonly seq: number }
  /** This reader was too slow: what is between was dropped for it, and a snapshot follows. */
  | { readonly type: 'subscriber.lagged'; readonly from: number; readonly to: number; readonly missed: number }
  /** How everything is; what comes next follows `from`. `reset`: what was known before counts no more. */
  | { readonly type: 'snapshot'; readonly view: SessionView; readonly from: number; readonly reset?: boolean };

/** What a stream of one session gives. A line that is no text has its bytes in `base64`, too. */
export type RemoteEvent = ViewEvent | SubscriberNotice;
