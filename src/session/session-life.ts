import { type Actor, createActor } from 'xstate';
import { consequenceOf, type PauseReason } from '../../machines/child/child.context.ts';
import type { ChildEvent, ChildStateName } from '../../machines/child/child.events.ts';
import type { childMachine } from '../../machines/child/child.machine.ts';
import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { EndCause, SessionStateName } from '../../machines/session/session.events.ts';
import type { Answer } from '../control/pending-requests.ts';
import { SparseSet } from '../sparse.ts';
import type { SessionFact, WatchdogFact } from '../store/session-event.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { readInitializeAnswer } from '../wire/initialize-answer.ts';
import type { LineRun } from '../wire/line-run.ts';
import { aborted } from './aborted.ts';
import type { Admission } from './admission.ts';
import { childFacts, isReturning } from './child-facts.ts';
import { HANDS, type IncarnationPort, MACHINE } from './child-hands.ts';
import { causeOf, errorOf, lossOf, turnOverdue } from './exit-cause.ts';
import type { Incarnation, IncarnationListener } from './incarnation.ts';
import { ParkingPlace, parkingIn } from './parking-place.ts';
import { endedFact, type SessionEnd } from './session-end.ts';
import type { SessionLifeOptions } from './session-life-options.ts';
import { settledReplay } from './session-settings.ts';
import type { StateChange } from './state-change.ts';
import { seenInContext } from './unrecorded.ts';

/** Where nothing is started before somebody asks. A wait for the next start in its turn keeps the slot. */
const WITHOUT_SLOT: ReadonlySet<string> = new Set(['hibernated', 'quarantined', 'parked', 'stopped']);

const HISTORY_KEPT = 1_000;

/** A session over its incarnations: admission, start, restart, end. The child machine decides; this does. */
export class SessionLife {
  readonly ended: Promise<SessionEnd>;
  readonly parking: ParkingPlace;
  readonly #options: SessionLifeOptions;
  readonly #child: Actor<typeof childMachine>;
  readonly #history: StateChange[] = [];
  readonly #listeners = new SparseSet<() => void>();
  /** Of the last process of an earlier session with this id. */
  readonly #formerEpoch: number;
  #incarnation: Incarnation | undefined;
  #initializeAnswer: Answer | undefined;
  #state: StateChange['state'] = 'waiting';
  #lastExit: SessionOutput['exit'] = null;
  #wasForced = false;
  #isMakingRoom = false;
  #isCutOff = false;
  /** It did not ask for its pause. */
  #isPatient = false;
  /** It begins where another host left it. */
  #isComeback = false;
  #releaseStart: () => void = () => {};

  constructor(options: SessionLifeOptions) {
    this.#options = options;
    const { clock, inspect, child } = options;
    const { restored, incarnations = 0 } = child;
    this.#formerEpoch = restored === undefined ? incarnations : 0;
    if (restored !== undefined) {
      this.#state = restored.state;
      this.#isComeback = true;
      // Those with work come back at once, and nobody asked them to: each waits for a slot as long as it takes.
      this.#isPatient = true;
    }
    this.#child = createActor(MACHINE, {
      input: child,
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    HANDS.give(this.#child, { admit: (signal) => this.#admit(signal), serve: (port) => this.#serve(port) });
    this.#child.on('state.entered', ({ state }) => this.#childEntered(state));
    this.parking = new ParkingPlace({
      conversation: options.conversation,
      send: (event) => {
        if (!this.isOver) this.#child.send(event);
      },
      current: () => parkingIn(this.#state, this.#child.getSnapshot()),
      hasProcess: () => this.#incarnation !== undefined,
      barrier: options.barrier,
      lostFor: options.lostFor,
    });
    this.ended = new Promise((resolve) => {
      const end = (cause: EndCause) => {
        this.#finish(cause);
        const ended = { cause, exit: this.#lastExit };
        const told = () => options.log.whenPublished(() => resolve(ended));
        if (options.cleanUp === undefined) told();
        else void options.cleanUp().finally(told);
      };
      this.#child.subscribe({
        next: (snapshot) => {
          if (snapshot.status === 'done') end(snapshot.output.cause);
        },
        error: (error) => end(causeOf(error)),
      });
    });
  }

  /** The session machine's state while an incarnation lives, else the child's. */
  get state(): StateChange['state'] {
    this.#options.catchUp?.();
    return this.#state;
  }

  get incarnation(): Incarnation | undefined {
    return this.#incarnation;
  }

  /** What the present process answered to `initialize`; undefined before, and without a process. */
  get initializeAnswer(): Answer | undefined {
    return this.#initializeAnswer;
  }

  /** Number of the newest incarnation; before the first, that of an earlier session with this id, or 0. */
  get epoch(): number {
    return this.#child.getSnapshot().context.incarnation;
  }

  get isOver(): boolean {
    return this.#child.getSnapshot().status !== 'active';
  }

  childSnapshot() {
    return this.#child.getSnapshot();
  }

  history(): readonly StateChange[] {
    this.#options.catchUp?.();
    return this.#history;
  }

  begin(): void {
    this.#child.start();
  }

  /** Starts, or starts again at once: out of hibernation, backoff or quarantine. */
  wake(): void {
    if (!this.isOver) this.#child.send({ type: 'child.start' });
  }

  /** A prompt wakes a session that sleeps, or is about to. */
  wakeForPrompt(): void {
    const child = this.#child.getSnapshot();
    if (child.matches('hibernated') || child.matches('pausing') || child.matches('parked')) this.wake();
  }

  /**
   * Ends the process and keeps the session: until a prompt comes, until its group starts it, or for a new process at once.
   * `isCutOff`: a group restarts it with others, and nobody wished to stop what it works on.
   */
  pause(reason: Exclude<PauseReason, 'park'>, isCutOff = false): void {
    this.#isCutOff = isCutOff;
    if (!this.isOver) this.#child.send({ type: `child.${reason}` });
  }

  /** Somebody waits for its place: as `pause('hibernate')`, and told so. */
  makeRoom(): void {
    this.#isMakingRoom = true;
    this.pause('hibernate');
  }

  /** Nobody says that it is started again: what it is held for takes no slot. */
  rest(): void {
    if (this.#state === 'held') this.#options.admission.giveBack();
  }

  /** Its group has given up: kept, and started again only by hand. */
  setAside(): void {
    if (!this.isOver) this.#child.send({ type: 'child.quarantine' });
  }

  /** With a cause, that is why it ended. */
  stop(mode: 'close' | 'kill', cause?: EndCause): void {
    if (this.isOver) return;
    this.#child.start();
    this.#child.send({ type: 'child.stop', mode, ...(cause === undefined ? {} : { cause }) });
  }

  /** Another one goes on from here; its end is that of the session. */
  retire(): void {
    this.#child.stop();
  }

  /** Its place among those that may have a process. */
  get admission(): Pick<Admission, 'position' | 'lack'> {
    return this.#options.admission;
  }

  /** Calls the listener after each change of state. Returns the way to stop it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #admit(signal: AbortSignal): Promise<void> {
    // Parked, it is in line no more: the signal says so.
    if (!this.parking.admitsWork()) return aborted(signal);
    const release = await this.#options.admission.start(signal, this.#isPatient);
    if (signal.aborted) return release();
    this.#releaseStart = release;
    if (this.parking.admitsWork()) return;
    this.#freeStart();
    return aborted(signal);
  }

  #serve({ input, sendBack, receive }: IncarnationPort): void {
    const report = (event: ChildEvent) => sendBack(event); // sendBack alone accepts anything.
    const incarnation = this.#options.build(input.incarnation, new SessionLife.#Ear(this, input.incarnation, report));
    this.#incarnation = incarnation;
    this.#options.conversation.startProcess(input.incarnation);
    receive((command) => {
      if (command.type === 'incarnation.close') incarnation.tell({ type: 'session.close' });
      if (command.type === 'incarnation.kill') incarnation.tell({ type: 'session.kill' });
    });
    incarnation.start();
  }

  /** What one process is heard to say and do. A class of its own inside of this one, for it does what only the life may do. */
  static readonly #Ear = class implements IncarnationListener {
    readonly #life: SessionLife;
    readonly #epoch: number;
    readonly #report: (event: ChildEvent) => void;
    #wasReady = false;
    #isReplaying = false;

    constructor(life: SessionLife, epoch: number, report: (event: ChildEvent) => void) {
      this.#life = life;
      this.#epoch = epoch;
      this.#report = report;
    }

    spawned(pid: number): void {
      this.#append({ type: 'session.started', incarnation: this.#epoch, pid });
    }

    stateEntered(state: SessionStateName): void {
      const life = this.#life;
      const { conversation, clock } = life.#options;
      if (state === 'ready' || state === 'closing' || state === 'failed' || state === 'closed') life.#freeStart();
      if (state === 'closing') conversation.detach();
      life.#enter(state, this.#epoch);
      if (state !== 'ready' || life.#incarnation === undefined) return;
      const { conversationId } = conversation.facts;
      if (!this.#wasReady && this.#epoch > life.#formerEpoch + 1 && conversationId !== undefined) {
        this.#append({ type: 'session.resumed', conversationId });
      }
      const incarnation = life.#incarnation;
      const replayed = this.#wasReady ? [] : life.#options.replay(incarnation);
      // The child only wants to know that it was: later it comes back to it after each question.
      if (!this.#wasReady) this.#report({ type: 'incarnation.ready', at: clock.now() });
      this.#wasReady = true;
      if (replayed.length > 0) {
        this.#isReplaying = true;
        const tell = (detail: string) => this.#append({ type: 'diagnostic', reason: 'setting-not-restored', detail });
        void settledReplay(replayed, tell).then(() => {
          this.#isReplaying = false;
          if (incarnation.takesPrompts) conversation.attach(incarnation.delivery());
        });
      } else if (!this.#isReplaying) conversation.attach(incarnation.delivery());
    }

    statePassed(state: SessionStateName, within: () => void): void {
      this.#life.#enter(state, this.#epoch);
      within();
      this.#life.#enter('ready', this.#epoch);
    }

    initialized(answer: Answer): void {
      const { conversation } = this.#life.#options;
      this.#life.#initializeAnswer = answer;
      conversation.learn(readInitializeAnswer(answer));
      conversation.recheck();
    }

    message(message: CliMessage): void {
      const { conversation, onModeChanged } = this.#life.#options;
      const [former, { completedTurns }] = [conversation.facts.permissionMode, conversation];
      conversation.onMessage(message);
      const { permissionMode } = conversation.facts;
      if (conversation.completedTurns > completedTurns) this.#report({ type: 'incarnation.progressed' });
      if (permissionMode !== undefined && permissionMode !== former) onModeChanged(permissionMode);
    }

    run(run: LineRun): void {
      this.#life.#options.log.appendRun(this.#epoch, run);
    }

    ended(output: SessionOutput): void {
      this.#life.#incarnationEnded(output, this.#report);
    }

    idle(): void {
      this.#life.pause('hibernate');
    }

    overdue(what: 'turn' | 'interrupt', deadlineMs: number): void {
      this.#append({ type: 'diagnostic', reason: `${what}-overdue` });
      if (what === 'turn') this.#life.#options.conversation.onTurnInterrupted(turnOverdue(deadlineMs));
    }

    watched(fact: WatchdogFact, cause: EndCause): void {
      this.#append(fact);
      // A prompt that has not begun is sent again when the process is replaced.
      if (fact.type === 'watchdog.interrupted') this.#life.#options.conversation.onTurnInterrupted(errorOf(cause));
    }

    mcpChanged(server: string, status: string, reason: string | undefined): void {
      this.#append({ type: 'mcp.server-changed', server, status, ...(reason === undefined ? {} : { reason }) });
    }

    diagnostic(reason: string, detail: string, suppressed: number): void {
      this.#append({ type: 'diagnostic', reason, detail, ...(suppressed === 0 ? {} : { suppressed }) });
    }

    stderr(line: string): void {
      this.#append({ type: 'stderr', line });
      this.#life.#options.onStderr?.(line);
    }

    lastErrors(): readonly string[] {
      return this.#life.#options.conversation.lastErrors;
    }

    #append(fact: SessionFact): void {
      this.#life.#options.log.append(this.#epoch, fact);
    }
  };

  #incarnationEnded(output: SessionOutput, report: (event: ChildEvent) => void): void {
    const at = this.#options.clock.now();
    const { conversation, firstStart } = this.#options;
    const cause = seenInContext(output.cause, firstStart, conversation, this.epoch - this.#formerEpoch);
    this.parking.afterEnd(cause, this.#child.getSnapshot().context);
    const snapshot = this.#child.getSnapshot();
    // What waits is kept for the next process, whoever says when that comes.
    const consequence = snapshot.matches('pausing') ? 'hold' : consequenceOf(snapshot.context, cause, at);
    const isRestarting = !snapshot.matches('stopping') && (consequence === 'restart' || consequence === 'hold');
    this.#incarnation = undefined;
    this.#initializeAnswer = undefined;
    this.#lastExit = output.exit;
    this.#wasForced = output.wasForced;
    const isCutOff = this.#isCutOff && snapshot.matches('pausing');
    // What becomes of its prompts the next host decides.
    if (!this.#options.log.isSealed) conversation.onProcessLost({ isRestarting, ...lossOf(cause, isCutOff) });
    report({ type: 'incarnation.ended', cause, at, chance: this.#options.chance() });
  }

  #childEntered(state: ChildStateName): void {
    const { log, admission } = this.#options;
    const { context } = this.#child.getSnapshot();
    const [from, isComeback, isMakingRoom] = [this.#state, this.#isComeback, this.#isMakingRoom];
    this.#isComeback = false;
    if (state !== 'pausing') this.#isMakingRoom = false;
    // Whoever wakes a sleeper, or starts what is held, waits no longer than `admissionMs`, whichever host left it so (P5).
    const isAsleep = state === 'quarantined' || ((state === 'hibernated' || state === 'held') && from !== 'parked');
    if (state === 'running' || isAsleep) this.#isPatient = false;
    if (WITHOUT_SLOT.has(state)) admission.giveBack();
    // While an incarnation lives, and right after its last word, its own states are shown: they say more.
    if (state === 'running' || state === 'stopping' || state === 'pausing') return;
    if (state === 'stopped' && (this.#state === 'closed' || this.#state === 'failed')) return;
    if (isComeback || state !== 'parked' || this.#state !== 'parked') this.#enter(state, context.incarnation);
    if (state === 'parked') this.#isPatient = true;
    // It was so under the host before, and its log says so.
    if (isComeback) return;
    const returned = isReturning(state, from) && context.cause !== null ? errorOf(context.cause) : undefined;
    for (const fact of childFacts(state, context, isMakingRoom)) log.append(context.incarnation, fact);
    if (state === 'hibernated' && from !== 'waiting') this.#options.conversation.goOn();
    if (returned !== undefined) this.#options.conversation.ledger.returnQueued(returned);
  }

  #enter(state: StateChange['state'], epoch: number): void {
    const from = this.#history.at(-1)?.state;
    this.#state = state;
    this.#history.push({ state, epoch, at: this.#options.clock.now() });
    if (this.#history.length > HISTORY_KEPT) this.#history.shift();
    this.#options.log.append(epoch, { type: 'session.state-changed', state, from });
    for (const listener of [...this.#listeners]) listener();
    this.#options.conversation.recheck();
  }

  #finish(cause: EndCause): void {
    const { log, conversation } = this.#options;
    this.#freeStart();
    this.#options.admission.giveBack();
    conversation.detach();
    if (!log.isSealed) conversation.ledger.returnQueued(errorOf(cause));
    log.append(this.epoch, endedFact({ cause, exit: this.#lastExit }, this.#wasForced));
    log.finish();
    conversation.recheck();
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  #freeStart(): void {
    this.#releaseStart();
    this.#releaseStart = () => {};
  }
}
