import { createHash } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import type { EventLog } from '../store/event-log.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { type Fact, factOf } from '../wire/facts.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { CostMeter, type SessionUsage } from './cost-meter.ts';
import { type LossPolicy, PromptLedger } from './prompt-ledger.ts';
import type { OnBusy, PromptContent, PromptRecord } from './prompt-record.ts';
import { Turn } from './turn.ts';
import type { TurnResult } from './turn-result.ts';

/** The way from the conversation to the incarnation that serves it. */
export interface Delivery {
  readonly epoch: number;
  /** Puts the prompt on the CLI's input, in call order. */
  deliver(record: PromptRecord): void;
  /** The CLI began or stopped working. */
  setWorking(isWorking: boolean): void;
  /** A turn opened: its deadline begins. */
  turnStarted(): void;
  /** A turn has its result: an interrupt that was meant for it is over. */
  turnEnded(): void;
}

export type ActivityState = 'running' | 'requires_action' | 'idle';

/** What the CLI said about itself, kept over incarnations. */
export interface ConversationFacts {
  readonly conversationId: string | undefined;
  readonly cliVersion: string | undefined;
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly capabilities: readonly string[];
  readonly activity: ActivityState | undefined;
}

interface KnownTurn {
  readonly turn: Turn;
  readonly settle: (result: TurnResult) => void;
  readonly digest: string;
  readonly record: PromptRecord;
}

const ENDED_TURNS_KEPT = 1_000;
/** Ids are short; the turns behind them are long forgotten. */
const USED_IDS_KEPT = 100_000;

const NOTHING_KNOWN: ConversationFacts = {
  conversationId: undefined,
  cliVersion: undefined,
  model: undefined,
  permissionMode: undefined,
  capabilities: [],
  activity: undefined,
};

/** The conversation of a session: its prompts, its turns, its running total; it outlives the processes that serve it. */
export class Conversation {
  readonly #log: EventLog;
  readonly #wanted: string | undefined;
  readonly #expectedMode: () => string;
  readonly #ledger: PromptLedger;
  readonly #meter = new CostMeter();
  readonly #tasks = new BackgroundTasks();
  /** Turns by prompt id, the newest ended ones too: a repeated id finds its turn. */
  readonly #turns = new Map<string, KnownTurn>();
  readonly #usedIds = new Set<string>();
  #facts: ConversationFacts = NOTHING_KNOWN;
  #delivery: Delivery | undefined;
  #epoch = 0;
  #hasLifecycle = false;
  #isTurnOpen = false;
  #isModeChecked = false;
  #turnNumber = 0;
  #hasCompletedTurn = false;
  #isWorking = false;
  #lastErrors: readonly string[] = [];
  /** Who waits for the prompts to change: interrupts and drains. */
  readonly #watchers = new Set<() => void>();

  constructor(options: { log: EventLog; maxQueued: number; wanted: string | undefined; expectedMode: () => string }) {
    this.#log = options.log;
    this.#wanted = options.wanted;
    this.#expectedMode = options.expectedMode;
    this.#ledger = new PromptLedger({
      maxQueued: options.maxQueued,
      listener: {
        started: (record) => {
          this.#append({ type: 'prompt.started', promptId: record.id });
          record.startedSeq = this.#log.lastSeq;
        },
        ended: (record, result) => this.#onEnded(record, result),
      },
    });
  }

  get facts(): ConversationFacts {
    return this.#facts;
  }

  get ledger(): PromptLedger {
    return this.#ledger;
  }

  /** The conversation the session was started to resume; undefined for a new or a forked one. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  get tasks(): BackgroundTasks {
    return this.#tasks;
  }

  /** True when no prompt and no agent works, and the CLI has nothing left to say about it. */
  get isQuiet(): boolean {
    const isAnnouncing = this.#facts.activity === 'running' && this.#tasks.ids.length === 0;
    return this.isDrained && this.#tasks.agents === 0 && !this.#isTurnOpen && !isAnnouncing;
  }

  /** True when no prompt waits or runs. */
  get isDrained(): boolean {
    return this.#ledger.outstanding.length === 0 && this.#ledger.queued.length === 0;
  }

  /** Counts the turns that opened. */
  get turnNumber(): number {
    return this.#turnNumber;
  }

  /** True from `system/init` to the result of a turn, whoever it belongs to. */
  get isTurnOpen(): boolean {
    return this.#isTurnOpen;
  }

  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** Texts of the newest error result of the present process. */
  get lastErrors(): readonly string[] {
    return this.#lastErrors;
  }

  /** False while nothing was ever answered: older CLIs cannot resume such a conversation (WIRE §15). */
  get hasCompletedTurn(): boolean {
    return this.#hasCompletedTurn;
  }

  /** The conversation is lost: the next process begins a new one. */
  forgetId(): void {
    this.#facts = { ...this.#facts, conversationId: undefined };
  }

  /** The turn deadline passed: the open prompts end as interrupted, with that as their reason. */
  onTurnOverdue(deadlineMs: number): void {
    const reason = new TroupeError('TURN_OVERDUE', { reason: `(${deadlineMs} ms)`, details: { deadlineMs } });
    const started = this.#ledger.outstanding.filter(({ state }) => state === 'started');
    this.#ledger.markInterrupted(started, reason);
  }

  usage(): SessionUsage {
    return this.#meter.usage();
  }

  /**
   * Takes a prompt. The same id with the same content is the same prompt and returns its turn, also after its end; with
   * other content it throws PROMPT_ID_USED. Throws PROMPT_QUEUE_FULL and SESSION_BUSY.
   */
  accept(id: string, content: PromptContent, onBusy: OnBusy): { turn: Turn; isNew: boolean } {
    const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64');
    const known = this.#turns.get(id);
    if (known?.digest === digest) return { turn: known.turn, isNew: false };
    if (known !== undefined || this.#usedIds.has(id)) {
      throw new TroupeError('PROMPT_ID_USED', { details: { field: 'id', id } });
    }
    if (onBusy === 'reject' && this.#ledger.outstanding.length + this.#ledger.queued.length > 0) {
      throw new TroupeError('SESSION_BUSY', { details: { field: 'onBusy' } });
    }
    const record = this.#ledger.accept({ id, content, onBusy, acceptedSeq: this.#log.lastSeq + 1 });
    let settle: (result: TurnResult) => void = () => {};
    const result = new Promise<TurnResult>((resolve) => {
      settle = resolve;
    });
    const turn = new Turn(record, this.#log, result);
    this.#turns.set(id, { turn, settle, digest, record });
    // Only now, because whoever hears of it may take it back at once.
    this.#append({ type: 'prompt.accepted', promptId: id, onBusy });
    this.#pump();
    return { turn, isNew: true };
  }

  /** A new process begins: running totals start again, and nothing it says is known yet. */
  startProcess(epoch: number): void {
    this.#epoch = epoch;
    this.#meter.startProcess();
    this.#lastErrors = [];
    this.#hasLifecycle = false;
    this.#isModeChecked = false;
    this.#isTurnOpen = false;
    this.#facts = { ...this.#facts, activity: undefined };
    this.#tasks.forget();
  }

  /** What the `initialize` answer told; only the newest versions tell it all (WIRE §1). */
  learn(facts: Partial<ConversationFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    if (this.#facts.capabilities.includes('msg_lifecycle_v1')) this.#hasLifecycle = true;
  }

  /** The incarnation is ready: waiting prompts go out, in order. */
  attach(delivery: Delivery): void {
    this.#delivery = delivery;
    // It may have begun to work before anybody listened.
    if (this.#isWorking) delivery.setWorking(true);
    this.#pump();
  }

  /** The incarnation takes no more prompts. */
  detach(): void {
    this.#delivery = undefined;
  }

  onProcessLost(policy: Omit<LossPolicy, 'canSendAgain'>): void {
    this.detach();
    this.#ledger.onProcessLost({ ...policy, canSendAgain: this.#hasLifecycle });
    this.#isTurnOpen = false;
    this.#facts = { ...this.#facts, activity: undefined };
    this.#tasks.forget();
    this.#isWorking = false;
    this.#wakeWatchers();
  }

  onMessage(message: CliMessage): void {
    const fact = factOf(message);
    if (fact === undefined) {
      this.#append({ type: 'message', message });
      return;
    }
    // A turn begins before its first message is logged and ends after its last: readers cut at those two events.
    this.#before(fact);
    this.#append({ type: 'message', message });
    this.#after(fact);
  }

  /** Resolves when the condition holds; re-checked whenever a prompt, the work or the process changes. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return;
        this.#watchers.delete(check);
        resolve();
      };
      this.#watchers.add(check);
    });
  }

  /** Has everybody who waits look again: something outside the conversation changed. */
  recheck(): void {
    this.#wakeWatchers();
  }

  #before(fact: Fact): void {
    if (fact.type === 'prompt.progressed') {
      this.#hasLifecycle = true;
      if (fact.state === 'started') this.#ledger.onLifecycle(fact.uuid, 'started');
    }
    if (fact.type === 'prompt.echoed') this.#ledger.onEcho(fact.uuid);
    if (fact.type === 'turn.opened') this.#openTurn(fact);
  }

  #after(fact: Fact): void {
    switch (fact.type) {
      case 'prompt.progressed':
        this.#ledger.onLifecycle(fact.uuid, fact.state);
        break;
      case 'turn.result':
        this.#closeTurn(fact);
        break;
      case 'activity.changed':
        this.#facts = { ...this.#facts, activity: fact.state };
        break;
      case 'background.changed':
        this.#tasks.replace(fact.tasks);
        break;
      case 'task.started':
        this.#tasks.started(fact.task);
        break;
      case 'task.ended':
        this.#tasks.ended(fact.id, fact.isReporting);
        break;
      case 'permission-mode.changed':
        this.#facts = { ...this.#facts, permissionMode: fact.mode };
        break;
      default:
    }
    this.#pump();
  }

  /** The mode that was asked for must be the mode that rules; once per process, because turns may change it (R93). */
  #checkMode(mode: string | undefined): void {
    const expected = this.#expectedMode();
    if (this.#isModeChecked || mode === undefined) return;
    this.#isModeChecked = true;
    if (mode === expected) return;
    const detail = `asked for "${expected}", the CLI runs in "${mode}"`;
    this.#append({ type: 'diagnostic', reason: 'permission-mode-differs', detail });
  }

  #openTurn(fact: Extract<Fact, { type: 'turn.opened' }>): void {
    this.#checkMode(fact.permissionMode);
    const former = this.#facts.conversationId;
    const { conversationId, cliVersion, model, permissionMode, capabilities } = fact;
    this.learn({
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(cliVersion === undefined ? {} : { cliVersion }),
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(capabilities.length === 0 ? {} : { capabilities }),
    });
    if (conversationId !== undefined && conversationId !== former) {
      this.#append({ type: 'session.conversation-changed', from: former, to: conversationId });
    }
    this.#ledger.onTurnOpened(this.#hasLifecycle);
    this.#isTurnOpen = true;
    this.#turnNumber += 1;
    this.#lastErrors = [];
    const started = this.#ledger.outstanding.find((record) => record.state === 'started');
    this.#append({ type: 'turn.started', promptId: started?.id });
    this.#delivery?.turnStarted();
  }

  #closeTurn(fact: Extract<Fact, { type: 'turn.result' }>): void {
    this.#tasks.turnEnded();
    this.#isTurnOpen = false;
    this.#delivery?.turnEnded();
    const isFailure = fact.isError && fact.terminalReason?.startsWith('aborted_') !== true;
    this.#lastErrors = isFailure ? (fact.errors.length > 0 ? fact.errors : [fact.text ?? '']) : [];
    this.#hasCompletedTurn ||= !fact.isError;
    const costUsd = this.#meter.add(fact);
    const promptIds = this.#ledger.onResult(fact, costUsd, this.#hasLifecycle);
    this.#append({ type: 'turn.ended', promptIds, isError: fact.isError, origin: fact.origin, costUsd });
  }

  #onEnded(record: PromptRecord, result: TurnResult): void {
    this.#append({ type: 'prompt.ended', promptId: record.id, outcome: result.outcome });
    this.#turns.get(record.id)?.settle(result);
    this.#forgetOldTurns();
    this.#wakeWatchers();
  }

  /** The CLI drops a prompt whose id it has seen, without a word (WIRE §11): such an id must never be sent again. */
  #rememberId(id: string): void {
    this.#usedIds.add(id);
    const oldest = this.#usedIds.values().next();
    if (this.#usedIds.size > USED_IDS_KEPT && oldest.done !== true) this.#usedIds.delete(oldest.value);
  }

  #forgetOldTurns(): void {
    let surplus = this.#turns.size - ENDED_TURNS_KEPT;
    for (const [id, { record }] of this.#turns) {
      if (surplus <= 0) return;
      surplus -= 1;
      if (record.state !== 'ended') continue;
      this.#turns.delete(id);
      this.#rememberId(id);
    }
  }

  #pump(): void {
    const delivery = this.#delivery;
    while (delivery !== undefined) {
      const record = this.#ledger.deliverNext();
      if (record === undefined) break;
      this.#append({ type: 'prompt.delivered', promptId: record.id });
      delivery.deliver(record);
    }
    this.#updateWork();
  }

  #updateWork(): void {
    const { activity } = this.#facts;
    const isActive = activity === undefined ? this.#isTurnOpen : activity !== 'idle';
    const isWorking = this.#ledger.outstanding.length > 0 || isActive;
    if (isWorking !== this.#isWorking) {
      this.#isWorking = isWorking;
      this.#delivery?.setWorking(isWorking);
    }
    this.#wakeWatchers();
  }

  #wakeWatchers(): void {
    for (const check of [...this.#watchers]) check();
  }

  #append(fact: Parameters<EventLog['append']>[1]): void {
    this.#log.append(this.#epoch, fact);
  }
}
