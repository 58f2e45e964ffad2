import { isRecord } from '../wire/fields.ts';
import { MessagesCall, pageOf, parseCall } from './call-options.ts';
import { type ConfigFolderOptions, placesOf } from './config-folder.ts';
import { chainOf } from './conversation-chain.ts';
import { isConversationId } from './conversation-id.ts';
import { findConversation, isSessionFolder } from './conversation-place.ts';
import { readFolder } from './session-folder.ts';
import { type SessionMessage, shownMessages } from './session-message.ts';
import type { SessionStore } from './session-store.ts';
import { loadFromStore } from './store-listing.ts';
import { readRows, type SkippedLines } from './transcript-lines.ts';
import { isLinked, type LinkedRow, type Row, rowOf } from './transcript-row.ts';

export interface GetSessionMessagesOptions extends ConfigFolderOptions {
  /** Looks only in the project of this directory. Default: everywhere. */
  readonly dir?: string | undefined;
  /** Most messages to return; 0 or absent for all. */
  readonly limit?: number | undefined;
  /** Messages to leave out at the start. Default 0. */
  readonly offset?: number | undefined;
  /** True also returns system messages: compact boundaries, notices. Default false. */
  readonly includeSystemMessages?: boolean | undefined;
  /** Hears how many lines could not be read. */
  readonly onSkipped?: ((skipped: SkippedLines) => void) | undefined;
  readonly sessionStore?: SessionStore | undefined;
}

/**
 * The messages of a conversation in order, as its latest branch has them; empty when there is none or `sessionId` is no
 * UUID. Rejects with INVALID_OPTIONS, and with STORE_FAILED where a store fails.
 */
export async function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  const call = parseCall(MessagesCall, options);
  if (!isConversationId(sessionId)) return [];
  const rows: LinkedRow[] = [];
  const take = (row: Row) => {
    if (isLinked(row)) rows.push(slim(row));
  };
  if (call.sessionStore !== undefined) {
    const entries = await loadFromStore(call.sessionStore, sessionId, call.dir);
    for (const entry of entries ?? []) {
      const row = rowOf(entry);
      if (row !== undefined) take(row);
    }
  } else {
    const place = await findConversation(placesOf(call), sessionId, call.dir);
    const { onSkipped } = call;
    if (place === undefined) return [];
    if (isSessionFolder(place)) await readFolder(place, take, { onSkipped });
    else await readRows(place.path, take, { onSkipped });
  }
  const shown = { withSystem: call.includeSystemMessages === true, withMeta: false };
  return pageOf(shownMessages(chainOf(rows), shown), call);
}

/** Snapshots of prompts and tools make up most of a transcript, and none of them is a message: only their links are kept. */
function slim(row: LinkedRow): LinkedRow {
  if (row.type !== 'attachment' && row.type !== 'progress') return row;
  const { attachment } = row;
  const kind = isRecord(attachment) ? attachment['type'] : undefined;
  if (kind === 'queued_command') return row;
  const { type, uuid, parentUuid, isSidechain, teamName } = row;
  return { type, uuid, parentUuid, isSidechain, teamName, attachment: { type: kind } };
}
