import { TroupeError } from '../errors.ts';
import type { PromptOutcome } from '../store/session-event.ts';
import type { ResultFacts } from '../wire/facts.ts';
import type { TurnCost } from './cost-meter.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { OnBusy, PromptContent, PromptRecord } from './prompt-record.ts';
import { endedByResult, endedWithoutResult, outcomeOf, type TurnResult } from './turn-result.ts';

export interface LedgerListener {
  started(record: PromptRecord): void;
  ended(record: PromptRecord, result: TurnResult): void;
}

/** What becomes of unfinished prompts when their process is gone. */
export interface LossPolicy {
  /** True when a new incarnation follows. */
  readonly isRestarting: boolean;
  /** True when this CLI deduplicates prompts by uuid across a resume (`msg_lifecycle_v1`): sending again is safe (P2). */
  readonly canSendAgain: boolean;
  /** True when the owner asked for the end: the unfinished turn was interrupted, nothing failed. */
  readonly wasAsked: boolean;
  readonly error: TroupeError;
}

/** Ended prompts kept so that a repeated id finds its turn. */
const ENDED_KEPT = 1_000;

/**
 * Every prompt of a session and what became of it. Accounts by uuid and lifecycle, never by counting results: the CLI
 * merges, folds and starts turns of its own (WIRE §0.9, §25.10).
 */
export class PromptLedger {
  readonly #listener: LedgerListener;
  readonly #maxQueued: number;
  readonly #records = new Map<string, PromptRecord>();
  #queue: PromptRecord[] = [];
  #outstanding: PromptRecord[] = [];
  #lastResult: ResultFacts | undefined;
  #isTurnOpen = false;
  #hasSeenEcho = false;

  constructor(options: { maxQueued: number; listener: LedgerListener }) {
    this.#maxQueued = options.maxQueued;
    this.#listener = options.listener;
  }

  /** Prompts not yet written to a CLI, in order. */
  get queued(): readonly PromptRecord[] {
    return this.#queue;
  }

  /** Prompts written to the CLI that have not ended, in order. */
  get outstanding(): readonly PromptRecord[] {
    return this.#outstanding;
  }

  find(id: string): PromptRecord | undefined {
    return this.#records.get(id);
  }

  /** Throws PROMPT_QUEUE_FULL. */
  accept(prompt: {
    id: string;
    content: PromptContent;
    onBusy: OnBusy;
    isUntrusted?: boolean;
    fields?: PromptFields | undefined;
    acceptedSeq: number;
  }): PromptRecord {
    if (this.#queue.length >= this.#maxQueued) {
      const details = { field: 'limits.maxPromptQueue', limit: this.#maxQueued };
      throw new TroupeError('PROMPT_QUEUE_FULL', { reason: `Its limit is ${this.#maxQueued} prompts.`, details });
    }
    const record: PromptRecord = {
      ...prompt,
      isUntrusted: prompt.isUntrusted === true,
      fields: prompt.fields,
      state: 'queued',
      isEchoed: false,
      isFolded: false,
      wasInterruptAsked: false,
      wasDelivered: false,
      interruptReason: undefined,
      startedSeq: undefined,
      result: undefined,
    };
    this.#records.set(record.id, record);
    this.#queue.push(record);
    return record;
  }

  get hasNext(): boolean {
    return this.#next() !== undefined;
  }

  /** The prompt to write next, now marked as delivered: one at a time, but a steering one goes at once. */
  deliverNext(): PromptRecord | undefined {
    const record = this.#next();
    if (record === undefined) return undefined;
    this.#queue = this.#queue.filter((other) => other !== record);
    record.state = 'delivered';
    this.#outstanding.push(record);
    return record;
  }

  /** Takes a prompt back that was not written yet. False when it is too late. */
  cancelQueued(id: string, error?: TroupeError): boolean {
    const record = this.#queue.find((candidate) => candidate.id === id);
    if (record === undefined) return false;
    this.#end(record, endedWithoutResult(givenBackAs(record, error), id, error));
    return true;
  }

  onLifecycle(uuid: string, state: 'queued' | 'started' | 'completed' | 'cancelled' | 'other'): void {
    const record = this.#outstanding.find((candidate) => candidate.id === uuid);
    if (record === undefined) return;
    if (state === 'started') this.#start(record);
    if (state === 'completed') this.#endByLifecycle(record);
    if (state === 'cancelled') {
      const outcome = record.state === 'started' || record.wasInterruptAsked ? 'interrupted' : 'cancelled';
      this.#end(record, endedWithoutResult(outcome, uuid, record.interruptReason));
    }
  }

  /** A turn opened. Where no lifecycle tells, it belongs to the oldest prompt that was written. */
  onTurnOpened(hasLifecycle: boolean): void {
    this.#lastResult = undefined;
    this.#isTurnOpen = true;
    for (const record of this.#outstanding.filter(({ isFolded }) => isFolded)) {
      this.#end(record, endedWithoutResult('completed', record.id, undefined));
    }
    const oldest = this.#outstanding[0];
    if (!hasLifecycle && oldest !== undefined) this.#start(oldest);
  }

  onEcho(uuid: string): void {
    const record = this.#outstanding.find((candidate) => candidate.id === uuid);
    if (record === undefined) return;
    this.#hasSeenEcho = true;
    record.isEchoed = true;
    this.#start(record);
  }

  /** Ends the prompts the result belongs to and returns their ids; none for a result that is nobody's (P3, R73). */
  onResult(result: ResultFacts, cost: TurnCost, hasLifecycle: boolean): readonly string[] {
    const covered = this.#coveredBy(result, hasLifecycle);
    const promptIds = covered.map((record) => record.id);
    for (const record of covered) {
      const outcome = outcomeOf(result, record.wasInterruptAsked);
      const { interruptReason } = record;
      this.#end(record, endedByResult(result, { outcome, cost, promptIds, interruptReason }));
    }
    this.#lastResult = result;
    this.#isTurnOpen = false;
    return promptIds;
  }

  /** The process is gone: every unfinished prompt is queued again, or ends with the stated outcome. */
  onProcessLost(policy: LossPolicy): void {
    const unfinished = this.#outstanding;
    const again: PromptRecord[] = [];
    for (const record of unfinished) {
      if (record.isFolded) {
        this.#end(record, endedWithoutResult('completed', record.id, undefined));
      } else if (policy.wasAsked || record.wasInterruptAsked) {
        this.#end(record, endedWithoutResult('interrupted', record.id, record.interruptReason));
      } else if (policy.isRestarting && policy.canSendAgain) {
        record.state = 'queued';
        record.isEchoed = false;
        record.wasDelivered = true;
        again.push(record);
      } else {
        // Older CLIs lose or repeat a prompt that is sent twice (WIRE §25.10): stated policy, never silence.
        const outcome = policy.isRestarting ? 'lost' : 'failed';
        this.#end(record, endedWithoutResult(outcome, record.id, policy.error));
      }
    }
    this.#outstanding = [];
    this.#queue = [...again, ...this.#queue];
    this.#lastResult = undefined;
    this.#isTurnOpen = false;
    if (!policy.isRestarting) this.returnQueued(policy.error);
  }

  /** Gives every queued prompt back to its owner, unsent. */
  returnQueued(error: TroupeError): void {
    for (const record of [...this.#queue]) this.cancelQueued(record.id, error);
  }

  /**
   * Marks the prompts an interrupt is meant for, and returns them: of those given the started ones, or all that have not
   * ended when none is known to have started.
   */
  markInterrupted(meant: readonly PromptRecord[] = this.#outstanding, reason?: TroupeError): readonly PromptRecord[] {
    const started = meant.filter((record) => record.state === 'started');
    const marked = started.length > 0 ? started : meant.filter((record) => record.state === 'delivered');
    for (const record of marked) {
      record.wasInterruptAsked = true;
      record.interruptReason ??= reason;
    }
    return marked;
  }

  /** The CLI refused the interrupt: the prompts go on as if nobody had asked. */
  unmarkInterrupted(marked: readonly PromptRecord[]): void {
    for (const record of marked) {
      record.wasInterruptAsked = false;
      record.interruptReason = undefined;
    }
  }

  #next(): PromptRecord | undefined {
    return this.#outstanding.length === 0 ? this.#queue[0] : this.#queue.find(({ onBusy }) => onBusy === 'steer');
  }

  #coveredBy(result: ResultFacts, hasLifecycle: boolean): readonly PromptRecord[] {
    const isNamed = (record: PromptRecord) => result.promptUuids.includes(record.id);
    const named = this.#outstanding.filter((record) => isNamed(record) || record.isFolded);
    if (named.length > 0) return named;
    // With a lifecycle, a result that names nobody is nobody's; an origin other than a human is an unprompted turn.
    if (hasLifecycle || (result.origin !== undefined && result.origin !== 'human')) return [];
    const echoed = this.#outstanding.filter((record) => record.isEchoed);
    if (echoed.length > 0) return echoed;
    // Such a CLI echoes a prompt with its first assistant block: a success without one answers somebody else.
    if (this.#hasSeenEcho && !result.isError && result.subtype === 'success' && result.turns !== 0) return [];
    return this.#outstanding.slice(0, 1);
  }

  #endByLifecycle(record: PromptRecord): void {
    const result = this.#lastResult;
    if (record.state === 'started' && this.#isTurnOpen) {
      record.isFolded = true;
      return;
    }
    if (record.state !== 'started' || result === undefined || !mayCover(result, record.id)) {
      this.#end(record, endedUnseen(record));
      return;
    }
    // The result lists at most 64 prompts (WIRE §0.9): the lifecycle speaks for the others.
    const outcome = outcomeOf(result, record.wasInterruptAsked);
    const { interruptReason } = record;
    const cost = { costUsd: undefined, models: undefined };
    this.#end(record, endedByResult(result, { outcome, cost, promptIds: [record.id], interruptReason }));
  }

  #start(record: PromptRecord): void {
    if (record.state !== 'delivered') return;
    record.state = 'started';
    this.#listener.started(record);
  }

  #end(record: PromptRecord, result: TurnResult): void {
    if (record.state === 'ended') return;
    record.state = 'ended';
    record.result = result;
    record.content = '';
    this.#queue = this.#queue.filter((other) => other !== record);
    this.#outstanding = this.#outstanding.filter((other) => other !== record);
    this.#forgetOldest();
    this.#listener.ended(record, result);
  }

  #forgetOldest(): void {
    if (this.#records.size <= ENDED_KEPT + this.#queue.length + this.#outstanding.length) return;
    for (const [id, record] of this.#records) {
      if (record.state !== 'ended') continue;
      this.#records.delete(id);
      return;
    }
  }
}

/** The list of a result is cut at 64 names, and older CLIs give none (WIRE §11): only a list that is whole excludes. */
function mayCover({ promptUuids }: ResultFacts, id: string): boolean {
  return promptUuids.length === 0 || promptUuids.length >= 64 || promptUuids.includes(id);
}

/**
 * The CLI calls the prompt done, and no result of it was seen. Sent for the first time that is a local command; sent again
 * after a loss it means that the CLI will not take up the turn that was cut off, whose tools may have run (P2, WIRE §15).
 */
function endedUnseen(record: PromptRecord): TurnResult {
  if (!record.wasDelivered) return endedWithoutResult('completed', record.id, undefined);
  return endedWithoutResult('lost', record.id, new TroupeError('PROMPT_LOST', { details: { id: record.id } }));
}

/**
 * A prompt that no process ever saw was cancelled. One that waits to be sent again may have done half its work: it was
 * interrupted by its owner, or failed with its process (P2).
 */
function givenBackAs(record: PromptRecord, error: TroupeError | undefined): PromptOutcome {
  if (!record.wasDelivered) return 'cancelled';
  const wasAsked = error === undefined || error.code === 'SESSION_CLOSED' || error.code === 'SUPERVISOR_STOPPED';
  return wasAsked ? 'interrupted' : 'failed';
}
