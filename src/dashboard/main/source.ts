import type { ReadonlySignal } from '@preact/signals';
import type { FleetView } from '../../view/fleet-view.ts';
import type { SessionView } from '../../view/session-view.ts';
import type { Transcript } from '../../view/transcript.ts';

/** Whether what the page shows is so at this moment. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `retryAt`: when it tries again, in epoch milliseconds. */
  | { readonly state: 'reconnecting'; readonly retryAt?: number }
  | { readonly state: 'logged-out' };

/** One session as somebody watches it. */
export interface WatchedSession {
  readonly id: string;
  readonly connection: ReadonlySignal<Connection>;
  /** Undefined until the first snapshot. */
  readonly view: ReadonlySignal<SessionView | undefined>;
  readonly transcript: ReadonlySignal<Transcript>;
  /** True while a part of the log is read for the transcript. */
  readonly isReading: ReadonlySignal<boolean>;
  /** True while the log has a part before what the transcript holds. */
  readonly hasEarlier: ReadonlySignal<boolean>;
  /** Reads more of the log. */
  readEarlier(): void;
  /** Why there is nothing to see, such as a session that is unknown. */
  readonly problem: ReadonlySignal<Problem | undefined>;
  close(): void;
}

/** What the server answered instead of doing it: problem+json. */
export interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly status?: number;
  readonly field?: string;
  /** Such as who was first with an answer. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** All that the page knows and does comes from here. */
export interface Source {
  readonly connection: ReadonlySignal<Connection>;
  /** New at most once per frame. */
  readonly fleet: ReadonlySignal<FleetView>;
  watch(id: string): WatchedSession;
  /** Asks a route of the server. What it rejects with, `problemOf` reads. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  problemOf(error: unknown): Problem;
}
