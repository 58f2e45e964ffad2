import { TroupeError } from '../errors.ts';
import type { EventLog } from '../store/event-log.ts';
import type { LedgerRecord } from '../store/store-record.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { type Fact, factOf, type RateLimit } from '../wire/facts.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { CliKnowledge } from './cli-knowledge.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import type { ConversationOptions } from './conversation-options.ts';
import type { SessionUsage } from './cost-meter.ts';
import type { Delivery } from './delivery.ts';
import type { LossPolicy } from './loss-policy.ts';
import { ModeCheck } from './mode-check.ts';
import { inertContent } from './prompt-guard.ts';
import { PromptLedger } from './prompt-ledger.ts';
import { previewOf } from './prompt-preview.ts';
import type { OnBusy, PromptContent, PromptOptions, PromptRecord } from './prompt-record.ts';
import { RateLimits } from './rate-limits.ts';
import type { RestoredConversation } from './restored-conversation.ts';
import { saidIn } from './result-words.ts';
import type { Turn } from './turn.ts';
import { TurnBook } from './turn-book.ts';
import type { TurnRecord } from './turn-history.ts';
import { TurnRegistry } from './turn-registry.ts';
import type { TurnResult } from './turn-result.ts';
import { Watchers } from './watchers.ts';

/** The conversation of a session: its prompts, its turns, its running total; it outlives the processes that serve it. */
export class Conversation {
  readonly #log: EventLog;
  readonly #wanted: () => string | undefined;
  readonly #mode: ModeCheck;
  readonly #admitsWork: () => boolean;
  readonly #onStranded: () => void;
  readonly #ledger: PromptLedger;
  readonly #book: TurnBook;
  readonly #tasks = new BackgroundTasks();
  readonly #turns: TurnRegistry;
  readonly #limits = new RateLimits();
  readonly #cli = new CliKnowledge();
  #delivery: Delivery | undefined;
  #epoch = 0;
  #isTurnOpen = false;
  #completedTurns = 0;
  #recoveries: readonly number[] = [];
  #isWorking = false;
  #lastErrors: readonly string[] = [];
  /** Who waits for the prompts to change: interrupts and drains. */
  readonly #watchers = new Watchers();

  constructor(options: ConversationOptions) {
    this.#log = options.log;
    this.#turns = new TurnRegistry(options.log);
    this.#wanted = options.wanted;
    this.#book = new TurnBook(options);
    this.#mode = new ModeCheck(options.expectedMode);
    this.#admitsWork = options.admitsWork ?? (() => true);
    this.#onStranded = options.onStranded ?? (() => {});
    this.#ledger = new PromptLedger({
      rules: options.rules,
      again: options.again,
      now: () => this.#log.now(),
      listener: {
        doubted: ({ id }, { code }) => this.#append({ type: 'prompt.in-doubt', promptId: id, code }),
        retried: ({ id }) => this.#append({ type: 'prompt.retried', promptId: id }),
        started: (record) => {
          record.startedSeq = this.#log.lastSeq + 1;
          this.#append({ type: 'prompt.started', promptId: record.id });
        },
        deferred: ({ id }) => this.#append({ type: 'prompt.deferred', promptId: id }),
        ended: (record, result) => this.#onEnded(record, result),
      },
    });
    if (options.restored !== undefined) this.#restore(options.restored);
  }

  get facts(): ConversationFacts {
    return this.#cli.facts;
  }

  /** What the CLI said about itself. */
  get cli(): CliKnowledge {
    return this.#cli;
  }

  /** The newest turn as a store keeps it; undefined before the first. */
  storedTurn(): LedgerRecord | undefined {
    return this.#book.stored(this.facts.model);
  }

  /** The turn of the prompt with this id, also of one from before a restart of the host; undefined when it is not kept. */
  turn(id: string): Turn | undefined {
    return this.#turns.get(id);
  }

  get ledger(): PromptLedger {
    return this.#ledger;
  }

  /** The conversation the session was started to resume; undefined for a new or a forked one. */
  get wanted(): string | undefined {
    return this.#wanted();
  }

  get tasks(): BackgroundTasks {
    return this.#tasks;
  }

  /** True when no prompt and no agent works, and the CLI has nothing left to say about it. */
  get isQuiet(): boolean {
    const isAnnouncing = this.facts.activity === 'running' && this.#tasks.ids.length === 0;
    return this.isDrained && this.#tasks.agents === 0 && !this.#isTurnOpen && !isAnnouncing;
  }

  /** True when no prompt waits or runs. */
  get isDrained(): boolean {
    return this.#ledger.outstanding.length + this.#ledger.queued.length === 0;
  }

  /** Counts the turns that opened. */
  get turnNumber(): number {
    return this.#book.count;
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

  /** When a host took it up with unfinished work, since its last completed turn. */
  get recoveries(): readonly number[] {
    return this.#recoveries;
  }

  /** The conversation is lost: the next process begins a new one. */
  forgetId(): void {
    this.#cli.forgetId();
  }

  /** The turn was interrupted for a reason of ours: the open prompts end as interrupted, with that as their reason. */
  onTurnInterrupted(reason: TroupeError): void {
    this.#ledger.blame(reason);
  }

  usage(): SessionUsage {
    return this.#book.usage();
  }

  turns(): readonly TurnRecord[] {
    return this.#book.list();
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
    options: { onBusy: OnBusy; isUntrusted?: boolean } & Pick<PromptOptions, 'fields' | 'from'>,
  ): { turn: Turn; isNew: boolean } {
    const { from, ...kept } = options;
    const known = this.#turns.find(id, content, options.fields);
    if (known !== undefined) return { turn: known, isNew: false };
    if (kept.onBusy === 'reject' && this.#ledger.outstanding.length + this.#ledger.queued.length > 0) {
      throw new TroupeError('SESSION_BUSY', { details: { field: 'onBusy' } });
    }
    const record = this.#ledger.accept({ id, content, ...kept, acceptedSeq: this.#log.lastSeq + 1 });
    const turn = this.#turns.add(record);
    // Only now, because whoever hears of it may take it back at once.
    const told = { onBusy: kept.onBusy, ...previewOf(content), ...(from === undefined ? {} : { from }) };
    this.#append({ type: 'prompt.accepted', promptId: id, ...told });
    this.#turns.confirm(id, (error) => this.#ledger.withdraw(id, error));
    this.#pump();
    return { turn, isNew: true };
  }

  /** A new process begins: running totals start again, and nothing it says is known yet. */
  startProcess(epoch: number): void {
    this.#epoch = epoch;
    this.#book.startProcess();
    this.#cli.startProcess();
    this.#lastErrors = [];
    this.#mode.forget();
    this.#isTurnOpen = false;
    this.#tasks.forget();
  }

  /** What the `initialize` answer told; only the newest versions tell it all (WIRE §1). */
  learn(facts: Partial<ConversationFacts>): void {
    this.#cli.learn(facts);
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
    this.#book.cutOff();
    this.#ledger.onProcessLost({ ...policy, canSendAgain: this.#cli.hasLifecycle });
    this.#isTurnOpen = false;
    this.#book.lost(this.#log.now());
    this.#cli.setActivity(undefined);
    this.#tasks.forget();
    this.#isWorking = false;
    this.#watchers.wake();
  }

  onMessage(message: CliMessage): void {
    const fact = factOf(message);
    // A turn begins before its first message is logged and ends after its last: readers cut at those two events.
    if (fact !== undefined) this.#before(fact);
    this.#append({ type: 'message', message });
    if (fact === undefined) this.#book.saw(message);
    else this.#after(fact);
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

  #restore(restored: RestoredConversation): void {
    const { known, conversationIds, completedTurns, epoch, prompts, turns } = restored;
    this.#recoveries = restored.recoveries;
    this.#cli.restore(known, conversationIds);
    this.#completedTurns = completedTurns;
    this.#epoch = epoch;
    this.#ledger.restore(prompts);
    this.#turns.restore(prompts);
    this.#book.restore(turns, this.#log.now());
  }

  #before(fact: Fact): void {
    if (fact.type === 'prompt.progressed') {
      this.#cli.sawLifecycle();
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
        this.#cli.setActivity(fact.state);
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
        this.#cli.setMode(fact.mode);
        break;
      default:
    }
    this.#pump();
  }

  #openTurn(fact: Extract<Fact, { type: 'turn.opened' }>): void {
    const detail = this.#mode.check(fact.permissionMode);
    if (detail !== undefined) this.#append({ type: 'diagnostic', reason: 'permission-mode-differs', detail });
    const change = this.#cli.opened(fact);
    if (change !== undefined) this.#append({ type: 'session.conversation-changed', ...change });
    this.#ledger.onTurnOpened(this.#cli.hasLifecycle);
    this.#isTurnOpen = true;
    this.#lastErrors = [];
    const started = this.#ledger.outstanding.find((record) => record.state === 'started');
    const { conversationId } = this.facts;
    this.#book.opened({ incarnation: this.#epoch, conversationId, at: this.#log.now() });
    this.#append({ type: 'turn.started', promptId: started?.id });
    this.#delivery?.turnStarted();
  }

  #closeTurn(fact: Extract<Fact, { type: 'turn.result' }>): void {
    this.#tasks.turnEnded();
    this.#isTurnOpen = false;
    this.#delivery?.turnEnded();
    const isFailure = fact.isError && fact.terminalReason?.startsWith('aborted_') !== true;
    this.#lastErrors = isFailure ? [saidIn(fact) ?? ''] : [];
    if (!fact.isError) {
      this.#completedTurns += 1;
      this.#recoveries = [];
    }
    const cost = this.#book.add(fact, this.facts, this.#ledger.sendsAgain(fact));
    const promptIds = this.#ledger.onResult(fact, cost, this.#cli.hasLifecycle);
    this.#book.closed(fact, cost, { promptIds, at: this.#log.now() });
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
      this.#book.working(true);
      const { id, wireId } = record;
      this.#append({ type: 'prompt.delivered', promptId: id, ...(wireId === id ? {} : { uuid: wireId }) });
      const { isUntrusted, content } = record;
      delivery.deliver(record, isUntrusted ? inertContent(content, this.facts.cliVersion) : content);
    }
    this.#updateWork();
    if (delivery === undefined && this.#ledger.hasNext) this.#onStranded();
  }

  #updateWork(): void {
    const { activity } = this.facts;
    const isOwing = this.#ledger.outstanding.length > 0 || this.#isTurnOpen;
    this.#book.working(isOwing);
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
