import type { CliEvent, EndCause, LinkCommand, SessionEvent } from '../../machines/session/session.events.ts';
import type { Clock } from '../clock.ts';
import type { ControlDecoded } from '../control/control-channel.ts';
import { ControlChannel, type ControlOddity } from '../control/control-channel.ts';
import type { Answer } from '../control/pending-requests.ts';
import { TroupeError } from '../errors.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { LaunchPlan, OpenTransport, Transport } from '../transport/transport.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { Codec } from '../wire/codec.ts';
import type { LineRun } from '../wire/line-run.ts';
import { causeOf, errorOf, exitCause, shownTail } from './exit-cause.ts';
import { type GatedLine, LineGate, type LineGateOptions } from './line-gate.ts';
import { LineReader } from './line-reader.ts';

export interface CliLinkListener {
  message(message: CliMessage): void;
  /** In place of as many messages as it has lines; its bytes are lent for the call. */
  run(run: LineRun): void;
  initialized(answer: Answer): void;
  diagnostic(reason: string, detail: string, suppressed: number): void;
  stderr(line: string): void;
  /** Texts of the newest error result: the reason the CLI itself gave for what follows. */
  lastErrors(): readonly string[];
}

export interface CliLinkOptions {
  readonly codec: Codec;
  readonly clock: Clock;
  readonly open: OpenTransport;
  readonly plan: () => Promise<{ plan: LaunchPlan; initialize: Record<string, unknown> }>;
  readonly limits: { readonly maxLineBytes: number; readonly maxControlPending: number };
  readonly killGraceMs: number;
  readonly controlMs: number;
  /** How long the answer to `initialize` is waited for before it is spelled in every way; milliseconds. */
  readonly spellAgainMs: number;
  readonly listener: CliLinkListener;
  /** For what is told of the process beside its lines: why it ended, why it refused. */
  readonly redaction: Redaction;
  /** What is written waits for it where it rests on what was logged. */
  readonly whenPublished: LineGateOptions['whenPublished'];
  /** Looks at the answer to `initialize`; an error refuses the process before anything is asked of it. */
  readonly refuse: (answer: Answer) => TroupeError | undefined;
}

/** What the machine gives to its port. */
export interface LinkPort {
  readonly sendBack: (event: SessionEvent) => void;
  readonly receive: (listener: (command: LinkCommand | SessionEvent) => void) => void;
}

/** How long a process that closed one of its pipes may take to end by itself. */
const PIPE_LOST_MS = 2_000;

/** The hands of the session machine: one CLI process, its pipes and its control channel. */
export class CliLink {
  readonly channel: ControlChannel;
  readonly #options: CliLinkOptions;
  readonly #reader: LineReader;
  readonly #gate: LineGate;
  #report: (event: CliEvent) => void = () => {};
  #transport: Transport | undefined;
  #initialize: Record<string, unknown> = {};
  #executable: string | undefined;
  #isInitialized = false;
  #isInputLost = false;
  #isCut = false;
  /** What was asked before the process existed; done as soon as it does. */
  #wants: 'nothing' | 'end-input' | 'terminate' | 'reap' = 'nothing';

  constructor(options: CliLinkOptions) {
    this.#options = options;
    this.#gate = new LineGate({ write: (line) => this.#put(line), whenPublished: options.whenPublished });
    this.channel = new ControlChannel({
      codec: options.codec,
      clock: options.clock,
      write: (line, about) => this.write(line, about),
      maxPending: options.limits.maxControlPending,
      onOddity: (oddity: ControlOddity) => options.listener.diagnostic(oddity.reason, oddity.requestId, 0),
    });
    this.#reader = new LineReader({
      codec: options.codec,
      maxLineBytes: options.limits.maxLineBytes,
      listener: {
        message: (message) => options.listener.message(message),
        run: (run) => options.listener.run(run),
        control: (decoded) => this.channel.accept(this.#withCleanError(decoded)),
        diagnostic: (reason, detail, suppressed) => options.listener.diagnostic(reason, detail, suppressed),
        overflow: (error) => this.#report({ type: 'cli.faulted', cause: causeOf(error) }),
        mismatch: (error) => this.#mismatched(error),
      },
    });
  }

  /** Serves as the port of its machine. */
  serve({ sendBack, receive }: LinkPort): () => void {
    const report = (event: CliEvent) => sendBack(event); // sendBack alone accepts anything.
    receive((command) => this.#obey(command));
    void this.#open(report);
    // Nobody awaits this: the graceful way out is the machine's `closing` state.
    return () => {
      this.#wants = 'reap';
      this.#catchUp();
    };
  }

  /** Lines that wait for the log. */
  get heldLines(): number {
    return this.#gate.size;
  }

  get pid(): number | undefined {
    return this.#transport?.pid;
  }

  /** A failure with the evidence of the process beside it: a deadline that passed knows none of its own (R01). */
  withEvidence(cause: EndCause): EndCause {
    if (this.#transport === undefined || cause.code === 'closed') return cause;
    const { pid } = this.#transport;
    const evidence = { pid, executable: this.#executable, stderrTail: shownTail(this.#stderrTail(this.#transport)) };
    return { ...cause, details: { ...evidence, ...cause.details } };
  }

  /** Says `initialize` once more; what it answers replaces the first answer, and open questions come again. */
  async reinitialize(options: { deadlineMs: number; signal?: AbortSignal | undefined }): Promise<void> {
    const answer = await this.channel.request('initialize', this.#initialize, options);
    this.#options.listener.initialized(answer);
    this.#redeliver(answer);
  }

  /** Puts one line on the CLI's input, in order; rejects with NO_PROCESS or CLI_INPUT_CLOSED. */
  write(line: string, about?: GatedLine): Promise<void> {
    return this.#gate.put(line, about);
  }

  #put(line: string): Promise<void> {
    const transport = this.#transport;
    if (transport === undefined) return Promise.reject(new TroupeError('NO_PROCESS'));
    // The dialect has no words for it.
    if (line === '') return Promise.resolve();
    return transport.write(line).catch((error: unknown) => {
      this.#awaitEndOf(transport, error);
      throw error;
    });
  }

  /** A process that stopped reading mostly ends, and its end tells why (R22); one that lives on serves nobody any more. */
  #awaitEndOf(transport: Transport, error: unknown): void {
    if (this.#isInputLost) return;
    this.#isInputLost = true;
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => this.#report({ type: 'cli.faulted', cause: causeOf(error) }), PIPE_LOST_MS);
    void transport.exited.then(() => clock.clearTimeout(timer));
  }

  async #open(report: (event: CliEvent) => void): Promise<void> {
    this.#report = report;
    try {
      const { plan, initialize } = await this.#options.plan();
      this.#initialize = initialize;
      this.#executable = plan.command;
      const transport = await this.#options.open(plan, {
        output: (chunk) => this.#read(chunk),
        outputEnded: () => this.#outputEnded(),
        stderr: (line) => {
          if (!this.#isCut) this.#options.listener.stderr(line);
        },
      });
      this.#transport = transport;
      this.#follow(transport);
    } catch (error) {
      const cause = this.#options.redaction.value(causeOf(error));
      this.channel.close(errorOf(cause));
      this.#report({ type: 'cli.spawn-failed', cause });
      return;
    }
    this.#report({ type: 'cli.spawned', pid: this.#transport.pid });
    this.#catchUp();
  }

  #follow(transport: Transport): void {
    // What the process left behind may hold its pipes open, and then they would never end: look at once (P1).
    void transport.exited.then(() => transport.killTree(this.#options.killGraceMs));
    void transport.finished.then((exit) => {
      const isTruncated = this.#reader.end();
      const resultErrors = this.#options.listener.lastErrors();
      const stderrTail = this.#stderrTail(transport);
      const isInitialized = this.#isInitialized;
      const cause: EndCause = exitCause({ exit, resultErrors, stderrTail, isInitialized, isTruncated });
      // The machine first: it stops the prompts and withdraws the questions before their channel is gone.
      const { exitCode, signal } = exit;
      this.#report({ type: 'cli.exited', exit: { exitCode, signal }, cause });
      this.channel.close(errorOf(cause));
    });
  }

  #stderrTail(transport: Transport): string {
    return this.#options.redaction.excerpt(transport.stderrTail());
  }

  /** The words of a refusal become those of an error; what an answer holds is for its caller alone. */
  #withCleanError(decoded: ControlDecoded): ControlDecoded {
    if (decoded.kind !== 'control-response' || decoded.outcome.ok) return decoded;
    const error = this.#options.redaction.value(decoded.outcome.error);
    return { ...decoded, outcome: { ...decoded.outcome, error } };
  }

  /** The peer is another one than it was taken for; what it wrote may hold anything. */
  #mismatched(error: TroupeError): void {
    this.#report({ type: 'cli.faulted', cause: this.#options.redaction.value(causeOf(error)) });
  }

  /** The incarnation is over: whatever a surviving process still says reaches nobody (P1 keeps it from starting over). */
  cut(cause: EndCause): void {
    this.#isCut = true;
    this.channel.close(errorOf(cause));
  }

  /** A process that closed its output and lives on can serve nobody any more (R61). */
  #outputEnded(): void {
    const { clock } = this.#options;
    const message = 'It closed its output and lived on.';
    const cause: EndCause = { code: 'CLI_EXITED', message, ending: 'protocol-fault' };
    const timer = clock.setTimeout(() => this.#report({ type: 'cli.faulted', cause }), PIPE_LOST_MS);
    void this.#transport?.exited.then(() => clock.clearTimeout(timer));
  }

  #read(chunk: Buffer): void {
    if (this.#isCut) return;
    if (!this.#isInitialized) this.#report({ type: 'cli.spoke', at: this.#options.clock.now() });
    this.#reader.read(chunk);
  }

  #obey(command: LinkCommand | SessionEvent): void {
    switch (command.type) {
      case 'link.initialize':
        void this.#handshake();
        return;
      case 'link.interrupt':
        this.channel.request('interrupt', {}, { deadlineMs: this.#options.controlMs }).catch(() => {});
        return;
      case 'link.end-input':
        this.#wants = 'end-input';
        break;
      case 'link.terminate':
        this.#wants = 'terminate';
        break;
      case 'link.reap':
        this.#wants = 'reap';
        break;
      default:
        return;
    }
    this.#catchUp();
  }

  #catchUp(): void {
    const transport = this.#transport;
    if (transport === undefined) return;
    // From here on a write that fails is our own doing.
    if (this.#wants !== 'nothing') this.#isInputLost = true;
    if (this.#wants !== 'nothing') this.#gate.close(new TroupeError('CLI_INPUT_CLOSED'));
    if (this.#wants === 'end-input') transport.endInput();
    if (this.#wants === 'terminate') transport.signal('SIGTERM');
    if (this.#wants === 'reap') void this.#reap(transport);
    this.#wants = 'nothing';
  }

  async #reap(transport: Transport): Promise<void> {
    const { killed, survivors } = await transport.killTree(this.#options.killGraceMs);
    this.#report({ type: 'cli.tree-gone', killed: killed.length, survivors });
  }

  async #handshake(): Promise<void> {
    const { clock, codec, spellAgainMs } = this.#options;
    const timer = clock.setTimeout(() => {
      const line = codec.spellAgain?.();
      if (line !== undefined) this.write(line).catch(() => {});
    }, spellAgainMs);
    try {
      // The machine owns the deadline: it starts again whenever the CLI shows life (R04).
      const answer = await this.channel.request('initialize', this.#initialize, {
        deadlineMs: Number.POSITIVE_INFINITY,
      });
      this.#isInitialized = true;
      clock.clearTimeout(timer);
      const refusal = this.#options.refuse(answer);
      if (refusal !== undefined) {
        this.#report({ type: 'cli.initialize-failed', cause: causeOf(refusal) });
        return;
      }
      this.#options.listener.initialized(answer);
      this.#report({ type: 'cli.initialized' });
      this.#redeliver(answer);
    } catch (error) {
      clock.clearTimeout(timer);
      // Anything but a refusal means that the process is gone or going, and its end tells the real reason.
      if (!TroupeError.is(error) || error.code !== 'CONTROL_REFUSED') return;
      const cause: EndCause = {
        code: 'INITIALIZE_FAILED',
        message: error.message,
        ending: 'option-refused',
        details: error.details,
      };
      this.#report({ type: 'cli.initialize-failed', cause });
    }
  }

  /** An answer to `initialize` carries the questions that were already open; each is asked once (WIRE §1, R05). */
  #redeliver(answer: Answer): void {
    const open = ['pending_permission_requests', 'pending_user_dialog_requests', 'pending_elicitation_requests'];
    for (const request of open.map((name) => answer[name]).flatMap((list) => (Array.isArray(list) ? list : []))) {
      // The CLI made the list before it read an answer that was on its way: such a question is no longer open.
      if (this.channel.knows(request?.request_id)) continue;
      this.#reader.readAgain(Buffer.from(JSON.stringify(request) ?? ''));
    }
  }
}
