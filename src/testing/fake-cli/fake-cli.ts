import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Children } from './children.ts';
import { answerControl } from './controls.ts';
import { type FakeDialect, fakeDialect } from './fake-dialect.ts';
import { type Flavor, flavorOf } from './flavor.ts';
import { systemFrame } from './frames.ts';
import { HostLines } from './host-lines.ts';
import type { Journal } from './journal.ts';
import type { Launch } from './launch.ts';
import { McpServers } from './mcp-servers.ts';
import { Output } from './output.ts';
import { OwnRequests } from './own-requests.ts';
import { printCarrier } from './print-carrier.ts';
import { type Happening, Rules } from './rules.ts';
import type { Behaviour, JsonObject } from './scenario.ts';
import { SessionMemory } from './session-memory.ts';
import { type Occasion, runRule } from './steps.ts';
import { Turns } from './turns.ts';

const DEFAULT_LIFETIME_MS = 120_000;

/** A signal ends the CLI within tens of milliseconds, also when nobody reads its output (WIRE §15). */
const SIGNAL_FLUSH_MS = 50;

/** How many ids of host requests are watched for reuse. */
const MAX_WATCHED_IDS = 10_000;

const ALREADY_GONE = new Promise<never>(() => {});

/** One fake CLI process: it routes lines, signals and the end of stdin, and knows how to leave. */
export class FakeCli {
  readonly behaviour: Behaviour;
  readonly launch: Launch;
  readonly flavor: Flavor;
  readonly journal: Journal;
  readonly output: Output;
  readonly dialect: FakeDialect;
  readonly own: OwnRequests;
  readonly rules: Rules;
  readonly mcp: McpServers;
  readonly memory: SessionMemory;
  readonly turns: Turns;
  readonly children: Children;
  readonly lines = new HostLines();
  readonly lifetimeMs: number;
  readonly ignored = new Set<string>();
  readonly emitsSessionState: boolean;
  /** By the variable of the official SDK alone, the states are marked as for its own eyes (recordings 21e). */
  readonly marksSessionState: boolean;
  sessionId: string;
  model: string;
  permissionMode: string;
  hooks: JsonObject = {};
  isInitialized = false;
  hasPrompted = false;
  isLeaving = false;
  readonly #sessionsFolder: string;
  readonly #seenIds = new Set<string>();
  readonly #openInitializes = new Set<string>();
  #isInputOver = false;
  #leavesWhenDrained = false;

  constructor(behaviour: Behaviour, launch: Launch, journal: Journal, folder: string, origin = '') {
    this.behaviour = behaviour;
    this.launch = launch;
    this.journal = journal;
    this.flavor = flavorOf(behaviour.flavor);
    this.dialect = fakeDialect(behaviour.dialect);
    this.output = new Output(this.flavor.escapesLineSeparators, this.dialect);
    const { mcpServers, permissionTool = '' } = launch;
    const carrier = behaviour.dialect === 'print' ? printCarrier(mcpServers, permissionTool) : undefined;
    this.own = new OwnRequests(journal, this.output, carrier);
    this.rules = new Rules(behaviour.rules ?? [], origin);
    this.mcp = new McpServers(this);
    this.lifetimeMs = behaviour.lifetimeMs ?? DEFAULT_LIFETIME_MS;
    this.children = new Children(this.lifetimeMs, folder);
    this.emitsSessionState = this.flavor.sessionStateVariables.some((name) => process.env[name] === '1');
    this.marksSessionState = process.env['CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS'] !== '1';
    this.model = launch.model ?? this.flavor.model;
    this.permissionMode = launch.permissionMode;
    this.#sessionsFolder = join(folder, 'sessions');
    const resumed = launch.resume ?? (launch.isContinue ? SessionMemory.latest(this.#sessionsFolder) : undefined);
    const isSame = resumed !== undefined && !launch.isFork;
    this.sessionId = isSame ? resumed : (launch.sessionId ?? randomUUID());
    this.memory = new SessionMemory(this.#sessionsFolder, this.sessionId, launch.isPersistent);
    this.turns = new Turns(this, resumed === undefined ? 0 : this.memory.inherit(resumed));
    const { lastPid } = this.memory;
    if (isSame && lastPid !== undefined && isRunning(lastPid))
      this.journal.violation('shared-conversation', `The process ${lastPid} has it open.`);
  }

  get isInitializing(): boolean {
    return this.#openInitializes.size > 0;
  }

  /** What the arguments make impossible: the complaint, which ends the process with exit code 1 at once. */
  complaint(): string | undefined {
    const { launch } = this;
    if (launch.inputFormat === 'stream-json' && launch.outputFormat !== 'stream-json') {
      return 'Error: --input-format=stream-json requires output-format=stream-json.';
    }
    if (launch.isPrint && launch.outputFormat === 'stream-json' && !launch.isVerbose) {
      return 'Error: When using --print, --output-format=stream-json requires --verbose';
    }
    if (launch.sessionId === undefined) return undefined;
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(launch.sessionId)) {
      return 'Error: Invalid session ID. Must be a valid UUID.';
    }
    if ((launch.resume !== undefined || launch.isContinue) && !launch.isFork) {
      return 'Error: --session-id with --continue or --resume also needs --fork-session.';
    }
    const isTaken = SessionMemory.exists(this.#sessionsFolder, launch.sessionId);
    return isTaken ? `Error: Session ID ${launch.sessionId} is already in use.` : undefined;
  }

  /** True when `--resume` names a session this fake has not seen (WIRE §12). */
  isResumeUnknown(): boolean {
    const { resume } = this.launch;
    if (resume === undefined || this.behaviour.sessions === 'any') return false;
    return !SessionMemory.exists(this.#sessionsFolder, resume);
  }

  /** Takes one message of the host. */
  receive(message: JsonObject): void {
    if (this.isLeaving) return;
    this.lines.add(message);
    if (this.isResumeUnknown()) {
      void this.#refuseResume();
      return;
    }
    switch (message.type) {
      case 'user':
        this.#receiveUser(message);
        return;
      case 'control_request':
        this.#receiveControl(message);
        return;
      case 'control_response':
        this.#receiveResponse(message);
        return;
      case 'control_cancel_request':
        this.#happen({ kind: 'cancel' }, {});
        return;
      case 'assistant':
      case 'keep_alive':
      case 'update_environment_variables':
        return;
      default:
        this.journal.violation('unknown-type', JSON.stringify(message));
        if (this.flavor.unknownTypeExits) this.fatal(`Error: Unknown message type ${String(message.type)}`);
    }
  }

  /** Stdin ended: finish what was read, then leave (WIRE §0.11). */
  endInput(): void {
    if (this.#isInputOver) return;
    this.#isInputOver = true;
    this.journal.add({ kind: 'eof' });
    this.own.close();
    this.lines.end('the end of input');
    const byDefault = () => {
      this.#leavesWhenDrained = !this.ignored.has('eof');
      this.leaveWhenDrained();
    };
    if (!this.#happen({ kind: 'eof' }, { fallThrough: byDefault })) byDefault();
  }

  leaveWhenDrained(): void {
    if (!this.#leavesWhenDrained || !this.turns.isIdle || this.isInitializing) return;
    void this.leave(this.turns.isLastError ? 1 : 0, 'eof');
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.journal.add({ kind: 'signal', name });
    const byDefault = () => this.#obey(name);
    if (!this.#happen({ kind: 'signal', name }, { fallThrough: byDefault }) && !this.ignored.has(name)) byDefault();
  }

  respond(id: string, payload?: JsonObject, beside: JsonObject = {}): void {
    const response = { subtype: 'success', request_id: id, ...(payload === undefined ? {} : { response: payload }) };
    this.output.frame({ type: 'control_response', response: { ...response, ...beside } });
    this.#closeInitialize(id);
  }

  respondError(id: string, error: string, errorCode?: string): void {
    const code = errorCode !== undefined && this.flavor.hasErrorCodes ? { error_code: errorCode } : {};
    this.output.frame({ type: 'control_response', response: { subtype: 'error', request_id: id, error, ...code } });
    this.#closeInitialize(id);
  }

  changeSession(sessionId: string): void {
    this.sessionId = sessionId;
    this.memory.rename(sessionId);
  }

  fatal(complaint: string): void {
    this.output.stderr(`${complaint}\n`);
    void this.leave(1, 'fatal');
  }

  /** Lets the reader have what was written, then ends the process. Never resolves. */
  async leave(code: number, reason: string): Promise<never> {
    if (this.isLeaving) return ALREADY_GONE;
    this.isLeaving = true;
    this.lines.end('the end of the process');
    await (reason === 'signal' ? Promise.race([this.output.flush(), sleep(SIGNAL_FLUSH_MS)]) : this.output.flush());
    this.journal.add({ kind: 'exit', reason, code });
    process.exit(code);
  }

  /** Sends itself a signal with its default effect, after the reader has what was written. */
  async killSelf(signal: string): Promise<void> {
    await this.output.flush();
    if (signal !== 'SIGSTOP') this.journal.add({ kind: 'exit', reason: signal, code: null });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The signal of a process to itself may arrive a moment later.
    if (signal !== 'SIGSTOP') await ALREADY_GONE;
  }

  #receiveUser(message: JsonObject): void {
    const role = (message.message as JsonObject | undefined)?.role;
    if (role !== 'user') {
      this.journal.violation('wrong-role', JSON.stringify(message));
      this.fatal(`Error: Expected message role 'user', got '${String(role)}'`);
      return;
    }
    this.turns.receive(message);
    this.hasPrompted = true;
  }

  #receiveControl(message: JsonObject): void {
    const request = message.request as JsonObject | undefined;
    if (typeof request !== 'object' || request === null) {
      this.journal.violation('missing-request', JSON.stringify(message));
      this.fatal('Error: Missing request on control_request');
      return;
    }
    const id = String(message.request_id);
    if (typeof message.request_id !== 'string') this.journal.violation('missing-request-id', JSON.stringify(message));
    else if (this.#seenIds.has(id)) this.journal.violation('reused-request-id', id);
    if (this.#seenIds.size < MAX_WATCHED_IDS) this.#seenIds.add(id);
    const subtype = String(request.subtype);
    const happening: Happening = subtype === 'initialize' ? { kind: 'initialize' } : { kind: 'control', subtype };
    const byDefault = () => answerControl(this, id, request);
    if (subtype === 'initialize') this.#openInitializes.add(id);
    const occasion = { requestId: id, fallThrough: byDefault };
    if (!this.#happen(happening, occasion, () => this.#closeInitialize(id))) byDefault();
  }

  #receiveResponse(message: JsonObject): void {
    if (this.launch.replaysUserMessages && this.flavor.replaysResponses) this.output.frame(message);
    const taken = this.own.take(message);
    if (taken === undefined) return;
    const behavior = taken.answer.kind === 'success' ? taken.answer.payload.behavior : undefined;
    const named = typeof behavior === 'string' ? behavior : undefined;
    const { current } = this.turns;
    this.#happen({ kind: 'response', to: taken.name, behavior: named }, current === undefined ? {} : { turn: current });
  }

  /** Runs the rule for a happening; false when there is none. */
  #happen(happening: Happening, occasion: Occasion, afterwards: () => void = () => {}): boolean {
    const rule = this.rules.find(happening);
    if (rule === undefined) return false;
    void runRule(this, rule, occasion).then(afterwards);
    return true;
  }

  #closeInitialize(id: string): void {
    if (!this.#openInitializes.delete(id)) return;
    setImmediate(() => {
      this.turns.pump();
      this.leaveWhenDrained();
    });
  }

  #obey(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    if (this.flavor.killsChildrenOnSignal) this.children.killAll();
    if (name !== 'SIGINT') {
      void this.leave(name === 'SIGTERM' ? 143 : 129, 'signal');
      return;
    }
    const aborted = this.flavor.sigintEndsTurn ? this.turns.interrupt() : Promise.resolve();
    void aborted.then(() => this.leave(0, 'signal'));
  }

  async #refuseResume(): Promise<void> {
    const text = `No conversation found with session ID: ${this.launch.resume}`;
    const how = this.flavor.reportsUnknownResume;
    if (how !== 'result') this.output.stderr(`${text}\n`);
    if (how !== 'stderr') {
      const facts = { subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: [text] };
      const { type: _, subtype: __, ...rest } = systemFrame(this.launch.resume ?? '', '', {});
      this.output.frame({
        type: 'result',
        ...facts,
        duration_ms: 0,
        total_cost_usd: 0,
        permission_denials: [],
        ...rest,
      });
    }
    await this.leave(1, 'unknown-resume');
  }
}

/** Also false where it cannot be told. Whoever is dead and was not waited for runs no more. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
