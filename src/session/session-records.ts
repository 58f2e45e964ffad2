import type { Clock } from '../clock.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { RecordChange } from '../store/newest-records.ts';
import type { SessionEvent } from '../store/session-event.ts';
import type { LedgerRecord, SessionRecord, StoreRecord } from '../store/store-record.ts';
import { childRecord } from './child-record.ts';
import type { Conversation } from './conversation.ts';
import { lifeDeadlines } from './deadlines.ts';
import type { KeptRecords } from './kept-records.ts';
import type { PromptRecord } from './prompt-record.ts';
import type { SessionLife } from './session-life.ts';
import type { RuntimeSettings } from './session-settings.ts';
import type { StoredOptions } from './stored-options.ts';
import { storedPromptOf } from './stored-prompt.ts';
import { storedSessionOf } from './stored-session.ts';

export interface SessionRecordsOptions {
  readonly clock: Clock;
  /** They may yet say which conversation it is. */
  readonly options: () => StoredOptions;
  readonly key: string | undefined;
  /** The groups it belongs to, the outermost first. */
  readonly groups: readonly string[];
  readonly life: SessionLife;
  readonly conversation: Conversation;
  readonly desk: PermissionDesk;
  readonly settings: RuntimeSettings;
  readonly kept: KeptRecords;
}

/** Which records of a session an event changes, read from the session in the moment in which the event is logged. */
export class SessionRecords {
  readonly #options: SessionRecordsOptions;
  /** Of each prompt that has not ended: what was written last of what can change without an event of its own. */
  readonly #followed = new Map<string, string>();
  #endedAt: number | undefined;
  #handedOverAt: number | undefined;
  /** How many grants were written last. */
  #grants = 0;

  constructor(options: SessionRecordsOptions) {
    this.#options = options;
    const { queued, outstanding } = options.conversation.ledger;
    // Of a session from before a restart of the host.
    for (const record of [...outstanding, ...queued]) this.#followed.set(record.id, printOf(record));
  }

  of(event: SessionEvent): RecordChange | undefined {
    switch (event.type) {
      case 'message':
      case 'stderr':
      case 'diagnostic':
      case 'hook.called':
      case 'mcp.server-changed':
      case 'turn.started':
        return undefined;
      case 'prompt.accepted':
      case 'prompt.delivered':
      case 'prompt.started':
      case 'prompt.in-doubt':
      case 'prompt.retried':
      case 'prompt.deferred':
      case 'prompt.ended':
        return this.#prompt(event.promptId, event.type === 'prompt.ended');
      case 'permission.requested':
      case 'permission.settled':
      case 'permission.rebound':
      case 'permission.unheard':
        return this.#permission(event.requestId);
      case 'turn.ended':
        return this.#turn();
      default:
        if (event.type === 'session.ended') this.#endedAt = event.at;
        if (event.type === 'session.handed-over') this.#handedOverAt = event.at;
        return { records: [this.session(), ...this.#changedPrompts()], forget: this.#options.kept.takeStale() };
    }
  }

  /** The session as it is now. */
  session(): SessionRecord {
    const { groups, life, conversation, desk, settings, kept } = this.#options;
    const { context, value } = life.childSnapshot();
    const deadlines = lifeDeadlines(life).flatMap(({ what, at }) => (at < Infinity ? [[what, at] as const] : []));
    return storedSessionOf({
      state: life.state,
      endedAt: this.#endedAt,
      handedOverAt: this.#handedOverAt,
      options: this.#options.options(),
      groups,
      settings,
      grants: desk.grants(),
      conversation,
      hasProcess: life.incarnation !== undefined,
      child: childRecord(context, value === 'registered' ? 'waiting' : value),
      restarts: context.restarts,
      begunAfter: kept.begunAfter,
      deadlines: Object.fromEntries(deadlines),
    });
  }

  /** What is so now, without what is over: as a host would find it that takes the session up. */
  current(): StoreRecord[] {
    const { conversation, desk } = this.#options;
    const { outstanding, queued, inDoubt } = conversation.ledger;
    const prompts = [...new Set([...outstanding, ...queued, ...inDoubt])].map(storedPromptOf);
    return [this.session(), ...prompts, ...desk.records()];
  }

  #prompt(id: string, hasEnded: boolean): RecordChange | undefined {
    const record = this.#options.conversation.ledger.find(id);
    if (record === undefined) return undefined;
    this.#followed.set(id, printOf(record));
    const records = [storedPromptOf(record)];
    if (!hasEnded) return { records };
    this.#followed.delete(id);
    return { records, forget: this.#options.kept.add('prompt', id) };
  }

  /** After a loss prompts wait again, without an event of their own. */
  #changedPrompts(): StoreRecord[] {
    const { ledger } = this.#options.conversation;
    return [...this.#followed].flatMap(([id, print]) => {
      const record = ledger.find(id);
      if (record === undefined || record.state === 'ended' || printOf(record) === print) return [];
      this.#followed.set(id, printOf(record));
      return [storedPromptOf(record)];
    });
  }

  /** A question, and what its answer may have granted. */
  #permission(id: string): RecordChange | undefined {
    const { desk } = this.#options;
    const record = desk.record(id);
    if (record === undefined) return undefined;
    if (record.state === 'open') return { records: [record] };
    const grants = desk.grants().length;
    const records = grants === this.#grants ? [record] : [record, this.session()];
    this.#grants = grants;
    return { records, forget: this.#options.kept.add('permission', id) };
  }

  #turn(): RecordChange {
    const { conversation, kept } = this.#options;
    const stored = conversation.storedTurn();
    if (stored === undefined) return { records: [this.session()] };
    const turn = this.#attributed(stored);
    return { records: [this.session(), turn], forget: kept.add('ledger', turn.id) };
  }

  /** With who pays for it, and under a name that no turn of another session with the same id has. */
  #attributed(turn: LedgerRecord): LedgerRecord {
    const { key, groups, kept } = this.#options;
    const { begunAfter } = kept;
    return {
      ...turn,
      ...(begunAfter === 0 ? {} : { id: `${turn.id}-after-${begunAfter}`, begunAfter }),
      ...(key === undefined ? {} : { key }),
      ...(groups.length === 0 ? {} : { groups }),
    };
  }
}

function printOf(record: PromptRecord): string {
  const { state, wireId, isRepeated, wasDelivered, wasInterruptAsked, isFolded, doubt } = record;
  return `${state} ${wireId} ${isRepeated} ${wasDelivered} ${wasInterruptAsked} ${isFolded} ${doubt?.code ?? ''}`;
}
