import { TroupeError } from '../errors.ts';
import type { EventLog } from '../store/event-log.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { handedOver } from './handed-over.ts';
import type { PromptRecord } from './prompt-record.ts';
import type { TurnResult } from './turn-result.ts';
import { textPieces } from './turn-text.ts';

/** What stands where a store lost an event: it may have been a message of the turn, or its end. */
const GONE: readonly string[] = ['log-lost', 'log-unreadable'];

/**
 * One prompt and the work that answers it. Iterate it for the messages of the turn, await `result` for its end; both are
 * optional and independent, and neither holds the session back.
 */
export class Turn implements AsyncIterable<CliMessage> {
  /** The prompt's id: the uuid the CLI deduplicates by. */
  readonly id: string;
  /**
   * Resolves when the session has taken responsibility for the prompt (P2): with a store, when a crash of the host cannot lose
   * it any more. Rejects with the STORE_* code where the store did not take it; then it does not run.
   */
  readonly accepted: Promise<void>;
  /**
   * Always resolves, exactly once, with how the turn ended. `lost` with the error HANDED_OVER is no end: the turn goes on under
   * another supervisor, where the same prompt with the same id gives its result.
   */
  readonly result: Promise<TurnResult>;
  readonly #log: EventLog;
  readonly #record: PromptRecord;

  constructor(record: PromptRecord, log: EventLog, ends: Pick<Turn, 'accepted' | 'result'>) {
    this.id = record.id;
    this.accepted = ends.accepted;
    this.result = ends.result;
    this.#log = log;
    this.#record = record;
  }

  /** The event that says that it was accepted; 0 where the store does not tell it any more. */
  get acceptedSeq(): number {
    return this.#record.acceptedSeq;
  }

  /**
   * The messages from the start of the turn to its end, in order; a late reader gets the kept ones first. Throws
   * SUBSCRIBER_LAGGED when messages of the turn are no longer kept, or may not be, and HANDED_OVER when the rest is told by
   * another supervisor: nothing is skipped in silence (P6).
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<CliMessage, void, void> {
    let hasStarted = false;
    for await (const event of this.#log.follow({ from: this.#record.acceptedSeq - 1 })) {
      if (event.type === 'prompt.started' && event.promptId === this.id) hasStarted = true;
      else if (event.type === 'prompt.ended' && event.promptId === this.id) return;
      // What was dropped before the turn began is none of its messages.
      else if (event.type === 'log.truncated' && !this.#hasBegunBefore(event.firstSeq)) continue;
      else if (event.type === 'subscriber.lagged' || event.type === 'log.truncated') {
        throw new TroupeError('SUBSCRIBER_LAGGED', { details: { ...event } });
      } else if (event.type === 'diagnostic' && GONE.includes(event.reason) && this.#hasBegunBefore(event.seq + 1)) {
        throw new TroupeError('SUBSCRIBER_LAGGED', { details: { ...event } });
      } else if (event.type === 'message' && hasStarted) yield event.message;
    }
    if (this.#log.isSealed) throw handedOver({ promptId: this.id });
  }

  /**
   * What the model says to this prompt, piece by piece: as it is written with `includePartialMessages`, else block by
   * block. Subagents are left out. An answer that the API broke off is followed by the one that takes its place; use a
   * `MessageAssembler` to tell them apart. Throws as the iteration does.
   */
  textStream(): AsyncGenerator<string, void, void> {
    return textPieces(this);
  }

  #hasBegunBefore(seq: number): boolean {
    const { startedSeq, state } = this.#record;
    return startedSeq === undefined ? state === 'ended' : startedSeq < seq;
  }
}
