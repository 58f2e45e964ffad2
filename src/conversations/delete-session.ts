import { rm } from 'node:fs/promises';
import { TroupeError } from '../errors.ts';
import { DeleteCall, parseCall } from './call-options.ts';
import type { SessionMutationOptions } from './change-session.ts';
import { placesOf } from './config-folder.ts';
import { conversationNotFound, requireConversationId } from './conversation-id.ts';
import { liveProcesses } from './live-registry.ts';
import { askStore } from './store-call.ts';
import { storeProject } from './store-listing.ts';
import { findTranscript, sideFolderOf } from './transcript-places.ts';

export interface DeleteSessionOptions extends SessionMutationOptions {
  /** Deletes also what a process has open at this moment; it goes on writing, into a new file. Default false. */
  readonly force?: boolean | undefined;
}

/**
 * Deletes a conversation: its transcript and the folder of its subagents, or what a store holds of it (a store without
 * `delete` keeps it). Rejects with INVALID_OPTIONS, CONVERSATION_NOT_FOUND, CONVERSATION_IN_USE (`details.pid`; only for
 * processes that said so in the same configuration folder), and STORE_FAILED where a store fails.
 */
export async function deleteSession(sessionId: string, options?: DeleteSessionOptions): Promise<void> {
  const call = parseCall(DeleteCall, options);
  const id = requireConversationId(sessionId);
  const { sessionStore: store, dir } = call;
  if (store !== undefined) {
    const { projectKey } = await storeProject(dir);
    await askStore('delete', async () => store.delete?.({ projectKey, sessionId: id }));
    return;
  }
  const places = placesOf(call);
  const place = await findTranscript(places, id, dir);
  if (place === undefined) throw conversationNotFound(id, dir);
  const pid = call.force === true ? undefined : (await liveProcesses(places.configDir)).get(id);
  if (pid !== undefined) {
    const reason = `Process ${pid} has it open; force: true deletes it all the same.`;
    throw new TroupeError('CONVERSATION_IN_USE', { reason, details: { sessionId: id, pid } });
  }
  // The folder first: should that fail, the transcript is still there to be deleted again.
  await rm(sideFolderOf(place), { recursive: true, force: true, maxRetries: 3 });
  await rm(place.path, { force: true });
}
