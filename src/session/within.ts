import type { Clock } from '../clock.ts';
import type { Conversation } from './conversation.ts';

/** Waits until the condition holds, at most `deadlineMs`; it is looked at whenever something about the conversation changes. */
export async function within(
  conversation: Conversation,
  clock: Clock,
  deadlineMs: number,
  isTrue: () => boolean,
): Promise<void> {
  let isOverdue = false;
  const timer = clock.setTimeout(() => {
    isOverdue = true;
    conversation.recheck();
  }, deadlineMs);
  await conversation.until(() => isOverdue || isTrue());
  clock.clearTimeout(timer);
}
