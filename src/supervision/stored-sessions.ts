import { TroupeError } from '../errors.ts';
import type { ObservedEvent } from '../store/session-event.ts';
import { historyOf } from '../store/whole-log.ts';
import type { BuiltSession } from './session-factory.ts';
import type { StoreOpening } from './store-opening.ts';

/** A session that is known, living or over; JSON. */
export interface StoredSessionView {
  readonly id: string;
  /** Of a living one as `session.state` says it, else as it was last stored. */
  readonly state: string;
  readonly isLiving: boolean;
  /** Epoch milliseconds when it ended for good; undefined while it has not. */
  readonly endedAt: number | undefined;
  /** The oldest and the newest event that can be read; `lastSeq + 1` and `lastSeq` where there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The incarnation of the newest event. */
  readonly epoch: number;
}

export interface KnownSessions {
  readonly opening: Pick<StoreOpening, 'recovered' | 'desk'>;
  readonly sessions: ReadonlyMap<string, BuiltSession>;
}

/** Every session that is kept, in the order of its first event; without a store the living ones. */
export async function* storedSessions({ opening, sessions }: KnownSessions): AsyncGenerator<StoredSessionView, void> {
  await opening.recovered;
  const told = new Set<string>();
  for await (const entry of opening.desk?.store.sessions() ?? []) {
    const { sessionId: id, record, firstSeq, lastSeq, epoch } = entry;
    told.add(id);
    const state = sessions.get(id)?.session.state ?? record.state;
    yield { id, state, isLiving: sessions.has(id), endedAt: record.endedAt, firstSeq, lastSeq, epoch };
  }
  // Also those whose first event is not durable yet.
  for (const [id, { session, log }] of sessions) {
    if (told.has(id)) continue;
    const { lastSeq, epoch } = log;
    yield { id, state: session.state, isLiving: true, endedAt: undefined, firstSeq: 1, lastSeq, epoch };
  }
}

/** The events behind the number that there are now, also of a session that is over. */
export async function* storedLog(
  { opening, sessions }: KnownSessions,
  id: string,
  from: number,
): AsyncGenerator<ObservedEvent, void> {
  await opening.recovered;
  const log = sessions.get(id)?.log;
  if (log !== undefined) {
    for await (const event of log.follow({ from })) {
      if (event.type === 'replay.completed') return;
      yield event;
    }
    return;
  }
  const store = opening.desk?.store;
  if (store === undefined || (await store.head(id)) === undefined) {
    throw new TroupeError('SESSION_NOT_FOUND', { details: { sessionId: id } });
  }
  yield* historyOf(store, id)(from);
}
