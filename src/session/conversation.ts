import { TroupeError } from '../errors.ts';
import type { OnPromptLost } from '../launch/session-options.ts';
import type { EventLog } from '../store/event-log.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { type Fact, factOf, type RateLimit, type ResultFacts } from '../wire/facts.ts';
import { isRelease } from '../wire/release.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { type ConversationFacts, NOTHING_KNOWN } from './conversation-facts.ts';
import { CostMeter, type SessionUsage } from './cost-meter.ts';
import type { Delivery } from './delivery.ts';
import type { PromptFields } from './prompt-fields.ts';
import { inertContent } from './prompt-guard.ts';
import { type LossPolicy, PromptLedger } from './prompt-ledger.ts';
import type { OnBusy, PromptContent, PromptRecord } from './prompt-record.ts';
import type { Again } from './quota-retry.ts';
import { RateLimits } from './rate-limits.ts';
import { saidIn } from './result-words.ts';
import type { Spending } from './spending.ts';
import { Turn } from './turn.ts';
import { TurnHistory, type TurnRecord } from './turn-history.ts';
import { TurnRegistry } from './turn-registry.ts';
import type { TurnResult } from './turn-result.ts';
import { Watchers } from './watchers.ts';

/** From here on a process that resumes may go on from the totals of its predecessor (measured: not 2.1.260, but 2.1.290). */
const TOTALS_GO_ON = [2, 1, 261] as const;

/** The conversation of a session: its prompts, its turns, its running total; it outlives the processes that serve it. */
export class Conversation {
  readonly #log: EventLog;
  readonly #wanted: string | undefined;
  readonly #expectedMode: () => string;
  readonly #admitsWork: () => boolean;
  readonly #onStranded: () => void;
  readonly #ledger: PromptLedger;
  readonly #meter: CostMeter;
  readonly #spending: Spending | undefined;
  readonly #tasks = new BackgroundTasks();
  readonly #turns = new TurnRegistry();
  readonly #history = new TurnHistory();
  readonly #limits = new RateLimits();
  #facts: ConversationFacts = NOTHING_KNOWN;
  #delivery: Delivery | undefined;
  #epoch = 0;
  #hasLifecycle = false;
  #isTurnOpen = false;
  #isModeChecked = false;
  #completedTurns = 0;
  #isWorking = false;
  #lastErrors: readonly string[] = [];
  /** Who waits for the prompts to change: interrupts and drains. */
  readonly #watchers = new Watchers();

  constructor(options: {
    log: EventLog;
    maxQueued: number;
    onLost: OnPromptLost;
    wanted: string | undefined;
    continuesOther: boolean;
    expectedMode: () => string;
    /** Asked before each prompt goes out; what is held back waits for `goOn`. */
    admitsWork?: () => boolean;
    again?: (result: ResultFacts) => Again | undefined;
    spending?: Spending;
    /** A prompt could go out, and there is no process that takes it. */
    onStranded?: () => void;
  }) {
    this.#log = options.log;
    this.#wanted = options.wanted;
    this.#meter = new CostMeter(options);
    this.#spending = options.spending;
    this.#expectedMode = options.expectedMode;
    this.#admitsWork = options.admitsWork ?? (() => true);
    this.#onStranded = options.onStranded ?? (() => {});
    this.#ledger = new PromptLedger({
      maxQueued: options.maxQueued,
      onLost: options.onLost,
      again: options.again,
      listener: {
        doubted: ({ id }, { code }) => this.#append({ type: 'prompt.in-doubt', promptId: id, code }),
        started: (record) => {
          this.#append({ type: 'prompt.started', promptId: record.id });
          record.startedSeq = this.#log.lastSeq;
        },
        deferred: ({ id }) => this.#append({ type: 'prompt.deferred', promptId: id }),
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
    return this.#ledger.outstanding.length + this.#ledger.queued.length === 0;
  }

  /** Counts the turns that opened. */
  get turnNumber(): number {
    return this.#history.count;
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

  /** Turns with a result that is no error; 0 while nothing was ever answered. */
  get completedTurns(): number {
    return this.#completedTurns;
  }

  /** The conversation is lost: the next process begins a new one. */
  forgetId(): void {
    this.#facts = { ...this.#facts, conversationId: undefined };
  }

  /** The turn was interrupted for a reason of ours: the open prompts end as interrupted, with that as their reason. */
  onTurnInterrupted(reason: TroupeError): void {
    this.#ledger.markInterrupted(
      this.#ledger.outstanding.filter(({ state }) => state === 'started'),
      reason,
    );
  }

  usage(): SessionUsage {
    return this.#meter.usage();
  }

  turns(): readonly TurnRecord[] {
    return this.#history.list();
  }

  rateLimits(): Readonly<Record<string, RateLimit>> {
    return this.#limits.list();
  }

  /**
   * Takes a prompt. The same id with the same content is the same prompt and returns its turn, also after its end; with
   * other content it throws PROMPT_ID_USED. Throws PROMPT_QUEUE_FULL and SESSION_BUSY.
   */
  accept(
    id: string,
    content: PromptContent,
    options: { onBusy: OnBusy; isUntrusted?: boolean; fields?: PromptFields | undefined },
  ): { turn: Turn; isNew: boolean } {
    const { onBusy } = options;
    const known = this.#turns.find(id, content, options.fields);
    if (known !== undefined) return { turn: known, isNew: false };
    if (onBusy === 'reject' && this.#ledger.outstanding.length + this.#ledger.queued.length > 0) {
      throw new TroupeError('SESSION_BUSY', { details: { field: 'onBusy' } });
    }
    const record = this.#ledger.accept({ id, content, ...options, acceptedSeq: this.#log.lastSeq + 1 });
    const turn = this.#turns.add(record, (result) => new Turn(record, this.#log, result));
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
    this.#spending?.lost();
    this.#ledger.onProcessLost({ ...policy, canSendAgain: this.#hasLifecycle });
    this.#isTurnOpen = false;
    this.#history.lost(this.#log.now());
    this.#facts = { ...this.#facts, activity: undefined };
    this.#tasks.forget();
    this.#isWorking = false;
    this.#watchers.wake();
  }

  onMessage(message: CliMessage): void {
    const fact = factOf(message);
    if (fact === undefined) {
      this.#append({ type: 'message', message });
      this.#spending?.saw(message);
      return;
    }
    // A turn begins before its first message is logged and ends after its last: readers cut at those two events.
    this.#before(fact);
    this.#append({ type: 'message', message });
    this.#after(fact);
  }

  /** Resolves when the condition holds; re-checked whenever a prompt, the work or the process changes. */
  until(isTrue: () => boolean): Promise<void> {
    return this.#watchers.until(isTrue);
  }

  /** What held its prompts back is gone. */
  goOn(): void {
    this.#pump();
  }

  /** Has everybody who waits look again. */
  recheck(): void {
    this.#watchers.wake();
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
      case 'rate-limit.told':
        this.#noteLimit(fact.limit);
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
    this.#spending?.working(true);
    this.#lastErrors = [];
    const started = this.#ledger.outstanding.find((record) => record.state === 'started');
    const opened = { incarnation: this.#epoch, conversationId: this.#facts.conversationId, at: this.#log.now() };
    this.#history.opened(opened);
    this.#append({ type: 'turn.started', promptId: started?.id });
    this.#delivery?.turnStarted();
  }

  #closeTurn(fact: Extract<Fact, { type: 'turn.result' }>): void {
    this.#tasks.turnEnded();
    this.#isTurnOpen = false;
    this.#delivery?.turnEnded();
    const isFailure = fact.isError && fact.terminalReason?.startsWith('aborted_') !== true;
    this.#lastErrors = isFailure ? [saidIn(fact) ?? ''] : [];
    if (!fact.isError) this.#completedTurns += 1;
    const cost = this.#meter.add(fact, isRelease(this.#facts.cliVersion ?? '', TOTALS_GO_ON));
    // Before anybody hears of the end and sends the next prompt: it must not go out of a budget that is spent.
    this.#spending?.closed(fact, cost, { model: this.#facts.model, wentOn: this.#meter.wentOn });
    const promptIds = this.#ledger.onResult(fact, cost, this.#hasLifecycle);
    this.#history.closed(fact, cost, { promptIds, at: this.#log.now() });
    this.#append({ type: 'turn.ended', promptIds, isError: fact.isError, origin: fact.origin, costUsd: cost.costUsd });
  }

  #noteLimit(limit: RateLimit): void {
    const change = this.#limits.note(limit);
    if (change === undefined) return;
    this.#append({ type: `quota.${change}`, window: limit.window, resetsAt: limit.resetsAt });
  }

  #onEnded(record: PromptRecord, result: TurnResult): void {
    this.#append({ type: 'prompt.ended', promptId: record.id, outcome: result.outcome });
    this.#turns.settle(record.id, result);
    this.#watchers.wake();
    // Those behind one that was in doubt, or taken back: no word of the CLI would send them out.
    queueMicrotask(() => this.#pump());
  }

  #pump(): void {
    const delivery = this.#delivery;
    while (delivery !== undefined && this.#ledger.hasNext && this.#admitsWork()) {
      const record = this.#ledger.deliverNext();
      if (record === undefined) break;
      this.#spending?.working(true);
      const { id, wireId } = record;
      this.#append({ type: 'prompt.delivered', promptId: id, ...(wireId === id ? {} : { uuid: wireId }) });
      delivery.deliver(
        record,
        record.isUntrusted ? inertContent(record.content, this.#facts.cliVersion) : record.content,
      );
    }
    this.#updateWork();
    if (delivery === undefined && this.#ledger.hasNext) this.#onStranded();
  }

  #updateWork(): void {
    const { activity } = this.#facts;
    const isOwing = this.#ledger.outstanding.length > 0 || this.#isTurnOpen;
    this.#spending?.working(isOwing);
    const isActive = activity === undefined ? this.#isTurnOpen : activity !== 'idle';
    // 2.1.197 calls itself idle while an agent of it works in the background; newer releases do not.
    const isWorking = this.#ledger.outstanding.length > 0 || isActive || this.#tasks.agents > 0;
    if (isWorking !== this.#isWorking) this.#delivery?.setWorking(isWorking);
    this.#isWorking = isWorking;
    this.#delivery?.setTasks(this.#tasks.ids.length);
    this.#delivery?.setOwed(isOwing);
    this.#watchers.wake();
  }

  #append(fact: Parameters<EventLog['append']>[1]): void {
    this.#log.append(this.#epoch, fact);
  }
}
