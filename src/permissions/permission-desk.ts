import { type PermissionInput, restoredPermission } from '../../machines/permission/permission.context.ts';
import type { PermissionDecision, PermissionEvent, Settlement } from '../../machines/permission/permission.events.ts';
import type { Reply } from '../../machines/permission/permission.ports.ts';
import type { AbortNotice, LightAbort } from '../abort-notice.ts';
import { TroupeError } from '../errors.ts';
import { SparseMap } from '../sparse.ts';
import type { PermissionRecord } from '../store/store-record.ts';
import { isChanged, offeredRules } from './answer-scope.ts';
import { contextOf } from './can-use-tool.ts';
import { type ElicitationResult, parseElicitationResult, readElicitation, wireElicitation } from './elicitation.ts';
import { type Grant, grantsOf } from './grant.ts';
import { jsonCopy } from './json-copy.ts';
import { nobody, OpenQuestion } from './open-question.ts';
import type { PermissionDeskOptions } from './permission-desk-options.ts';
import { type KeptQuestion, keptQuestionOf, permissionRecordOf, questionDigest } from './permission-record.ts';
import { type PermissionRequest, readPermissionRequest, type ToolPermissionRequest } from './permission-request.ts';
import { type PermissionResult, parsePermissionResult, wireDecision } from './permission-result.ts';
import { type Guard, ruleGuard } from './rule-guard.ts';
import { SettledQuestions, settledBefore } from './settled-questions.ts';
import { parseUserDialogResult, readUserDialog, type UserDialogResult, wireUserDialog } from './user-dialog.ts';
import { callbackFor, verdictOn } from './verdict.ts';

/** What may answer a request: a result of its kind. */
export type PermissionAnswer = PermissionResult | ElicitationResult | UserDialogResult;

const CANCELLED = 'The request was cancelled.';

/** Where permission questions lie until somebody answers: one actor each, one decision each (P4). */
export class PermissionDesk {
  readonly #options: PermissionDeskOptions;
  readonly #open = new SparseMap<string, OpenQuestion>();
  readonly #settled: SettledQuestions;
  /** Questions of a former host that no process has asked again yet, with their digests, in the order of asking. */
  readonly #unasked = new SparseMap<string, string>();

  constructor(options: PermissionDeskOptions) {
    this.#options = options;
    this.#settled = new SettledQuestions(options.maxSettled);
  }

  /** The open questions, oldest first. */
  pending(): PermissionRequest[] {
    this.catchUp();
    return [...this.#open.values()].map(({ request }) => request);
  }

  /** When each open question is decided without an answer, by the deadline in its machine. */
  deadlines(): { what: string; at: number; next: string }[] {
    return [...this.#open.values()].map(({ request, deadlineMs }) => {
      const at = request.askedAt + deadlineMs;
      return { what: 'permission', at, next: `request ${request.id} expires: it is refused` };
    });
  }

  /** Somebody looks before the end of the turn of the loop: what is open by now is waited for. */
  catchUp(): void {
    for (const open of this.#open.values()) open.goOn();
  }

  get(id: string): PermissionRequest | undefined {
    this.#open.get(id)?.goOn();
    return (this.#open.get(id) ?? this.#settled.get(id))?.request;
  }

  /** By what id the CLI waits for the answer to an open question; undefined when no process waits for it. */
  askedAs(id: string): string | undefined {
    return this.#open.get(id)?.askedAs;
  }

  /** The question as a store keeps it; undefined when the desk has forgotten it. */
  record(id: string): PermissionRecord | undefined {
    const open = this.#open.get(id);
    const settled = this.#settled.get(id);
    const deadlineMs = open?.deadlineMs ?? settled?.deadlineMs;
    const { request, digest } = open ?? settled ?? {};
    if (request === undefined || deadlineMs === undefined) return undefined;
    return permissionRecordOf({
      request,
      digest: digest ?? questionDigest(request),
      expiresAt: Number.isFinite(deadlineMs) ? request.askedAt + deadlineMs : null,
      isUnheard: settled !== undefined && this.#unasked.has(id),
      ...(settled === undefined ? {} : { settledAt: settled.settledAt }),
    });
  }

  /** Every question it knows. */
  records(): PermissionRecord[] {
    return [...this.#settled.ids(), ...this.#open.keys()].flatMap((id) => this.record(id) ?? []);
  }

  /** Another desk goes on with its questions: nothing is decided here any more. */
  retire(): void {
    for (const open of this.#open.values()) open.stop();
    this.#open.clear();
    this.#unasked.clear();
  }

  /**
   * Takes up what another host left. Open questions lie here again under their ids and until the same moments, although no
   * process asks them: whoever answers now answers the first process that asks the same again.
   *
   * A decision that had gone out before the host was lost is not given again: the tool may have run, and a second run would be
   * one that nobody decided about. The same question is then a new one, and people are asked (P4).
   */
  restore(records: readonly PermissionRecord[]): void {
    for (const record of records) {
      const kept = keptQuestionOf(record);
      if (kept === undefined) continue;
      if (kept.request.settlement === undefined) this.#takeUp(kept);
      else this.#settled.restore(kept);
      if (kept.request.settlement === undefined || kept.isUnheard) this.#unasked.set(kept.request.id, kept.digest);
    }
  }

  /** What was allowed for the rest of the session, as a store keeps it. */
  grants(): readonly Grant[] {
    return this.#options.rules.grants();
  }

  /** Takes up the grants of a former host. */
  restoreGrants(stored: unknown): void {
    this.#options.rules.restoreGrants(grantsOf(stored));
  }

  /**
   * The work in which they were asked is over, or its new process is: what no process has asked again is asked by nobody.
   * Open questions end undecided (P4).
   */
  loseUnasked(): void {
    for (const id of [...this.#unasked.keys()]) {
      const open = this.#open.get(id);
      if (open !== undefined) open.send({ type: 'permission.lost' });
      this.#unasked.delete(id);
      const decided = open === undefined ? this.#settled.get(id) : undefined;
      if (decided !== undefined) this.#options.onUnheard(decided.request);
    }
  }

  /**
   * Puts a question of the CLI on the desk and resolves with the payload of its answer. Rejects when the CLI must be told
   * that there is none. The signal takes the question back. A decision that is there at once may go to `respond` before.
   */
  async ask(
    requestId: string,
    wireRequest: Readonly<Record<string, unknown>>,
    signal: AbortNotice,
    respond?: (payload: unknown) => void,
  ): Promise<unknown> {
    const request = readPermissionRequest(requestId, wireRequest, this.#options.clock.now());
    let isAnswered = false;
    const answer = (decision: PermissionDecision) => {
      isAnswered = respond !== undefined;
      respond?.(wireDecision(decision, request));
    };
    const { decision, shown } = await this.#decision(request, signal, answer);
    if (isAnswered) return undefined;
    // What was shown is what is granted; the input is that of this very call.
    return wireDecision(decision, shown.kind === 'tool' ? { ...shown, input: request.input } : request);
  }

  /** As `ask`, for what an MCP server wants to know from the user (WIRE §19). */
  async elicit(
    requestId: string,
    wireRequest: Readonly<Record<string, unknown>>,
    signal: AbortNotice,
  ): Promise<unknown> {
    const request = readElicitation(requestId, wireRequest, this.#options.clock.now());
    return wireElicitation((await this.#decision(request, signal)).decision);
  }

  /** As `ask`, for a dialog of the CLI. Rejects at once for a kind that was not announced. */
  async showDialog(
    requestId: string,
    wireRequest: Readonly<Record<string, unknown>>,
    signal: AbortNotice,
  ): Promise<unknown> {
    const request = readUserDialog(requestId, wireRequest, this.#options.clock.now());
    const { dialogKind } = request.dialog;
    // "cancelled" would settle a dialog that some other client may show; the CLI discards an error.
    if (!this.#options.dialogKinds.includes(dialogKind))
      throw new Error(`Dialogs of the kind "${dialogKind}" are not shown here.`);
    return wireUserDialog((await this.#decision(request, signal)).decision);
  }

  /**
   * Answers an open question. Throws INVALID_ANSWER, PERMISSION_NOT_FOUND, or PERMISSION_SETTLED naming who was first.
   */
  answer(id: string, answer: unknown, by: string): PermissionRequest {
    const entry = this.#open.get(id);
    if (entry === undefined) throw this.#settled.refusal(id);
    if (entry.settlement !== undefined) throw settledBefore(id, entry.settlement);
    const decision = this.#parse(entry.request, answer);
    entry.send({ type: 'permission.answered', decision, by });
    return entry.request;
  }

  /** Nobody waits for them any more, as when the session closes: the open questions, or those of a kind, end undecided (P4). */
  withdrawAll(reason: string, kind?: PermissionRequest['kind']): void {
    if (kind === undefined) this.loseUnasked();
    for (const open of [...this.#open.values()]) {
      if (open.askedAs === undefined || (kind !== undefined && open.request.kind !== kind)) continue;
      open.send({ type: 'permission.withdrawn', reason });
    }
  }

  /**
   * For a hook before each tool: a CLI asks only about some calls, and rules that deny or ask are for all of them. Undefined
   * when there are no such rules.
   */
  guard(): Guard | undefined {
    const { clock, rules, onRequested, onSettled } = this.#options;
    if (!rules.guards) return undefined;
    return ruleGuard(rules, clock, (asked, settled, settlement) => {
      onRequested(asked);
      const deadlineMs = Number.POSITIVE_INFINITY;
      this.#settled.keep({ request: settled, digest: undefined, deadlineMs, settledAt: clock.now() });
      onSettled(settled, settlement);
    });
  }

  async #decision(
    request: PermissionRequest,
    signal: AbortNotice,
    answer?: (decision: PermissionDecision) => void,
  ): Promise<{ readonly decision: PermissionDecision; readonly shown: PermissionRequest }> {
    const { settlement, shown } = await this.#settle(request, signal, answer);
    if ('decision' in settlement) return { decision: settlement.decision, shown };
    throw new TroupeError('PERMISSION_SETTLED', { reason: 'reason' in settlement ? settlement.reason : CANCELLED });
  }

  async #settle(request: PermissionRequest, signal: AbortNotice, answer?: (decision: PermissionDecision) => void) {
    const known = this.#takeUnasked(request);
    const decided = this.#settled.get(known ?? '')?.request.settlement;
    if (known !== undefined && decided !== undefined) {
      const shown = this.get(known) ?? request;
      this.#options.onRebound(shown);
      return { settlement: decided, shown };
    }
    const open = this.#open.get(known ?? '') ?? this.#lay(request, { answer });
    open.markAsked(request.id);
    const withdraw = () => open.send(withdrawal(signal.reason));
    signal.addEventListener('abort', withdraw, { once: true });
    if (known !== undefined) this.#options.onRebound(open.request);
    if (signal.aborted) withdraw();
    else if (known === undefined) open.begin();
    const settlement = await open.settled;
    signal.removeEventListener('abort', withdraw);
    return { settlement, shown: open.request };
  }

  /** The oldest question of a former host that is this one: it was asked before it, and is asked again first. */
  #takeUnasked(request: PermissionRequest): string | undefined {
    if (this.#unasked.size === 0) return undefined;
    const digest = questionDigest(request);
    const [known] = [...this.#unasked].find(([, other]) => other === digest) ?? [];
    if (known !== undefined) this.#unasked.delete(known);
    return known;
  }

  #takeUp(kept: KeptQuestion): void {
    const { request, digest, expiresAt } = kept;
    const { kind, id: requestId, toolName = '', askedAt } = request;
    const persisted = { kind, requestId, toolName, askedAt, expiresAt };
    const input = restoredPermission(persisted, this.#options.clock.now());
    this.#lay(request, { former: { digest, input } }).begin();
  }

  /** Puts it among the open questions; its machine is still to be started. */
  #lay(
    request: PermissionRequest,
    {
      former,
      answer,
    }: {
      readonly former?: { readonly digest: string; readonly input: PermissionInput };
      readonly answer?: ((decision: PermissionDecision) => void) | undefined;
    },
  ): OpenQuestion {
    const { clock, deadlineMs, inspect, answersFirst, onRequested, onOpened, onPassed } = this.#options;
    const { kind, id: requestId, toolName = '' } = request;
    const open: OpenQuestion = new OpenQuestion({
      request,
      digest: former?.digest,
      input: former?.input ?? { kind, requestId, toolName, deadlineMs },
      clock,
      inspect,
      judge: () => verdictOn(request, this.#options),
      ask:
        former !== undefined || callbackFor(request, this.#options) !== undefined
          ? (signal) => this.#ask(open, signal)
          : undefined,
      // One of a former host is waited for when its process asks again.
      onRequested: () => former === undefined && onRequested(request),
      onOpen: () => former === undefined && onOpened(request),
      onSettled: (settlement) => this.#remember(open, settlement),
      onPassed: (settlement, wasOpen) => {
        if (answersFirst && 'decision' in settlement) answer?.(settlement.decision);
        onRequested(request);
        if (wasOpen) onPassed(request, () => this.#remember(open, settlement));
        else this.#remember(open, settlement);
      },
    });
    this.#open.set(requestId, open);
    return open;
  }

  async #ask(open: OpenQuestion, signal: LightAbort): Promise<Reply> {
    // Whoever knew the question before its host was lost may answer it; rules and callbacks are asked with its process.
    if (open.digest !== undefined) {
      await open.whenAsked();
      const verdict = signal.aborted ? undefined : await verdictOn(open.request, this.#options);
      if (verdict !== undefined && verdict.behavior !== 'ask') return verdict;
    }
    const answer = signal.aborted ? null : await this.#call(open.request, signal);
    if (answer === null) return nobody();
    return { ...this.#parse(open.request, answer), by: 'callback' };
  }

  /** Copies: what a callback does to its input must not change the one that was asked about and goes back to the CLI. */
  #call(request: PermissionRequest, light: LightAbort): Promise<unknown> | unknown {
    const { canUseTool, onElicitation, onUserDialog } = this.#options;
    switch (request.kind) {
      case 'tool':
        if (canUseTool === undefined) return null;
        return canUseTool(request.toolName, jsonCopy(request.input), contextOf(request, light));
      case 'elicitation':
        return onElicitation === undefined
          ? null
          : onElicitation(structuredClone(request.elicitation), { signal: light.signal, requestId: request.id });
      case 'dialog':
        return onUserDialog === undefined
          ? null
          : onUserDialog(structuredClone(request.dialog), { signal: light.signal, requestId: request.id });
    }
  }

  #parse(request: PermissionRequest, answer: unknown): PermissionDecision {
    if (request.kind === 'elicitation') return parseElicitationResult(answer, request.elicitation);
    if (request.kind === 'dialog') return parseUserDialogResult(answer);
    const { decision, droppedUpdates } = parsePermissionResult(answer);
    if (droppedUpdates > 0) this.#options.onDroppedUpdates(request, droppedUpdates);
    return decision;
  }

  #remember({ request, digest, deadlineMs }: OpenQuestion, settlement: Settlement): void {
    const { id } = request;
    const settled = { ...request, settlement };
    this.#open.delete(id);
    // Only a decision can be given to whoever asks again.
    if (!('decision' in settlement)) this.#unasked.delete(id);
    this.#settled.keep({ request: settled, digest, deadlineMs, settledAt: this.#options.clock.now() });
    if (request.kind === 'tool' && settlement.outcome === 'allowed') this.#grant(request, settlement.decision);
    this.#options.onSettled(settled, settlement);
  }

  /** For calls to come; what lies open keeps its own decision (R36). */
  #grant(request: ToolPermissionRequest, decision: PermissionDecision): void {
    const { scope = 'once', updatedInput } = decision;
    if (scope === 'once' || request.requiresUserInteraction) return;
    const offered = isChanged(request, decision) ? [] : offeredRules(request);
    this.#options.rules.grant(request.toolName, updatedInput ?? request.input, offered);
  }
}

/** Only the CLI itself can cancel; a channel that closes says with its error why the question has no asker any more. */
function withdrawal(reason: unknown): PermissionEvent {
  if (TroupeError.is(reason)) return { type: 'permission.withdrawn', reason: reason.message };
  return { type: 'permission.cancelled' };
}
