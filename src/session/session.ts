import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { RaiseAmounts } from '../launch/budget-options.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { ServerSet } from '../mcp/server-set.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { EventLog } from '../store/event-log.ts';
import { type LinesReading, readLines, readTexts, type TextsReading } from '../store/log-reading.ts';
import type { ObservedEvent } from '../store/session-event.ts';
import { CancelledSchema, type InitializeAnswer, readAnswer } from '../wire/control-answers.ts';
import type { RateLimit } from '../wire/facts.ts';
import { isAtRest } from './at-rest.ts';
import { cursorOf, InterruptCall, PromptCall, parseCall, RaiseCall, SettledCall } from './call-options.ts';
import { ControlPath } from './control-path.ts';
import type { Conversation } from './conversation.ts';
import type { SessionUsage } from './cost-meter.ts';
import { errorOf } from './exit-cause.ts';
import type { Explanation } from './explanation.ts';
import { assertHere, handedOver } from './handed-over.ts';
import { type InterruptReceipt, interruptConversation } from './interrupt.ts';
import { assertCarried, type PromptInspection, parsePromptContent, parsePromptId } from './prompt-content.ts';
import { PromptDoubts } from './prompt-doubts.ts';
import { parsePromptFields } from './prompt-fields.ts';
import type { PromptContent, PromptOptions } from './prompt-record.ts';
import { type ControlOptions, SessionControls } from './session-controls.ts';
import type { SessionLife } from './session-life.ts';
import { SessionPermissions } from './session-permissions.ts';
import { assertOpen, assertTakesPrompts, assertWhole } from './session-refusals.ts';
import { type RuntimeSettings, shownSettings } from './session-settings.ts';
import { explanationOf, snapshotOf } from './session-view.ts';
import { untilSettled } from './settled.ts';
import type { StateChange } from './state-change.ts';
import type { Turn } from './turn.ts';
import type { TurnRecord } from './turn-history.ts';

/** The three words shared with the official SDK and with ACP. */
export type SessionStatus = 'idle' | 'running' | 'requires_action';

export interface SessionParts {
  readonly id: string;
  readonly key: string | undefined;
  /** The groups it is a member of, from the outermost. */
  readonly groups: readonly string[];
  readonly life: SessionLife;
  readonly conversation: Conversation;
  readonly desk: PermissionDesk;
  readonly log: EventLog;
  readonly settings: RuntimeSettings;
  readonly servers: ServerSet;
  readonly controlMs: number;
  /** The session was started with the second key to `bypassPermissions` (R93). */
  readonly mayBypass: boolean;
  /** False while the supervisor drains or stops: what runs may end, nothing new begins. */
  readonly admitsPrompts: () => boolean;
  readonly interruptMs: number;
  readonly clock: Clock;
  /** Options that have to be given again before anything may run, by path. */
  readonly missing?: readonly string[] | undefined;
  readonly raiseBudget?: ((amounts: RaiseAmounts) => void) | undefined;
  /** Starts a session of the same supervisor that goes on with a copy of the conversation. */
  readonly fork?: ((given: SessionOptions) => Promise<Session>) | undefined;
  readonly redaction: Redaction;
  /** Why no prompt may be accepted at present: it could not be kept. */
  readonly storeRefusal?: (() => TroupeError | undefined) | undefined;
  /** What the dialect of its processes cannot carry of a prompt; none where that is not everything. */
  readonly promptFault?: PromptInspection | undefined;
}

/** Reaches into the class, so that nobody who holds a session sees it. */
let switchParts: (session: Session, parts: SessionParts) => void;
let partsOf: (session: Session) => SessionParts;

/** A supervised conversation with Claude Code: a durable identity that outlives the processes that serve it. */
export class Session extends SessionControls implements AsyncDisposable {
  readonly id: string;
  /** The open and settled permission requests, and how to answer them. */
  readonly permissions: SessionPermissions;
  /** The prompts that were cut off and wait for a decision (`onPromptLost: 'ask'`). */
  readonly doubts: PromptDoubts;
  /** Resolves when the session is over here, for good or because another supervisor goes on with it. Never rejects. */
  readonly ended: Promise<{ reason: 'closed' | 'failed' | 'handed-over'; error: TroupeError | undefined }>;
  #parts: SessionParts;
  #path: ControlPath;
  #end: (end: Awaited<SessionLife['ended']>) => void = () => {};

  constructor(parts: SessionParts) {
    super();
    this.id = parts.id;
    this.#parts = parts;
    this.#path = this.#pathOf(parts);
    this.permissions = new SessionPermissions(() => this.#parts);
    this.doubts = new PromptDoubts(parts.conversation, () => assertHere(this.#parts.log, this.id));
    const ended = new Promise<Awaited<SessionLife['ended']>>((resolve) => {
      this.#end = resolve;
    });
    void parts.life.ended.then(this.#end);
    this.ended = ended.then(({ cause }) => {
      if (parts.log.isSealed) return { reason: 'handed-over', error: handedOver({ id: this.id }) };
      const reason = cause.code === 'closed' ? 'closed' : 'failed';
      return { reason, error: reason === 'closed' ? undefined : errorOf(cause) };
    });
  }

  static {
    partsOf = (session) => session.#parts;
    switchParts = (session, parts) => {
      session.#parts = parts;
      session.#path = session.#pathOf(parts);
      void parts.life.ended.then(session.#end);
    };
  }

  /** What the caller said this session works on. */
  get key(): string | undefined {
    return this.#parts.key;
  }

  /** The ids of the groups it is a member of, from the outermost; empty for one that stands alone. */
  get groups(): readonly string[] {
    return this.#parts.groups;
  }

  /** The session machine's state while a process lives, else the state of its supervision. */
  get state(): StateChange['state'] {
    return this.#parts.life.state;
  }

  get status(): SessionStatus {
    if (this.permissions.pending().length + this.doubts.pending().length > 0) return 'requires_action';
    return this.#parts.conversation.isWorking ? 'running' : 'idle';
  }

  /** Undefined while there is no process. */
  get pid(): number | undefined {
    // Between two prompts a session of dialect `print` has none.
    return this.#parts.life.incarnation?.pid || undefined;
  }

  /** Number of the newest incarnation, from 1; the epoch of its events. */
  get incarnation(): number {
    return this.#parts.life.epoch;
  }

  /** The CLI's own id of the conversation; undefined before the first turn, and it may change. */
  get conversationId(): string | undefined {
    return this.#parts.conversation.facts.conversationId;
  }

  /** What the CLI told about itself: version, model, mode, capabilities. */
  get facts() {
    return this.#parts.conversation.facts;
  }

  /**
   * Sends a prompt. Before the session is ready it waits in line. Throws INVALID_PROMPT, PROMPT_QUEUE_FULL, SESSION_BUSY,
   * PROMPT_ID_USED, SESSION_CLOSED, SESSION_QUARANTINED, or STORE_* while nothing can be stored; what happens later is the turn's result.
   */
  prompt(content: PromptContent, options: PromptOptions = {}): Turn {
    const checked = parsePromptContent(content);
    const { id: givenId, onBusy = 'enqueue', ...more } = parseCall(PromptCall, options, 'options');
    const fields = parsePromptFields(more.fields);
    const isUntrusted = more.untrusted === true || fields?.client_composed === true;
    const id = givenId === undefined ? randomUUID() : parsePromptId(givenId, this.#parts.redaction.isIn);
    assertTakesPrompts(this.#parts);
    assertCarried({ content: checked, fields, isUntrusted }, this.#parts.promptFault);
    const { conversation } = this.#parts;
    const isBusy = conversation.ledger.outstanding.length > 0 || conversation.isTurnOpen;
    const { turn, isNew } = conversation.accept(id, checked, { onBusy, isUntrusted, fields, from: more.from });
    // The receipt is nobody's to read here; the interrupted turn tells its own end.
    if (onBusy === 'interrupt' && isBusy && isNew) this.#interrupt({ except: id }).catch(() => {});
    return turn;
  }

  /** The turn of the prompt with this id, also of one that has ended; undefined when it is not, or no longer, kept. */
  turn(id: string): Turn | undefined {
    return this.#parts.conversation.turn(id);
  }

  /**
   * Takes back a prompt that has not begun. True: it will not run, and its turn ends as `cancelled`. False: it is too late,
   * or no such prompt is known. One that was written already is asked back from the CLI, which may reject as `control` does.
   */
  async cancelPrompt(id: string, options: ControlOptions = {}): Promise<boolean> {
    assertHere(this.#parts.log, this.id);
    const { ledger } = this.#parts.conversation;
    if (ledger.cancelQueued(id)) return true;
    const record = ledger.outstanding.find((candidate) => candidate.id === id);
    if (record?.state !== 'delivered') return false;
    const answer = await this.control('cancel_async_message', { message_uuid: record.wireId }, options);
    const { cancelled } = readAnswer(CancelledSchema, 'cancel_async_message', answer);
    // Releases without a lifecycle tell nothing more.
    if (cancelled) ledger.onLifecycle(record.wireId, 'cancelled');
    return cancelled;
  }

  /**
   * Stops the running turn and resolves when it has ended. `cancelled` names prompts that will not run any more,
   * `stillQueued` those that will. Rejects with INTERRUPT_TIMEOUT when the turn does not end in time; the process is then
   * replaced by one that resumes the conversation. CONTROL_UNSUPPORTED, CONTROL_REFUSED: the turn goes on.
   */
  async interrupt(options: { cancelQueued?: boolean } = {}): Promise<InterruptReceipt> {
    const call = parseCall(InterruptCall, options, 'options');
    assertHere(this.#parts.log, this.id);
    return this.#interrupt(call);
  }

  /**
   * Sends any control request and resolves with the payload of the answer. Rejects with CONTROL_REFUSED,
   * CONTROL_UNSUPPORTED, CONTROL_TIMEOUT (releases up to 2.1.19 never answer what they do not know: WIRE §9), NO_PROCESS,
   * SESSION_CLOSED or ABORTED, or with the reason the process ended.
   */
  override async control(
    subtype: string,
    payload: Record<string, unknown> = {},
    options: ControlOptions = {},
  ): Promise<Record<string, unknown>> {
    return this.#path.ask(subtype, payload, options);
  }

  /**
   * Says `initialize` once more: questions that were open are asked again, each once. Refused with CONTROL_UNSUPPORTED
   * where the release is unknown or older than 2.1.197, because some of those end on it (WIRE §1).
   */
  async reinitialize(options: ControlOptions = {}): Promise<InitializeAnswer> {
    await this.#path.reinitialize(options);
    return this.initializationResult();
  }

  /**
   * The events after the cursor (`seq`, default 0: from the beginning), first the kept ones, then `replay.completed`, then
   * live until the session is over. A reader that falls behind gets `subscriber.lagged` and goes on from there.
   */
  events(options: { from?: number } = {}): AsyncIterableIterator<ObservedEvent> {
    return this.#parts.log.follow(cursorOf(options));
  }

  /** The lines of the CLI as `events` has them: bytes, many lines at a time, nothing parsed. Other events are left out. */
  lines(options: { from?: number } = {}): LinesReading {
    return readLines(this.#parts.log, cursorOf(options));
  }
  /** What the model says as it writes it, with `includePartialMessages`: the texts of its pieces, as `events` has them. */
  texts(options: { from?: number } = {}): TextsReading {
    return readTexts(this.#parts.log, cursorOf(options));
  }

  /** The state changes of the session, oldest first. */
  history(): readonly StateChange[] {
    return [...this.#parts.life.history()];
  }

  /** Tokens and money used so far, by model too; unknown is undefined, not 0. Per turn: `turns()`. */
  usage(): SessionUsage {
    return this.#parts.conversation.usage();
  }

  /**
   * Adds to what this session may spend; one that was parked for it goes on. The same as `supervisor.raiseBudget` with this
   * session as the scope. Throws INVALID_OPTIONS where it has no limit of that unit.
   */
  raiseBudget(amounts: RaiseAmounts): void {
    this.#parts.raiseBudget?.(parseCall(RaiseCall, amounts, 'amounts'));
  }

  /** The newest 1000 turns, oldest first, with what each used: prompts, and turns the CLI began by itself. */
  turns(): readonly TurnRecord[] {
    return this.#parts.conversation.turns();
  }

  /** The limits of the account by window, as the CLI last told them; empty where it told none, as with an API key. */
  rateLimits(): Readonly<Record<string, RateLimit>> {
    return this.#parts.conversation.rateLimits();
  }

  /** The state of everything, as JSON. */
  snapshot() {
    return snapshotOf(this, this.#parts);
  }

  /** Why the session is where it is, and what would move it on. */
  explain(): Explanation {
    return explanationOf(this, this.#parts);
  }

  /**
   * Resolves when no prompt and no background agent of the session works any more, at most after `ceilingMs`. Background
   * shells do not count: a server that was started there may run for ever (R19).
   */
  async settled(options: { ceilingMs?: number | undefined } = {}): Promise<void> {
    const { ceilingMs = Number.POSITIVE_INFINITY } = parseCall(SettledCall, options, 'options');
    return untilSettled(this.#parts, ceilingMs);
  }

  /**
   * Starts again at once after a quarantine, in a backoff, or out of hibernation; otherwise it changes nothing. Throws
   * SESSION_PARKED, with the reason and the end of the wait, while something stands in the way of its work.
   */
  restart(): void {
    assertOpen(this.#parts);
    assertWhole(this.#parts);
    const refusal = this.#parts.life.parking.refusal(this.id);
    if (refusal !== undefined) throw refusal;
    this.#parts.life.wake();
  }

  /**
   * Starts a session of the same supervisor that goes on with a copy of the conversation, as it is recorded at that moment, and
   * resolves as `supervisor.start` does. It has an id, a queue and a log of its own, and the options of this one (model, mode and
   * MCP servers as they are now) where none are given; this session goes on untouched. Rejects with FORK_REFUSED (`details.why`:
   * `no-conversation`, `not-kept`, `group-member`), SESSION_CLOSED, OPTIONS_MISSING, or as `start` does.
   */
  async fork(options: SessionOptions = {}): Promise<Session> {
    assertOpen(this.#parts);
    assertWhole(this.#parts);
    const { fork } = this.#parts;
    if (fork === undefined) throw new TroupeError('FORK_REFUSED', { details: { id: this.id, why: 'no-supervisor' } });
    return fork(options);
  }

  /**
   * Ends the process and keeps the session with its conversation; the next prompt starts a process again. Resolves when the
   * process tree is gone. Rejects with SESSION_BUSY while a turn, background work or a permission request is open, or a prompt
   * waits for a process that starts, and with SESSION_CLOSED. Where no process is, it changes nothing. `timeouts.idleMs` does the same by itself.
   */
  async hibernate(): Promise<void> {
    assertOpen(this.#parts);
    const { life, conversation, desk } = this.#parts;
    const isExpected = life.incarnation !== undefined && conversation.ledger.hasNext;
    if (isExpected || !isAtRest({ life, conversation, desk }))
      throw new TroupeError('SESSION_BUSY', { details: { id: this.id, state: this.state } });
    life.pause('hibernate');
    await conversation.until(() => !life.childSnapshot().matches('pausing'));
  }

  /**
   * Ends the session: the CLI is asked to leave, then signalled, then killed with its whole process tree, each after its
   * grace. Resolves when the end was seen. Idempotent. Rejects with HANDED_OVER.
   */
  async close(): Promise<void> {
    assertHere(this.#parts.log, this.id);
    this.#parts.life.stop('close');
    await this.ended;
  }

  /** Ends the session and its process tree by force, at once. Resolves when the end was seen. Rejects with HANDED_OVER. */
  async kill(): Promise<void> {
    assertHere(this.#parts.log, this.id);
    this.#parts.life.stop('kill');
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#parts.log.isSealed) await this.ended;
    else await this.close();
  }

  protected override get settings(): RuntimeSettings {
    return this.#parts.settings;
  }

  protected override get servers(): ServerSet {
    return this.#parts.servers;
  }

  protected override get mayBypass(): boolean {
    return this.#parts.mayBypass;
  }

  protected override changed(setting: string): void {
    // It may have ended since it was asked: nothing follows its end in the log (P7).
    assertOpen(this.#parts);
    const { log, life } = this.#parts;
    const value = shownSettings(this.settings)[setting];
    log.append(life.epoch, { type: 'session.settings-changed', setting, value });
  }

  protected override initialized(options: ControlOptions): Promise<Readonly<Record<string, unknown>>> {
    return this.#path.initialized(options);
  }

  protected override reach(options: ControlOptions): Promise<boolean> {
    return this.#path.reach(options);
  }

  #interrupt(options: { cancelQueued?: boolean | undefined; except?: string }): Promise<InterruptReceipt> {
    const { life, conversation, interruptMs, clock } = this.#parts;
    return interruptConversation({ life, conversation, interruptMs, clock, ...options });
  }

  #pathOf({ life, conversation, clock, controlMs }: SessionParts): ControlPath {
    return new ControlPath({ life, conversation, clock, controlMs, assertOpen: () => assertOpen(this.#parts) });
  }
}

/** The session was held, and somebody has taken it over with options of their own. */
export const goOnWith = (session: Session, parts: SessionParts): void => switchParts(session, parts);

/** For those who serve it to others: events as they are published, and pages of what was. */
export const logOf = (session: Session): EventLog => partsOf(session).log;
