import { TroupeError } from '../errors.ts';
import type { OnPromptLost } from '../launch/session-options.ts';
import type { LedgerRecord, SessionRecord, PromptRecord as StoredPrompt, StoreRecord } from '../store/store-record.ts';
import type { Conversation } from './conversation.ts';
import type { CountedUsage, Totals } from './cost-meter.ts';
import { ownTurns } from './kept-records.ts';
import { fateAfterLoss, type PromptFate } from './loss-policy.ts';
import type { PromptRecord } from './prompt-record.ts';
import { factsOfStored, type KnownFacts } from './stored-facts.ts';
import { promptOfStored } from './stored-prompt.ts';
import { totalsOfStored, turnOfStored } from './stored-turn.ts';
import type { TurnRecord } from './turn-history.ts';

/** What a conversation was before a restart of the host. */
export interface RestoredConversation {
  readonly known: KnownFacts;
  readonly conversationIds: readonly string[];
  readonly completedTurns: number;
  /** Of the newest process. */
  readonly epoch: number;
  /** In the order in which they were accepted. */
  readonly prompts: readonly PromptRecord[];
  /** Of those, the unfinished ones whose content was stored without its secrets: they cannot be sent again. */
  readonly unsendable: ReadonlySet<string>;
  readonly turns: RestoredTurns;
  /** When a host took it up with unfinished work, since its last completed turn. */
  readonly recoveries: readonly number[];
}

export interface RestoredTurns {
  readonly list: readonly TurnRecord[];
  /** Those that ended with a result. */
  readonly counted: readonly CountedUsage[];
  readonly totals: Totals | undefined;
}

/** Reads it out of the records of the session. */
export function restoredConversationOf(
  session: SessionRecord,
  records: readonly StoreRecord[],
  epoch: number,
): RestoredConversation {
  const { begunAfter = -1 } = session;
  const stored = records
    .filter((record): record is StoredPrompt => record.kind === 'prompt')
    .filter(({ acceptedSeq = 0 }) => acceptedSeq > begunAfter);
  const inOrder = [...stored].sort((one, other) => (one.acceptedSeq ?? 0) - (other.acceptedSeq ?? 0));
  const unsendable = inOrder.filter(({ state, isRedacted }) => state !== 'ended' && isRedacted === true);
  return {
    known: factsOfStored(session.facts),
    conversationIds: session.conversationIds,
    completedTurns: session.completedTurns ?? 0,
    epoch,
    prompts: inOrder.map(promptOfStored),
    unsendable: new Set(unsendable.map(({ id }) => id)),
    recoveries: session.recoveries ?? [],
    turns: restoredTurnsOf(ownTurns(records)),
  };
}

function restoredTurnsOf(ledger: readonly LedgerRecord[]): RestoredTurns {
  const turns = ledger.flatMap((record) => {
    const turn = turnOfStored(record);
    return turn === undefined ? [] : [{ turn, totals: totalsOfStored(record) }];
  });
  turns.sort((one, other) => one.turn.number - other.turn.number);
  const list = turns.map(({ turn }) => turn);
  return {
    list,
    counted: list.filter(({ state }) => state === 'ended'),
    totals: turns.findLast(({ totals }) => totals !== undefined)?.totals,
  };
}

/** A prompt has not ended. */
export function hasUnfinished({ prompts }: RestoredConversation): boolean {
  return prompts.some(({ state }) => state !== 'ended');
}

/** Whether a prompt goes to a process when those that were cut off have been dealt with. */
export function willSend(restored: RestoredConversation, onLost: OnPromptLost): boolean {
  const { prompts, unsendable, known } = restored;
  const fates = prompts
    .filter(({ id, state }) => state !== 'ended' && !unsendable.has(id))
    .map((prompt): PromptFate => {
      if (prompt.doubt !== undefined) return 'in-doubt';
      if (prompt.state === 'queued') return 'again';
      if (prompt.isFolded || prompt.wasInterruptAsked) return 'lost';
      return fateAfterLoss(prompt.state, onLost, known.hasLifecycle);
    });
  return !fates.includes('in-doubt') && fates.some((fate) => fate !== 'lost');
}

/** The host was lost: deals with what was unfinished as after a crash of the CLI, by the declared policy, once (P2). */
export function recoverPrompts(
  conversation: Conversation,
  { unsendable }: RestoredConversation,
  about: { readonly error: TroupeError; readonly isGoingOn: boolean; readonly wasAsked: boolean },
): void {
  const reason = 'A secret was taken out of it before it was stored: it cannot be sent as it was.';
  for (const id of unsendable) {
    conversation.ledger.lose(id, new TroupeError('PROMPT_LOST', { reason, details: { id } }));
  }
  const { error, isGoingOn: isRestarting, wasAsked } = about;
  conversation.onProcessLost({ isRestarting, wasAsked, error });
}
