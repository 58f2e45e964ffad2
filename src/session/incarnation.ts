import { type Actor, createActor, fromCallback } from 'xstate';
import type { SessionOutput, SessionTimeouts } from '../../machines/session/session.context.ts';
import type { EndCause, LinkCommand, SessionEvent, SessionStateName } from '../../machines/session/session.events.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import type { LinkInput } from '../../machines/session/session.ports.ts';
import type { AwakeClock } from '../clock.ts';
import type { Answer } from '../control/pending-requests.ts';
import type { HookDesk } from '../hooks/hook-desk.ts';
import { McpDesk } from '../mcp/mcp-desk.ts';
import type { ServerSet } from '../mcp/server-set.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { WatchdogFact } from '../store/session-event.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { Codec } from '../wire/codec.ts';
import type { LineRun } from '../wire/line-run.ts';
import { CliLink, type CliLinkOptions } from './cli-link.ts';
import { handlingOf } from './cli-questions.ts';
import { type Deadline, StateTimes, stallDeadline } from './deadlines.ts';
import type { Delivery } from './delivery.ts';
import { causeOf } from './exit-cause.ts';
import { Hands } from './hands.ts';
import { LinkListener } from './link-listener.ts';
import type { PromptRecord } from './prompt-record.ts';
import { stallCause, TurnWatch, watchdogFact, type watchLimits } from './turn-watch.ts';

export interface IncarnationListener {
  stateEntered(state: SessionStateName): void;
  /** It was in a state for a moment, in which `within` belongs, and is ready again. */
  statePassed(state: 'awaiting-permission', within: () => void): void;
  spawned(pid: number): void;
  initialized(answer: Answer): void;
  message(message: CliMessage): void;
  /** In place of as many messages as it has lines: pieces of a text of the main conversation. Its bytes are lent for the call. */
  run(run: LineRun): void;
  /** Its machine is done: the process tree is gone, unless `survivors` says otherwise. */
  ended(output: SessionOutput): void;
  /** Nothing happened for `timeouts.idleMs`. */
  idle(): void;
  /** A deadline passed, of this many milliseconds. */
  overdue(what: 'turn' | 'interrupt', deadlineMs: number): void;
  /** What the watchdog did, and what is blamed for it. */
  watched(fact: WatchdogFact, cause: EndCause): void;
  mcpChanged(server: string, status: string, reason: string | undefined): void;
  diagnostic(reason: string, detail: string, suppressed: number): void;
  stderr(line: string): void;
  lastErrors(): readonly string[];
}

export interface IncarnationOptions {
  readonly id: string;
  readonly number: number;
  readonly codec: Codec;
  /** For all its waits: the sleep of the host is no time of theirs. */
  readonly clock: AwakeClock;
  readonly open: CliLinkOptions['open'];
  readonly plan: CliLinkOptions['plan'];
  readonly timeouts: SessionTimeouts & { readonly controlMs: number } & Parameters<typeof watchLimits>[0];
  readonly limits: CliLinkOptions['limits'];
  readonly servers: ServerSet;
  readonly permissions: PermissionDesk;
  readonly hooks: HookDesk;
  /** Prompts are no commands, whatever they begin with. */
  readonly isVerbatim: boolean;
  /** Why the CLI, by what it says of itself, must not serve this session; undefined when it may. */
  readonly refuse: CliLinkOptions['refuse'];
  readonly whenPublished: CliLinkOptions['whenPublished'];
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly listener: IncarnationListener;
  /** Beside the listener, for what the machine hears of the end of the process. */
  readonly redaction: Redaction;
}

/** Much longer than the real CLI takes to answer `initialize`; milliseconds. */
const SPELL_AGAIN_MS = 10_000;

const LINKS = new Hands<CliLink>();
const MACHINE = sessionMachine.provide({
  actors: { cliLink: fromCallback<LinkCommand | SessionEvent, LinkInput>((port) => LINKS.of(port).serve(port)) },
});

/** One CLI process serving a session, from spawn to the seen end of its tree: the machine and its hands. */
export class Incarnation {
  readonly number: number;
  readonly actor: Actor<typeof sessionMachine>;
  readonly #options: IncarnationOptions;
  readonly #link: CliLink;
  readonly #mcp: McpDesk;
  readonly #watch: TurnWatch;
  readonly #times: StateTimes;
  /** What belongs in the state that its machine is about to pass through. */
  #passing: (() => void) | undefined;

  constructor(options: IncarnationOptions) {
    this.number = options.number;
    this.#options = options;
    this.#mcp = this.#buildMcp();
    this.#watch = this.#buildWatch();
    this.#link = this.#buildLink();
    const { id, timeouts, clock, inspect } = options;
    this.actor = createActor(MACHINE, {
      input: { id, incarnation: options.number, mcpServers: this.#mcp.specs, timeouts },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    LINKS.give(this.actor, this.#link);
    this.#times = new StateTimes(this.actor, clock);
    this.#listen();
  }

  get channel() {
    return this.#link.channel;
  }

  get pid(): number | undefined {
    return this.#link.pid;
  }

  /** True while it is set up and nobody has asked it to end. */
  /** Lines to the process that wait for the log. */
  get heldLines(): number {
    return this.#link.heldLines;
  }

  get takesPrompts(): boolean {
    const snapshot = this.actor.getSnapshot();
    return snapshot.matches('ready') || snapshot.matches('awaiting-permission');
  }

  /** What will be done if nothing happens, by the wall clock. */
  deadlines(): readonly Deadline[] {
    const armed = [...this.#times.deadlines(), ...this.#watch.deadlines().map(stallDeadline)];
    return armed.map((deadline) => ({ ...deadline, at: this.#options.clock.wallTime(deadline.at) }));
  }

  start(): void {
    this.actor.start();
  }

  /** Asks for `initialize` again on the living process; rejects as a control request does. */
  reinitialize(options: { deadlineMs: number; signal?: AbortSignal | undefined }): Promise<void> {
    return this.#link.reinitialize(options);
  }

  /** Somebody switched or connected an MCP server: the CLI is asked what became of it. */
  lookAtServers(): void {
    this.#mcp.lookAtAll();
  }

  /** Tells the machine something; after its end nobody listens any more. */
  tell(event: SessionEvent): void {
    if (this.actor.getSnapshot().status === 'active') this.actor.send(event);
  }

  /**
   * A permission request was opened and settled in one moment. Where its machine takes that for a state, the settlement is
   * told in it; else by itself. A machine that would only say that it was so is not asked.
   */
  passPermission(settle: () => void): void {
    if (this.actor.getSnapshot().hasTag('unmoved-by-passage')) {
      this.#options.listener.statePassed('awaiting-permission', settle);
      return;
    }
    this.#passing = settle;
    this.tell({ type: 'permission.passed' });
    this.#takePassing()?.();
  }

  #takePassing(): (() => void) | undefined {
    const passing = this.#passing;
    this.#passing = undefined;
    return passing;
  }

  /** The way the conversation reaches this process. */
  delivery(): Delivery {
    const { isVerbatim } = this.#options;
    let tasks = 0;
    return {
      epoch: this.number,
      deliver: (record: PromptRecord, content) => {
        const line = this.#options.codec.encodePrompt({
          uuid: record.wireId,
          content,
          fields: record.fields,
          isVerbatim: isVerbatim || record.isUntrusted,
        });
        // A prompt that cannot be written has no process any more: its end decides what becomes of the prompt.
        this.#link.write(line, { rests: true, isMoot: () => record.state === 'ended' }).catch(() => {});
      },
      setWorking: (isWorking) => this.tell({ type: isWorking ? 'work.started' : 'work.ended' }),
      setTasks: (count) => {
        if (count !== tasks) this.tell({ type: 'background.changed', count });
        tasks = count;
        this.#watch.setBackground(count);
      },
      setOwed: (isOwed) => this.#watch.setOwed(isOwed),
      turnStarted: () => this.tell({ type: 'turn.started', at: this.#options.clock.now() }),
      turnEnded: () => {
        this.tell({ type: 'turn.ended' });
        this.#options.permissions.loseUnasked();
        this.#mcp.look();
      },
    };
  }

  #listen(): void {
    const { listener, permissions } = this.#options;
    let wasSpawned = false;
    const entered = (state: SessionStateName) => {
      if (!wasSpawned && this.#link.pid !== undefined) {
        wasSpawned = true;
        listener.spawned(this.#link.pid);
      }
      if (state === 'closing') {
        this.#watch.stop();
        permissions.withdrawAll('The session is closing.');
      }
      listener.stateEntered(state);
    };
    const { turnMs, interruptMs } = this.#options.timeouts;
    this.actor.on('*', (notice) => {
      if (notice.type === 'state.entered') entered(notice.state);
      if (notice.type === 'state.passed') {
        const within = this.#takePassing();
        if (within !== undefined) listener.statePassed('awaiting-permission', within);
      }
      if (notice.type === 'idle.overdue') listener.idle();
      if (notice.type === 'turn.overdue') listener.overdue('turn', turnMs);
      if (notice.type === 'interrupt.overdue') listener.overdue('interrupt', interruptMs);
    });
    this.actor.subscribe({
      next: (snapshot) => {
        if (snapshot.status === 'done') this.#end(snapshot.output);
      },
      // A machine that throws is a fault of ours: the session fails with it instead of taking the host down.
      error: (error) => this.#end({ cause: causeOf(error), exit: null, wasForced: false, survivors: [] }),
    });
  }

  #end(output: SessionOutput): void {
    this.#watch.stop();
    this.#mcp.close();
    this.#options.permissions.withdrawAll('The CLI process is gone.');
    const cause = this.#link.withEvidence(output.cause);
    this.#link.cut(cause);
    this.#options.listener.ended({ ...output, cause });
  }

  #buildLink(): CliLink {
    const {
      codec,
      clock,
      open,
      plan,
      limits,
      timeouts,
      listener,
      permissions,
      hooks,
      refuse,
      redaction,
      whenPublished,
    } = this.#options;
    const link = new CliLink({
      codec,
      clock,
      open,
      plan,
      limits,
      killGraceMs: timeouts.killGraceMs,
      controlMs: timeouts.controlMs,
      spellAgainMs: Math.min(SPELL_AGAIN_MS, timeouts.initializeMs / 4),
      listener: new LinkListener({ listener, permissions, mcp: this.#mcp, watch: this.#watch }),
      refuse,
      redaction,
      whenPublished,
    });
    const desks = { permissions, hooks, mcp: this.#mcp, watch: this.#watch };
    link.channel.answerBy((subtype) => handlingOf(subtype, desks));
    return link;
  }

  #buildWatch(): TurnWatch {
    const { id, number, clock, timeouts, inspect, listener } = this.#options;
    return new TurnWatch({
      id,
      incarnation: number,
      clock,
      timeouts,
      inspect,
      onNotice: (notice) => {
        const cause = stallCause(notice);
        listener.watched(watchdogFact(notice, clock), cause);
        if (notice.type !== 'watchdog.interrupted') return;
        this.tell({ type: 'session.interrupt', cause });
        this.channel.request('interrupt', {}, { deadlineMs: timeouts.controlMs }).catch(() => {});
      },
      onResumed: (gapMs) => listener.diagnostic('host-resumed', `The host stood still for ${gapMs} ms.`, 0),
    });
  }

  #buildMcp(): McpDesk {
    const { clock, timeouts, inspect, listener, servers } = this.#options;
    return new McpDesk({
      clock,
      servers,
      connectMs: timeouts.mcpServerMs,
      controlMs: timeouts.controlMs,
      inspect,
      channel: () => this.channel,
      onNews: (news) => this.tell(news),
      onChanged: (server, status, reason) => listener.mcpChanged(server, status, reason),
    });
  }
}
