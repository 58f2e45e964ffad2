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
import { isRecord } from '../wire/fields.ts';
import { isChanged, offeredRules } from './answer-scope.ts';
import { type CanUseTool, contextOf } from './can-use-tool.ts';
import {
  type ElicitationResult,
  type OnElicitation,
  parseElicitationResult,
  readElicitation,
  wireElicitation,
} from './elicitation.ts';
import { type PermissionRequest, readPermissionRequest, type ToolPermissionRequest } from './permission-request.ts';
import { type PermissionResult, parsePermissionResult, wireDecision } from './permission-result.ts';
import { decisionOf, type RuleBook } from './rule-book.ts';
import {
  type OnUserDialog,
  parseUserDialogResult,
  readUserDialog,
  type UserDialogResult,
  wireUserDialog,
} from './user-dialog.ts';

/** What may answer a request: a result of its kind. */
export type PermissionAnswer = PermissionResult | ElicitationResult | UserDialogResult;

export interface PermissionDeskOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly canUseTool: CanUseTool | undefined;
  readonly onElicitation: OnElicitation | undefined;
  readonly onUserDialog: OnUserDialog | undefined;
  /** The dialogs that were announced to the CLI; any other is not ours to answer. */
  readonly dialogKinds: readonly string[];
  /** False when nobody is there to answer what has no callback: it is refused at once, with this explanation (R37). */
  readonly isAttended: boolean;
  readonly rules: RuleBook;
  /** Settled requests kept for `get` and late clickers. */
  readonly maxSettled: number;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly onRequested: (request: PermissionRequest) => void;
  readonly onSettled: (request: PermissionRequest, settlement: Settlement) => void;
  readonly onDroppedUpdates: (request: PermissionRequest, dropped: number) => void;
}

/** What a tool call is told before the CLI decides whether it has to ask at all. */
export type Guard = (input: unknown, toolUseId: string | undefined) => Promise<Record<string, unknown>>;

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
        judge: fromPromise<Verdict, AskInput>(({ input }) => this.#judge(input)),
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

  /** When each open question is decided without an answer, by the deadline in its machine. */
  deadlines(): { what: string; at: number; next: string }[] {
    return [...this.#open.values()].map(({ request, actor }) => {
      const at = request.askedAt + actor.getSnapshot().context.deadlineMs;
      return { what: 'permission', at, next: `request ${request.id} expires: it is refused` };
    });
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
    return wireDecision(await this.#decision(request, signal), request);
  }

  /** As `ask`, for what an MCP server wants to know from the user (WIRE §19). */
  async elicit(
    requestId: string,
    wireRequest: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const request = readElicitation(requestId, wireRequest, this.#options.clock.now());
    return wireElicitation(await this.#decision(request, signal));
  }

  /** As `ask`, for a dialog of the CLI. Rejects at once for a kind that was not announced. */
  async showDialog(
    requestId: string,
    wireRequest: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const request = readUserDialog(requestId, wireRequest, this.#options.clock.now());
    const { dialogKind } = request.dialog;
    // "cancelled" would settle a dialog that some other client may show; the CLI discards an error.
    if (!this.#options.dialogKinds.includes(dialogKind))
      throw new Error(`Dialogs of the kind "${dialogKind}" are not shown here.`);
    return wireUserDialog(await this.#decision(request, signal));
  }

  /**
   * Answers an open question. Throws INVALID_ANSWER, PERMISSION_NOT_FOUND, or PERMISSION_SETTLED naming who was first.
   */
  answer(id: string, answer: unknown, by: string): PermissionRequest {
    const entry = this.#open.get(id);
    if (entry === undefined) throw this.#tooLate(id);
    const decision = this.#parse(entry.request, answer);
    entry.actor.send({ type: 'permission.answered', decision, by });
    return entry.request;
  }

  /** Nobody waits for them any more, as when the session closes: the open questions, or those of a kind, end undecided (P4). */
  withdrawAll(reason: string, kind?: PermissionRequest['kind']): void {
    for (const { request, actor } of [...this.#open.values()]) {
      if (kind === undefined || request.kind === kind) actor.send({ type: 'permission.withdrawn', reason });
    }
  }

  /**
   * For a hook before each tool: a CLI asks only about some calls, and rules that deny or ask are for all of them. Undefined
   * when there are no such rules.
   */
  guard(): Guard | undefined {
    if (!this.#options.rules.guards) return undefined;
    return async (input, toolUseId) => {
      const { clock, rules, onRequested, onSettled } = this.#options;
      const wire: Record<string, unknown> = { ...(isRecord(input) ? input : {}), tool_use_id: toolUseId };
      const request = readPermissionRequest(
        `rule:${toolUseId ?? ''}`,
        { ...wire, input: wire['tool_input'] },
        clock.now(),
      );
      const ruling = await rules.judge(request.toolName, request.input, false);
      if (ruling === undefined || ruling.behavior === 'allow') return {};
      const { behavior, rule } = ruling;
      const decision = decisionOf(ruling);
      if (decision !== undefined) {
        const settlement: Settlement = { outcome: 'denied', by: 'policy', decision, rule };
        onRequested(request);
        const settled = { ...request, settlement };
        this.#keep(settled);
        onSettled(settled, settlement);
      }
      const reason = decision?.message ?? `The rule "${rule.tool}" wants this to be asked.`;
      const verdict = { permissionDecision: behavior, permissionDecisionReason: reason };
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...verdict } };
    };
  }

  async #decision(request: PermissionRequest, signal: AbortSignal): Promise<PermissionDecision> {
    const settlement = await this.#settle(request, signal);
    if ('decision' in settlement) return settlement.decision;
    const reason = 'reason' in settlement ? settlement.reason : 'The request was cancelled.';
    throw new TroupeError('PERMISSION_SETTLED', { reason });
  }

  #settle(request: PermissionRequest, signal: AbortSignal): Promise<Settlement> {
    const { clock, deadlineMs, inspect } = this.#options;
    const { kind, id: requestId, toolName = '' } = request;
    const actor = createActor(this.#machine, {
      input: { kind, requestId, toolName, deadlineMs },
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

  async #judge({ requestId }: AskInput): Promise<Verdict> {
    const request = this.#open.get(requestId)?.request;
    if (request?.kind !== 'tool') {
      if (this.#isHeard(request)) return { behavior: 'ask' };
      return { behavior: request?.kind === 'elicitation' ? 'decline' : 'dismiss', by: 'policy' };
    }
    const ruling = await this.#options.rules.judge(request.toolName, request.input, request.requiresUserInteraction);
    const decision = ruling === undefined ? undefined : decisionOf(ruling);
    if (ruling !== undefined && decision !== undefined) return { ...decision, by: 'policy', rule: ruling.rule };
    return this.#isHeard(request) ? { behavior: 'ask' } : { behavior: 'deny', message: UNATTENDED, by: 'policy' };
  }

  /** True when a callback or a person can answer. */
  #isHeard(request: PermissionRequest | undefined): boolean {
    const { isAttended, onElicitation, onUserDialog } = this.#options;
    if (request?.kind === 'elicitation') return isAttended || onElicitation !== undefined;
    if (request?.kind === 'dialog') return isAttended || onUserDialog !== undefined;
    return isAttended;
  }

  async #ask(input: AskInput, signal: AbortSignal): Promise<PermissionDecision & { by: string }> {
    const request = this.#open.get(input.requestId)?.request;
    const answer = request === undefined ? null : await this.#call(request, signal);
    // Without a callback, or when it leaves the answer to somebody else, people answer through `answer`.
    if (request === undefined || answer === null) return new Promise(() => {});
    return { ...this.#parse(request, answer), by: 'callback' };
  }

  /** Copies: what a callback does to its input must not change the one that was asked about and goes back to the CLI. */
  #call(request: PermissionRequest, signal: AbortSignal): Promise<unknown> | unknown {
    const { canUseTool, onElicitation, onUserDialog } = this.#options;
    const context = { signal, requestId: request.id };
    switch (request.kind) {
      case 'tool':
        if (canUseTool === undefined) return null;
        return canUseTool(request.toolName, structuredClone(request.input), contextOf(request, signal));
      case 'elicitation':
        return onElicitation === undefined ? null : onElicitation(structuredClone(request.elicitation), context);
      case 'dialog':
        return onUserDialog === undefined ? null : onUserDialog(structuredClone(request.dialog), context);
    }
  }

  #parse(request: PermissionRequest, answer: unknown): PermissionDecision {
    if (request.kind === 'elicitation') return parseElicitationResult(answer, request.elicitation);
    if (request.kind === 'dialog') return parseUserDialogResult(answer);
    const { decision, droppedUpdates } = parsePermissionResult(answer);
    if (droppedUpdates > 0) this.#options.onDroppedUpdates(request, droppedUpdates);
    return decision;
  }

  #remember(request: PermissionRequest, settlement: Settlement): void {
    const settled = { ...request, settlement };
    this.#open.delete(request.id);
    this.#keep(settled);
    if (request.kind === 'tool' && settlement.outcome === 'allowed') this.#grant(request, settlement.decision);
    this.#options.onSettled(settled, settlement);
  }

  #keep(settled: PermissionRequest): void {
    this.#settled.set(settled.id, settled);
    const oldest = this.#settled.keys().next();
    if (this.#settled.size > this.#options.maxSettled && oldest.done !== true) this.#settled.delete(oldest.value);
  }

  /** For calls to come; what lies open keeps its own decision (R36). */
  #grant(request: ToolPermissionRequest, decision: PermissionDecision): void {
    const { scope = 'once', updatedInput } = decision;
    if (scope === 'once' || request.requiresUserInteraction) return;
    const offered = isChanged(request, decision) ? [] : offeredRules(request);
    this.#options.rules.grant(request.toolName, updatedInput ?? request.input, offered);
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
