import type { Clock } from '../clock.ts';
import type { Answer } from '../control/pending-requests.ts';
import { TroupeError } from '../errors.ts';
import { hasFeature, sinceOf } from '../wire/features.ts';
import { ControlCall, Payload, parseCall, Subtype } from './call-options.ts';
import { explainedRefusal } from './control-refusal.ts';
import type { Conversation } from './conversation.ts';
import type { ControlOptions } from './session-controls.ts';
import type { SessionLife } from './session-life.ts';
import type { StateChange } from './state-change.ts';
import { within } from './within.ts';

/** The states in which a process, or the next one, is on its way. */
const STARTING: ReadonlySet<StateChange['state']> = new Set(['waiting', 'spawning', 'initializing', 'backing-off']);
/** Requests that connect or disconnect a server. */
const TURNS_SERVERS: ReadonlySet<string> = new Set(['mcp_toggle', 'mcp_reconnect']);

export interface ControlPathOptions {
  readonly life: SessionLife;
  readonly conversation: Conversation;
  readonly clock: Clock;
  readonly controlMs: number;
  /** Throws SESSION_CLOSED once the session is ending. */
  readonly assertOpen: () => void;
}

/** The way of a control request to the process of the moment, and what its refusal means. */
export class ControlPath {
  readonly #options: ControlPathOptions;

  constructor(options: ControlPathOptions) {
    this.#options = options;
  }

  async ask(subtype: string, payload: Record<string, unknown>, options: ControlOptions): Promise<Answer> {
    const { timeoutMs: deadlineMs = this.#options.controlMs, signal } = parseCall(ControlCall, options, 'options');
    const request = parseCall(Payload, payload, 'payload');
    const name = parseCall(Subtype, subtype, 'subtype');
    const incarnation = this.#process();
    try {
      return { ...(await incarnation.channel.request(name, request, { deadlineMs, signal })) };
    } catch (error) {
      throw TroupeError.is(error) ? explainedRefusal(name, error, this.#options.conversation.facts) : error;
    } finally {
      // What became of the servers is only told to who asks, also where the request failed (WIRE §9).
      if (TURNS_SERVERS.has(name)) incarnation.lookAtServers();
    }
  }

  async reinitialize(options: ControlOptions): Promise<void> {
    const { timeoutMs: deadlineMs = this.#options.controlMs, signal } = parseCall(ControlCall, options, 'options');
    const incarnation = this.#process();
    const { cliVersion, capabilities } = this.#options.conversation.facts;
    if (!hasFeature(cliVersion, capabilities, 'secondInitialize')) {
      const reason = `"initialize" a second time needs Claude Code ${sinceOf('secondInitialize')}; this is ${cliVersion ?? 'unknown'}.`;
      throw new TroupeError('CONTROL_UNSUPPORTED', { reason, details: { subtype: 'initialize', cliVersion } });
    }
    await incarnation.reinitialize({ deadlineMs, signal });
  }

  /** The answer of the present process to `initialize`, waited for while a process is on its way. */
  async initialized(options: ControlOptions): Promise<Answer> {
    const { life } = this.#options;
    const isPending = () => life.initializeAnswer === undefined && STARTING.has(life.state) && !life.isOver;
    await this.#until(() => !isPending(), options);
    if (life.initializeAnswer !== undefined) return life.initializeAnswer;
    this.#options.assertOpen();
    throw this.#noProcess();
  }

  /**
   * True when there is a process to ask. One that is only starting is waited for: whether its flags hold a change that
   * comes meanwhile, nobody could tell. Nor is one asked that is leaving for a hibernation: the next start takes the change.
   */
  async reach(options: ControlOptions): Promise<boolean> {
    const { life } = this.#options;
    const isPausing = () => life.childSnapshot().matches('pausing');
    const isSettled = () => life.incarnation === undefined || (life.initializeAnswer !== undefined && !isPausing());
    // The pause may begin between the answer to this question and its use.
    do await this.#until(isSettled, options);
    while (!isSettled());
    this.#options.assertOpen();
    return life.incarnation !== undefined;
  }

  #process() {
    this.#options.assertOpen();
    const { incarnation } = this.#options.life;
    if (incarnation === undefined) throw this.#noProcess();
    return incarnation;
  }

  #noProcess(): TroupeError {
    return new TroupeError('NO_PROCESS', { details: { state: this.#options.life.state } });
  }

  /** Rejects with CONTROL_TIMEOUT or ABORTED when the condition does not come true in time. */
  async #until(isTrue: () => boolean, options: ControlOptions): Promise<void> {
    const { conversation, clock, controlMs, assertOpen } = this.#options;
    const { timeoutMs: deadlineMs = controlMs, signal } = parseCall(ControlCall, options, 'options');
    assertOpen();
    const recheck = () => conversation.recheck();
    signal?.addEventListener('abort', recheck, { once: true });
    let hasHeld = false;
    // What holds now may be over when the waiting one has its turn.
    const holds = () => {
      hasHeld ||= isTrue();
      return hasHeld || signal?.aborted === true;
    };
    await within(conversation, clock, deadlineMs, holds);
    signal?.removeEventListener('abort', recheck);
    const details = { subtype: 'initialize', deadlineMs };
    if (signal?.aborted === true) throw new TroupeError('ABORTED', { cause: signal.reason, details });
    if (!hasHeld) throw new TroupeError('CONTROL_TIMEOUT', { details });
  }
}
