import { type Actor, createActor, fromPromise } from 'xstate';
import type {
  PermissionDecision,
  PermissionEvent,
  Settlement,
  Verdict,
} from '../../machines/permission/permission.events.ts';
import { permissionMachine } from '../../machines/permission/permission.machine.ts';
import type { AskInput } from '../../machines/permission/permission.ports.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { type PermissionRequest, readPermissionRequest } from './permission-request.ts';
import {
  type PermissionResult,
  type PermissionUpdate,
  parsePermissionResult,
  wireDecision,
} from './permission-result.ts';

/** The callback of the official SDK: may this tool run with this input? */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  context: CanUseToolContext,
) => Promise<PermissionResult> | PermissionResult;

export interface CanUseToolContext {
  /** Aborted when the question is taken back, answered by somebody else, or overdue. */
  signal: AbortSignal;
  suggestions?: PermissionUpdate[];
  toolUseID: string;
  requestId: string;
  agentID?: string;
  blockedPath?: string;
  decisionReason?: string;
  title?: string;
  description?: string;
}

export interface PermissionDeskOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly canUseTool: CanUseTool | undefined;
  /** False when nobody is there to answer: every question is denied at once, with this explanation (R37). */
  readonly isAttended: boolean;
  /** Settled requests kept for `get` and late clickers. */
  readonly maxSettled: number;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly onRequested: (request: PermissionRequest) => void;
  readonly onSettled: (request: PermissionRequest, settlement: Settlement) => void;
  readonly onDroppedUpdates: (request: PermissionRequest, dropped: number) => void;
}

const UNATTENDED =
  'Nobody can answer permission questions in this session: it was started without canUseTool and with permissionPrompts "none".';

/** Where permission questions lie until somebody answers: one actor each, one decision each (P4). */
export class PermissionDesk {
  readonly #options: PermissionDeskOptions;
  readonly #open = new Map<string, { request: PermissionRequest; actor: Actor<typeof permissionMachine> }>();
  readonly #settled = new Map<string, PermissionRequest>();
  readonly #machine: typeof permissionMachine;

  constructor(options: PermissionDeskOptions) {
    this.#options = options;
    this.#machine = permissionMachine.provide({
      actors: {
        judge: fromPromise<Verdict, AskInput>(() => Promise.resolve(this.#judge())),
        ask: fromPromise<PermissionDecision & { by: string }, AskInput>(({ input, signal }) =>
          this.#ask(input, signal),
        ),
      },
    });
  }

  /** The open questions, oldest first. */
  pending(): PermissionRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  get(id: string): PermissionRequest | undefined {
    return this.#open.get(id)?.request ?? this.#settled.get(id);
  }

  /**
   * Puts a question of the CLI on the desk and resolves with the payload of its answer. Rejects when the CLI must be told
   * that there is none. The signal takes the question back.
   */
  async ask(requestId: string, wireRequest: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const request = readPermissionRequest(requestId, wireRequest, this.#options.clock.now());
    const settlement = await this.#settle(request, signal);
    if (settlement.outcome === 'allowed' || settlement.outcome === 'denied' || settlement.outcome === 'expired') {
      return wireDecision(settlement.decision, request.input);
    }
    const reason = 'reason' in settlement ? settlement.reason : 'The request was cancelled.';
    throw new TroupeError('PERMISSION_SETTLED', { reason });
  }

  /**
   * Answers an open question. Throws INVALID_ANSWER, PERMISSION_NOT_FOUND, or PERMISSION_SETTLED naming who was first.
   */
  answer(id: string, answer: unknown, by: string): PermissionRequest {
    const { decision, droppedUpdates } = parsePermissionResult(answer);
    const entry = this.#open.get(id);
    if (entry === undefined) throw this.#tooLate(id);
    if (droppedUpdates > 0) this.#options.onDroppedUpdates(entry.request, droppedUpdates);
    entry.actor.send({ type: 'permission.answered', decision, by });
    return entry.request;
  }

  /** The session is closing or its process is gone: the open questions end without a decision (P4). */
  withdrawAll(reason: string): void {
    for (const { actor } of [...this.#open.values()]) actor.send({ type: 'permission.withdrawn', reason });
  }

  #settle(request: PermissionRequest, signal: AbortSignal): Promise<Settlement> {
    const { clock, deadlineMs, inspect } = this.#options;
    const actor = createActor(this.#machine, {
      input: { requestId: request.id, toolName: request.toolName, deadlineMs },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    return new Promise<Settlement>((resolve) => {
      const withdraw = () => actor.send(withdrawal(signal.reason));
      actor.subscribe((snapshot) => {
        if (snapshot.status !== 'done') return;
        signal.removeEventListener('abort', withdraw);
        this.#remember(request, snapshot.output);
        resolve(snapshot.output);
      });
      this.#open.set(request.id, { request, actor });
      this.#options.onRequested(request);
      actor.start();
      signal.addEventListener('abort', withdraw, { once: true });
      if (signal.aborted) withdraw();
    });
  }

  #judge(): Verdict {
    if (this.#options.isAttended) return { behavior: 'ask' };
    return { behavior: 'deny', message: UNATTENDED, by: 'policy' };
  }

  async #ask(input: AskInput, signal: AbortSignal): Promise<PermissionDecision & { by: string }> {
    const { canUseTool } = this.#options;
    const request = this.#open.get(input.requestId)?.request;
    // Without a callback people answer, through `answer`: this promise never settles by itself.
    if (canUseTool === undefined || request === undefined) return new Promise(() => {});
    // A copy: what a callback does to its input must not change the one that was asked about and goes back to the CLI.
    const answer = await canUseTool(request.toolName, structuredClone(request.input), contextOf(request, signal));
    const { decision, droppedUpdates } = parsePermissionResult(answer);
    if (droppedUpdates > 0) this.#options.onDroppedUpdates(request, droppedUpdates);
    return { ...decision, by: 'callback' };
  }

  #remember(request: PermissionRequest, settlement: Settlement): void {
    const settled = { ...request, settlement };
    this.#open.delete(request.id);
    this.#settled.set(request.id, settled);
    const oldest = this.#settled.keys().next();
    if (this.#settled.size > this.#options.maxSettled && oldest.done !== true) this.#settled.delete(oldest.value);
    this.#options.onSettled(settled, settlement);
  }

  #tooLate(id: string): TroupeError {
    const settlement = this.#settled.get(id)?.settlement;
    if (settlement === undefined) return new TroupeError('PERMISSION_NOT_FOUND', { details: { id } });
    const details = { id, outcome: settlement.outcome, by: settlement.by };
    return new TroupeError('PERMISSION_SETTLED', {
      reason: `It was ${settlement.outcome} by ${settlement.by}.`,
      details,
    });
  }
}

/** Only the CLI itself can cancel; a channel that closes says with its error why the question has no asker any more. */
function withdrawal(reason: unknown): PermissionEvent {
  if (TroupeError.is(reason)) return { type: 'permission.withdrawn', reason: reason.message };
  return { type: 'permission.cancelled' };
}

function contextOf(request: PermissionRequest, signal: AbortSignal): CanUseToolContext {
  return {
    signal,
    suggestions: [...request.suggestions],
    toolUseID: request.toolUseId ?? '',
    requestId: request.id,
    ...(request.agentId === undefined ? {} : { agentID: request.agentId }),
    ...(request.blockedPath === undefined ? {} : { blockedPath: request.blockedPath }),
    ...(request.decisionReason === undefined ? {} : { decisionReason: request.decisionReason }),
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.description === undefined ? {} : { description: request.description }),
  };
}
