import type { RaiseAmounts } from '../launch/budget-options.ts';
import { AccountKey, EventsCall, FleetEventsCall, parseCall, RaiseCall, StoredId } from '../session/call-options.ts';
import type { Session } from '../session/session.ts';
import type { ObservedEvent } from '../store/session-event.ts';
import type { AccountView } from './account-desk.ts';
import type { AccountRegistry } from './account-registry.ts';
import type { AdmissionControl } from './admission.ts';
import type { BudgetDesk } from './budget-desk.ts';
import type { LedgerReport } from './budget-report.ts';
import { type BudgetScope, readScope } from './budget-scope.ts';
import { FleetCursor } from './fleet-cursor.ts';
import type { FleetEvent } from './fleet-event.ts';
import type { FleetObservers } from './fleet-observers.ts';
import { FleetStream } from './fleet-stream.ts';
import type { Group } from './group.ts';
import type { GroupRegistry } from './group-registry.ts';
import { inboxOf } from './inbox.ts';
import type { BuiltSession } from './session-factory.ts';
import type { StartPace } from './start-pace.ts';
import { type KnownSessions, type StoredSessionView, storedLog, storedSessions } from './stored-sessions.ts';

export interface ViewedParts extends Pick<KnownSessions, 'opening'> {
  /** In order of start. */
  readonly sessions: ReadonlyMap<string, BuiltSession>;
  readonly groups: GroupRegistry;
  readonly accounts: AccountRegistry;
  readonly admission: AdmissionControl;
  readonly pace: StartPace;
  readonly budget: BudgetDesk;
  readonly observers: FleetObservers;
}

/** What a supervisor shows of its sessions, their accounts and their money. */
export abstract class SupervisorViews {
  protected abstract readonly parts: ViewedParts;

  /** The outermost groups, in order of start. */
  groups(): Group[] {
    return this.parts.groups.list();
  }

  /** The session with this id, while it lives. */
  session(id: string): Session | undefined {
    return this.parts.sessions.get(id)?.session;
  }

  /** The living sessions, in order of start. */
  list(): Session[] {
    return [...this.parts.sessions.values()].map(({ session }) => session);
  }

  /**
   * Every session that the store keeps, also those that are over, in the order of their first events; without a store the
   * living ones. Waits for `recovered`. Throws what that rejects with, and STORE_CLOSED after the shutdown.
   */
  stored(): AsyncIterableIterator<StoredSessionView> {
    return storedSessions(this.parts);
  }

  /**
   * The events of a session behind `from` (default 0, all) that there are now, also of one that is over; it ends with the last
   * of them. What is no longer kept is told first, as `log.truncated`. Throws INVALID_OPTIONS at once, and, as it is read,
   * SESSION_NOT_FOUND, what `recovered` rejects with, and STORE_CLOSED after the shutdown.
   */
  read(id: string, options: { from?: number } = {}): AsyncIterableIterator<ObservedEvent> {
    const { from = 0 } = parseCall(EventsCall, options, 'options');
    return storedLog(this.parts, parseCall(StoredId, id, 'id'), from);
  }

  /** Every open permission request of every session, oldest first. */
  inbox(): ReturnType<typeof inboxOf> {
    return inboxOf(this.parts.sessions.values());
  }

  /** The accounts of the sessions, and of those that are gone while a wall of it stands: limits, login, who waits. JSON. */
  accounts(): AccountView[] {
    return this.parts.accounts.list();
  }

  /** Has an account at its limit, or without a login, tried again now: one session goes first. Throws ACCOUNT_NOT_FOUND, INVALID_OPTIONS. */
  resumeAccount(key: string): void {
    this.parts.accounts.resume(parseCall(AccountKey, key, 'key'));
  }

  /** Slots held by sessions that have a process or are about to, sessions that wait for a slot, and starts in progress. */
  load(): { readonly sessions: number; readonly waiting: number; readonly starting: number } {
    const { admission, pace } = this.parts;
    const { sessions, waiting, starting } = admission.load;
    return { sessions, waiting: waiting + pace.waiting, starting };
  }

  /** What everybody has spent, and what they may, as JSON. */
  ledger(): LedgerReport {
    return this.parts.budget.ledger();
  }

  /**
   * Adds to a budget: of all sessions, of the present day, or of one session, key or group. Sessions that were parked for it
   * and have room now go on, in the order in which they were parked. Throws INVALID_OPTIONS where there is no such limit.
   */
  raiseBudget(scope: BudgetScope, amounts: RaiseAmounts): void {
    this.parts.budget.raise(readScope(scope), parseCall(RaiseCall, amounts, 'amounts'));
  }

  /**
   * The events of all living sessions behind the cursor, then `replay.completed`, then whatever happens in the fleet; without
   * a cursor from the beginning. Each session's events come in their order, without a gap; what its log has dropped before it
   * was read is told as `log.truncated`. `cursor` of what is returned is where to go on later, also after a restart of
   * everything. News of accounts, groups and the supervisor itself are told live only. Throws INVALID_OPTIONS.
   */
  events(options: { from?: string } = {}): FleetStream {
    const { from } = parseCall(FleetEventsCall, options, 'options');
    const { sessions, observers } = this.parts;
    return new FleetStream({
      from: from === undefined ? undefined : FleetCursor.parse(from),
      living: () => [...sessions].map(([id, { log }]) => ({ id, log })),
      logOf: (id) => sessions.get(id)?.log,
      listen: (hear) => observers.add('event', hear),
    });
  }

  /** Calls the listener with every event of every session. Returns the way to stop it. A listener that throws is logged. */
  on(kind: 'event', listener: (event: FleetEvent) => void): () => void {
    return this.parts.observers.add(kind, listener);
  }
}
