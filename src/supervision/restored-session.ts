import type { RestoredChild } from '../../machines/child/restored-child.ts';
import type { FoundRecords } from '../session/kept-records.ts';
import type { RestoredConversation } from '../session/restored-conversation.ts';
import type { RuntimeSettings } from '../session/session-settings.ts';
import type { StoredOptions } from '../session/stored-options.ts';
import type { RecoveryDecision } from '../store/session-event.ts';
import type { PermissionRecord } from '../store/store-record.ts';

/** What a session was under another host, as it is put together again. */
export interface RestoredSession {
  readonly decision: RecoveryDecision;
  /** One sentence: why that was decided. */
  readonly reason: string;
  readonly child: RestoredChild;
  readonly conversation: RestoredConversation;
  readonly settings: RuntimeSettings;
  /** What of it lies in the store already. */
  readonly found: FoundRecords;
  /** What was allowed for the rest of the session. */
  readonly grants: unknown;
  /** The questions that were open, and those that were settled. */
  readonly questions: readonly PermissionRecord[];
  /** Options that no store can keep and that nobody has given again, by path: nothing runs without them. */
  readonly missing: readonly string[];
  /** The options as they are stored: they stay so, whatever of them could be read. */
  readonly stored: StoredOptions;
  /** Nothing else of its records could be looked at: they are not written over before it is ended. */
  readonly isBare?: true;
}
