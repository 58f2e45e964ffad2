import { TroupeError } from '../../errors.ts';
import { removeTemporaryFiles } from '../../transport/temporary-files.ts';
import type {
  ExitReport,
  LaunchPlan,
  OpenTransport,
  Transport,
  TransportListeners,
  TreeReport,
} from '../../transport/transport.ts';
import { isRecord, parseRecord, stringOf } from '../../wire/fields.ts';
import { NEXT_PROCESS } from '../../wire/print/codec.ts';
import { HostQuestions } from './host-questions.ts';
import { Loopback } from './loopback.ts';
import { OutputWeave } from './output-weave.ts';
import { PERMISSION_SERVER, permissionReply } from './permission-server.ts';
import { type PrintFiles, printPlan, writePrintFiles } from './print-plan.ts';

type Frame = Record<string, unknown>;

interface Running {
  readonly transport: Transport;
  readonly seen: { conversation: boolean; result: boolean };
  wasInterrupted: boolean;
}

/** What its tree may take to be gone before the next prompt has a process. */
const TREE_MS = 10_000;

/**
 * One incarnation made of one process per prompt: it answers the control requests that a process without a control channel
 * cannot hear, and starts a process for each prompt, one after the other, in one conversation. Between two of them there is
 * no process, and `pid` is 0.
 */
export function openPrint(open: OpenTransport): OpenTransport {
  return async (plan, listeners) => {
    const host = new PrintHost(open, plan, listeners);
    await host.begin();
    return host;
  };
}

class PrintHost implements Transport {
  readonly exited: Promise<ExitReport>;
  readonly finished: Promise<ExitReport>;
  readonly #open: OpenTransport;
  readonly #plan: LaunchPlan;
  readonly #listeners: TransportListeners;
  readonly #output: OutputWeave;
  readonly #questions: HostQuestions;
  #resolve: (exit: ExitReport) => void = () => {};
  #loopback: Loopback | undefined;
  #initialize: Frame = {};
  #files: PrintFiles | undefined;
  #queue: string[] = [];
  #running: Running | undefined;
  #isStarting = false;
  #isClosing = false;
  #isOver = false;
  #isPaused = false;
  #conversationId: string | undefined;
  #servers: unknown[] = [];
  #model: string | null | undefined;
  #permissionMode: string | undefined;
  #stderrTail: () => string = () => '';

  constructor(open: OpenTransport, plan: LaunchPlan, listeners: TransportListeners) {
    this.#open = open;
    this.#plan = plan;
    this.#listeners = listeners;
    this.#output = new OutputWeave(
      (bytes) => listeners.output(bytes),
      (line) => this.#peek(line),
    );
    this.#questions = new HostQuestions((frame) => this.#say(frame));
    this.exited = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.finished = this.exited;
  }

  async begin(): Promise<void> {
    this.#loopback = await Loopback.open({
      mcp: (server, message) =>
        server === PERMISSION_SERVER
          ? permissionReply(message, (question) => this.#questions.ask({ subtype: 'can_use_tool', ...question }))
          : this.#askServer(server, message),
      hook: (callbackId, input) => {
        const about = stringOf(input['tool_use_id']) === undefined ? {} : { tool_use_id: input['tool_use_id'] };
        return this.#questions.ask({ subtype: 'hook_callback', callback_id: callbackId, input, ...about });
      },
    });
  }

  get pid(): number {
    return this.#running?.transport.pid ?? 0;
  }

  async write(line: string): Promise<void> {
    if (this.#isOver || this.#isClosing) throw new TroupeError('CLI_INPUT_CLOSED');
    const frame = parseRecord(line);
    if (frame?.['type'] === 'user') {
      this.#queue.push(textOf(frame));
      void this.#next();
    } else if (frame?.['type'] === 'control_response') this.#questions.take(frame);
    else if (frame?.['type'] === 'control_request') this.#obey(frame);
  }

  endInput(): void {
    this.#isClosing = true;
    this.#leaveWhenIdle({ exitCode: 0, signal: null });
  }

  signal(signal: 'SIGTERM' | 'SIGINT'): void {
    this.#isClosing = true;
    this.#queue = [];
    this.#running?.transport.signal(signal);
    this.#leaveWhenIdle({ exitCode: signal === 'SIGTERM' ? 143 : 130, signal: null });
  }

  async killTree(deadlineMs: number): Promise<TreeReport> {
    this.#isClosing = true;
    this.#queue = [];
    const report = await this.#running?.transport.killTree(deadlineMs);
    this.#leaveWhenIdle({ exitCode: null, signal: 'SIGKILL' });
    return report ?? { killed: [], survivors: [] };
  }

  stderrTail(): string {
    return this.#stderrTail();
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.transport.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#running?.transport.resume();
  }

  #leaveWhenIdle(exit: ExitReport): void {
    if (this.#running === undefined && !this.#isStarting && this.#queue.length === 0) this.#leave(exit);
  }

  #leave(exit: ExitReport): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#questions.close('The session is over.');
    this.#loopback?.close();
    void removeTemporaryFiles([...this.#plan.temporaryFiles, ...(this.#files?.temporaryFiles ?? [])]).then(() =>
      this.#resolve(exit),
    );
  }

  /** What another process would be asked, and this one decides. */
  #obey({ request_id: id, request }: Frame): void {
    const { subtype, ...payload } = isRecord(request) ? request : {};
    switch (subtype) {
      case 'initialize':
        this.#initialize = payload;
        this.#files = undefined;
        this.#respond(id, {});
        void this.#shakeHands();
        return;
      case 'interrupt':
        this.#interrupt();
        this.#respond(id, {});
        return;
      case 'set_model':
        this.#model = stringOf(payload['model']) ?? null;
        this.#respond(id, { model: this.#model });
        return;
      case 'set_permission_mode':
        this.#permissionMode = stringOf(payload['mode']);
        this.#respond(id, { mode: this.#permissionMode });
        return;
      case 'mcp_status':
        this.#respond(id, { mcpServers: this.#servers });
        return;
      case 'mcp_message':
        this.#respond(id, {});
        return;
      default: {
        const error = `Unsupported control request subtype: ${String(subtype)}`;
        const response = { subtype: 'error', request_id: id, error, error_code: 'unsupported_request' };
        this.#say({ type: 'control_response', response });
      }
    }
  }

  #respond(id: unknown, response: Frame): void {
    this.#say({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  }

  #say(frame: Frame): void {
    if (!this.#isOver) this.#output.say(frame);
  }

  /** The servers of this program are there before a process asks for them; that one will shake hands again. */
  async #shakeHands(): Promise<void> {
    const names = this.#initialize['sdk_mcp_servers'];
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'troupe', version: '0' } };
    for (const server of Array.isArray(names) ? names.map(String) : []) {
      const greeting = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
      const then = { jsonrpc: '2.0', method: 'notifications/initialized' };
      // Why one failed its own state tells.
      await this.#askServer(server, greeting).catch(() => {});
      await this.#askServer(server, then).catch(() => {});
      await this.#askServer(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' }).catch(() => {});
    }
  }

  async #askServer(server: string, message: Frame): Promise<Frame | undefined> {
    const answer = await this.#questions.ask({ subtype: 'mcp_message', server_name: server, message });
    const reply = isRecord(answer) ? answer['mcp_response'] : undefined;
    return isRecord(reply) ? reply : undefined;
  }

  #interrupt(): void {
    if (this.#running === undefined) return;
    this.#running.wasInterrupted = true;
    this.#questions.cancelAll();
    this.#running.transport.signal('SIGINT');
  }

  async #next(): Promise<void> {
    const text = this.#queue[0];
    if (text === undefined || this.#isStarting || this.#running !== undefined || this.#isOver) return;
    this.#isStarting = true;
    this.#queue.shift();
    this.#say({ type: NEXT_PROCESS });
    try {
      this.#running = await this.#start(text);
    } catch (error) {
      this.#listeners.stderr(error instanceof Error ? error.message : String(error));
      this.#isStarting = false;
      this.#leave({ exitCode: 127, signal: null });
      return;
    }
    this.#isStarting = false;
    if (this.#isPaused) this.#running.transport.pause();
    void this.#follow(this.#running);
  }

  async #start(text: string): Promise<Running> {
    const loopback = this.#loopback;
    if (loopback === undefined) throw new TroupeError('NO_PROCESS');
    this.#files ??= writePrintFiles(this.#plan, loopback, this.#initialize, process.execPath);
    const setting = {
      conversationId: this.#conversationId,
      model: this.#model,
      permissionMode: this.#permissionMode,
    };
    const { plan, input } = printPlan(this.#plan, text, this.#files, setting);
    const transport = await this.#open(plan, {
      output: (chunk) => this.#output.pass(chunk),
      stderr: (line) => this.#listeners.stderr(line),
    });
    this.#stderrTail = () => transport.stderrTail();
    if (input !== undefined) await transport.write(input).catch(() => {});
    transport.endInput();
    return { transport, seen: { conversation: false, result: false }, wasInterrupted: false };
  }

  async #follow(running: Running): Promise<void> {
    const { transport, seen } = running;
    void transport.exited.then(() => transport.killTree(TREE_MS));
    const exit = await transport.finished;
    await transport.killTree(TREE_MS);
    this.#output.end();
    this.#loopback?.forget();
    this.#questions.cancelAll();
    const isRefused = seen.result && !seen.conversation && exit.exitCode !== 0;
    const isLost = !seen.result && !running.wasInterrupted;
    this.#running = undefined;
    if (isRefused || isLost || (this.#isClosing && this.#queue.length === 0)) {
      this.#leave(seen.result && !isRefused ? { ...exit, exitCode: 0, signal: null } : exit);
      return;
    }
    if (!seen.result) this.#say(interruptedResult(this.#conversationId));
    void this.#next();
  }

  #peek(line: Buffer): void {
    const isLooked = line.includes('"init"') || line.includes('"result"');
    const value = isLooked ? parseRecord(line.toString('utf8')) : undefined;
    const seen = this.#running?.seen;
    if (value === undefined || seen === undefined) return;
    if (value['type'] === 'system' && value['subtype'] === 'init') {
      seen.conversation = true;
      this.#conversationId = stringOf(value['session_id']) || this.#conversationId;
      if (Array.isArray(value['mcp_servers'])) this.#servers = value['mcp_servers'];
    }
    if (value['type'] === 'result') seen.result = true;
  }
}

/** Releases up to 2.1.197 leave an interrupted prompt without a word (WIRE §15). */
function interruptedResult(conversationId: string | undefined): Frame {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'aborted_streaming',
    ...(conversationId === undefined ? {} : { session_id: conversationId }),
  };
}

/** A process takes its prompt as text. */
function textOf({ message }: Frame): string {
  const content = isRecord(message) ? message['content'] : '';
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((block) => (isRecord(block) ? (stringOf(block['text']) ?? '') : '')).join('\n');
}
