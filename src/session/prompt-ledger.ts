import { randomUUID } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import type { OnPromptLost } from '../launch/session-options.ts';
import { SparseMap } from '../sparse.ts';
import type { ResultFacts } from '../wire/facts.ts';
import { type AcceptedPrompt, recordOfAccepted } from './accepted-prompt.ts';
import type { TurnCost } from './cost-meter.ts';
import { fateAfterLoss, fateWhenRefused, type LossPolicy, type PromptFate, type PromptRules } from './loss-policy.ts';
import { endedAsLost, givenBackAs, lostBy, mayCover, prepare } from './prompt-ends.ts';
import type { PromptRecord } from './prompt-record.ts';
import type { Again } from './quota-retry.ts';
import { endedByResult, endedWithoutResult, outcomeOf, type TurnResult } from './turn-result.ts';

export interface LedgerListener {
  started(record: PromptRecord): void;
  ended(record: PromptRecord, result: TurnResult): void;
  /** It is held: `doubt` says why. */
  doubted(record: PromptRecord, doubt: TroupeError): void;
  /** It was held, and begins anew. */
  retried?(record: PromptRecord): void;
  /** It met a limit of the account and waits to be sent once more. */
  deferred?(record: PromptRecord): void;
}

/** Ended prompts kept so that a repeated id finds its turn. */
const ENDED_KEPT = 1_000;

/**
 * Every prompt of a session and what became of it. Accounts by uuid and lifecycle, never by counting results: the CLI
 * merges, folds and starts turns of its own (WIRE §0.9, §25.10).
 */
export class PromptLedger {
  readonly #listener: LedgerListener;
  /** Read anew each time: who takes a session over brings rules of its own. */
  readonly #rules: () => PromptRules;
  readonly #now: () => number;
  readonly #again: (result: ResultFacts) => Again | undefined;
  readonly #records = new SparseMap<string, PromptRecord>();
  #queue: PromptRecord[] = [];
  #outstanding: PromptRecord[] = [];
  #lastResult: ResultFacts | undefined;
  #isTurnOpen = false;
  #hasSeenEcho = false;

  /** `again` says which failed turns are no end of their prompts. */
  constructor(options: {
    rules: () => PromptRules;
    now: () => number;
    listener: LedgerListener;
    again?: ((result: ResultFacts) => Again | undefined) | undefined;
  }) {
    this.#rules = options.rules;
    this.#again = options.again ?? (() => undefined);
    this.#now = options.now;
    this.#listener = options.listener;
  }

  get #onLost(): OnPromptLost {
    return this.#rules().onLost;
  }

  /** Prompts not yet written to a CLI, in order. */
  get queued(): readonly PromptRecord[] {
    return this.#queue;
  }

  /** Prompts written to the CLI that have not ended, in order. */
  get outstanding(): readonly PromptRecord[] {
    return this.#outstanding;
  }

  /** Prompts that are held because they could run twice; nothing is delivered while there are any. */
  get inDoubt(): readonly PromptRecord[] {
    return this.#queue.filter(({ doubt }) => doubt !== undefined);
  }

  /** Prompts that had begun in a process that is gone, and go out once more under the id that the CLI may know. */
  get repeated(): readonly PromptRecord[] {
    return this.#queue.filter(({ isRepeated }) => isRepeated);
  }

  find(id: string): PromptRecord | undefined {
    return this.#records.get(id);
  }

  /** Throws PROMPT_QUEUE_FULL. */
  accept(prompt: AcceptedPrompt): PromptRecord {
    const { maxQueued } = this.#rules();
    if (this.#queue.length >= maxQueued) {
      const details = { field: 'limits.maxPromptQueue', limit: maxQueued };
      throw new TroupeError('PROMPT_QUEUE_FULL', { reason: `Its limit is ${maxQueued} prompts.`, details });
    }
    const record = recordOfAccepted(prompt, this.#now());
    this.#records.set(record.id, record);
    this.#queue.push(record);
    return record;
  }

  /**
   * Takes up the prompts from before a restart of the host, in the order in which they were accepted. Those that a process had
   * are outstanding, until `onProcessLost` says what becomes of them.
   */
  restore(records: readonly PromptRecord[]): void {
    const ended = records.filter(({ state }) => state === 'ended');
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - ENDED_KEPT)));
    for (const record of records) if (!forgotten.has(record)) this.#records.set(record.id, record);
    const queued = records.filter(({ state }) => state === 'queued');
    // What a former loss had put back waits before what no process ever had.
    this.#queue = [...queued.filter((one) => one.wasDelivered), ...queued.filter((one) => !one.wasDelivered)];
    this.#outstanding = records.filter(({ state }) => state === 'delivered' || state === 'started');
  }

  /** Ends a prompt that cannot be sent as it was; nothing for one that has ended. */
  lose(id: string, error: TroupeError): void {
    const record = this.#records.get(id);
    if (record !== undefined) this.#end(record, endedAsLost(id, error));
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

  /** Takes back a prompt that nobody will begin: its acceptance was not kept, and what was to be written of it still waits. */
  withdraw(id: string, error: TroupeError): void {
    const record = this.#records.get(id);
    if (record?.state === 'queued' || record?.state === 'delivered') {
      this.#end(record, endedWithoutResult('cancelled', id, error));
    }
  }

  /** Decides about a prompt in doubt; false when it is none. */
  resolveDoubt(id: string, answer: 'retry' | 'fail'): boolean {
    const record = this.inDoubt.find((candidate) => candidate.id === id);
    if (record === undefined) return false;
    if (answer === 'retry') {
      prepare(record, 'anew');
      this.#listener.retried?.(record);
    } else this.#end(record, endedAsLost(id, record.doubt));
    return true;
  }

  /** A prompt that was to go out once more would run twice: the declared policy says what becomes of it. */
  refuse(record: PromptRecord): void {
    const fate = fateWhenRefused(this.#onLost);
    if (fate === 'lost') this.#end(record, endedAsLost(record.id));
    else this.#prepared(record, fate, new TroupeError('PROMPT_LOST', { details: { id: record.id } }));
  }

  onLifecycle(uuid: string, state: 'queued' | 'started' | 'completed' | 'cancelled' | 'other'): void {
    const record = this.#outstanding.find((candidate) => candidate.wireId === uuid);
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
    const record = this.#outstanding.find((candidate) => candidate.wireId === uuid);
    if (record === undefined) return;
    this.#hasSeenEcho = true;
    record.isEchoed = true;
    this.#start(record);
  }

  /** Ends the prompts the result belongs to and returns their ids; none for a result that is nobody's (P3, R73). */
  onResult(result: ResultFacts, cost: TurnCost, hasLifecycle: boolean): readonly string[] {
    const covered = this.#coveredBy(result, hasLifecycle);
    const promptIds = covered.map((record) => record.id);
    const deferred: PromptRecord[] = [];
    for (const record of covered) {
      const { interruptReason } = record;
      const outcome = outcomeOf(result, record.wasInterruptAsked || interruptReason !== undefined);
      const again = outcome === 'failed' ? this.#again(result) : undefined;
      if (again === undefined) this.#end(record, endedByResult(result, { outcome, cost, promptIds, interruptReason }));
      else deferred.push(this.#defer(record, again));
    }
    this.#queue = [...deferred, ...this.#queue];
    // The interrupt was for the turn that is over.
    for (const record of this.#outstanding) if (!record.wasInterruptAsked) record.interruptReason = undefined;
    for (const record of deferred) this.#listener.deferred?.(record);
    this.#lastResult = result;
    this.#isTurnOpen = false;
    return promptIds;
  }

  /** Whether that result is no end: a limit refused the work, and what asked for it waits to be sent once more. */
  sendsAgain(result: ResultFacts): boolean {
    return this.#outstanding.length > 0 && outcomeOf(result, false) === 'failed' && this.#again(result) !== undefined;
  }

  /** The process is gone: every unfinished prompt is queued again, or ends with the stated outcome. */
  onProcessLost(policy: LossPolicy): void {
    const unfinished = this.#outstanding;
    const again: PromptRecord[] = [];
    for (const record of unfinished) {
      if (record.isFolded) {
        this.#end(record, endedWithoutResult('completed', record.id, undefined));
      } else if (policy.wasAsked || record.wasInterruptAsked) {
        const reason = record.wasInterruptAsked ? record.interruptReason : undefined;
        this.#end(record, endedWithoutResult('interrupted', record.id, reason));
      } else if (!policy.isRestarting) {
        this.#end(record, endedWithoutResult('failed', record.id, policy.error));
      } else {
        const fate = fateAfterLoss(record.state, this.#onLost, policy.canSendAgain);
        // Older CLIs lose or repeat a prompt that is sent twice (WIRE §25.10): stated policy, never silence.
        if (fate === 'lost') this.#end(record, lostBy(this.#onLost, record.id, policy.error));
        else again.push(this.#prepared(record, fate, policy.error));
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

  /**
   * The turn is interrupted for a reason of ours: what has begun is marked. Of what the CLI has and has not begun it may still
   * begin the next before it reads the interrupt: then that one is what was interrupted.
   */
  blame(reason: TroupeError): void {
    this.markInterrupted(
      this.#outstanding.filter(({ state }) => state === 'started'),
      reason,
    );
    for (const record of this.#outstanding) if (record.state === 'delivered') record.interruptReason ??= reason;
  }

  /** The CLI refused the interrupt: the prompts go on as if nobody had asked. */
  unmarkInterrupted(marked: readonly PromptRecord[]): void {
    for (const record of marked) {
      record.wasInterruptAsked = false;
      record.interruptReason = undefined;
    }
  }

  #next(): PromptRecord | undefined {
    if (this.inDoubt.length > 0) return undefined;
    return this.#outstanding.length === 0 ? this.#queue[0] : this.#queue.find(({ onBusy }) => onBusy === 'steer');
  }

  #coveredBy(result: ResultFacts, hasLifecycle: boolean): readonly PromptRecord[] {
    const isNamed = (record: PromptRecord) => result.promptUuids.includes(record.wireId);
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
    if (record.state !== 'started' || result === undefined || !mayCover(result, record.wireId)) {
      this.#endUnseen(record);
      return;
    }
    // The result lists at most 64 prompts (WIRE §0.9): the lifecycle speaks for the others.
    const outcome = outcomeOf(result, record.wasInterruptAsked);
    const { interruptReason } = record;
    const cost = { costUsd: undefined, models: undefined };
    this.#end(record, endedByResult(result, { outcome, cost, promptIds: [record.id], interruptReason }));
  }

  /**
   * The CLI calls the prompt done, and no result of it was seen. Sent for the first time that is a local command; sent again
   * after a loss it means that the CLI will not take up the turn that was cut off, whose tools may have run (P2, WIRE §15).
   */
  #endUnseen(record: PromptRecord): void {
    const fate = record.isRepeated ? fateWhenRefused(this.#onLost) : 'done';
    if (fate === 'done' || fate === 'lost') {
      const isDone = fate === 'done';
      this.#end(record, isDone ? endedWithoutResult('completed', record.id, undefined) : endedAsLost(record.id));
      return;
    }
    this.#outstanding = this.#outstanding.filter((other) => other !== record);
    this.#queue = [
      this.#prepared(record, fate, new TroupeError('PROMPT_LOST', { details: { id: record.id } })),
      ...this.#queue,
    ];
  }

  #prepared(record: PromptRecord, fate: PromptFate, error: TroupeError): PromptRecord {
    prepare(record, fate);
    record.doubt = fate === 'in-doubt' ? error : undefined;
    if (record.doubt !== undefined) this.#listener.doubted(record, error);
    return record;
  }

  /** Under another uuid: by its own the CLI would take it for done (P2). */
  #defer(record: PromptRecord, { content }: Again): PromptRecord {
    this.#outstanding = this.#outstanding.filter((other) => other !== record);
    record.state = 'queued';
    record.isEchoed = false;
    record.wasDelivered = true;
    record.isRepeated = false;
    record.interruptReason = undefined;
    record.wireId = randomUUID();
    record.content = content ?? record.content;
    return record;
  }

  #start(record: PromptRecord): void {
    if (record.state !== 'delivered') return;
    record.state = 'started';
    this.#listener.started(record);
  }

  #end(record: PromptRecord, result: TurnResult): void {
    if (record.state === 'ended') return;
    record.state = 'ended';
    record.endedAt = this.#now();
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
