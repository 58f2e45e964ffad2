import type { EventLog } from '../store/event-log.ts';
import { frameOf } from '../wire/frame-class.ts';
import type { PromptLedger } from './prompt-ledger.ts';

/**
 * Before the next process: a prompt whose tools may have done something does not go out again. A CLI that had written the
 * call down would not take the turn up; one that was killed before it did would run all of it a second time, and nobody
 * outside can tell the two apart (P2; WIRE §11, §15).
 */
export async function refuseBegun(ledger: PromptLedger, log: EventLog): Promise<void> {
  for (const record of ledger.repeated) {
    const { startedSeq } = record;
    if (startedSeq !== undefined && (await hasActed(log, startedSeq))) ledger.refuse(record);
  }
}

/**
 * Whether the model called a tool since then that may have done something: not one about which somebody was asked and has
 * not said yes. What an agent calls stands behind the call of the agent.
 */
async function hasActed(log: EventLog, since: number): Promise<boolean> {
  await new Promise<void>((resolve) => log.whenPublished(resolve));
  const calls: string[] = [];
  const asked = new Map<string, string>();
  const idle = new Set<string>();
  for await (const event of log.follow({ from: since })) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'permission.requested' && event.toolUseId !== undefined) {
      asked.set(event.requestId, event.toolUseId);
      idle.add(event.toolUseId);
    }
    if (event.type === 'permission.settled' && event.outcome === 'allowed') {
      idle.delete(asked.get(event.requestId) ?? '');
    }
    if (event.type !== 'message' || event.message.type !== 'assistant') continue;
    const { parent, opens } = frameOf(event.message);
    if (parent === undefined) calls.push(...opens.map(({ id }) => id));
  }
  return calls.some((id) => !idle.has(id));
}
