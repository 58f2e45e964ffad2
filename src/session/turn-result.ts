import { TroupeError } from '../errors.ts';
import type { PromptOutcome } from '../store/session-event.ts';
import { limitHitOf } from '../wire/account-facts.ts';
import type { ResultFacts, Usage } from '../wire/facts.ts';
import type { ModelUsage, TurnCost } from './cost-meter.ts';
import { failureWords } from './result-words.ts';

/** How a turn ended. `turn.result` always resolves with one of these; it never rejects. */
export interface TurnResult {
  readonly outcome: PromptOutcome;
  /** The final text of the model; undefined unless the turn completed. */
  readonly text: string | undefined;
  /** Why it failed, was lost, was given back, or was interrupted by a deadline; an interrupt somebody asked for is no error. */
  readonly error: TroupeError | undefined;
  /** Tokens of the main conversation in this turn; unknown is undefined, not 0. */
  readonly usage: Usage | undefined;
  /**
   * US dollars the whole turn added. A merged turn has one price, which every prompt in `promptIds` shows: add up
   * `session.turns()`, not prompts. Undefined where it was not told, also beyond the 64 prompts a result can name.
   */
  readonly costUsd: number | undefined;
  /** What the whole turn added by model, with its subagents; undefined where the release does not tell. */
  readonly models: Readonly<Record<string, ModelUsage>> | undefined;
  readonly durationMs: number | undefined;
  /** Every prompt this result answered: the CLI may merge waiting prompts into one turn (WIRE §11). */
  readonly promptIds: readonly string[];
  /** Tool calls that were refused during the turn. */
  readonly permissionDenials: number;
  readonly structuredOutput: unknown;
  readonly conversationId: string | undefined;
}

/** `is_error` decides, never `subtype` (WIRE §0.5); an aborted turn is an interruption, not an error (P3, R43). */
export function outcomeOf(result: ResultFacts, wasInterruptAsked: boolean): PromptOutcome {
  if (result.terminalReason?.startsWith('aborted_') === true) return 'interrupted';
  // Up to 2.1.19 an interrupted turn looks like this and nothing else does (WIRE §23).
  if (result.subtype === 'error_during_execution' && (wasInterruptAsked || !result.isError)) return 'interrupted';
  // The same versions report a limit that was reached with `is_error` false.
  return result.isError || result.subtype.startsWith('error_max_') ? 'failed' : 'completed';
}

export function endedByResult(
  result: ResultFacts,
  facts: {
    outcome: PromptOutcome;
    cost: TurnCost;
    promptIds: readonly string[];
    interruptReason?: TroupeError | undefined;
  },
): TurnResult {
  return {
    outcome: facts.outcome,
    text: facts.outcome === 'completed' ? result.text : undefined,
    error: errorFor(facts.outcome, result, facts.interruptReason),
    usage: result.usage,
    costUsd: facts.cost.costUsd,
    models: facts.cost.models,
    durationMs: result.durationMs,
    promptIds: facts.promptIds,
    permissionDenials: result.permissionDenials,
    structuredOutput: result.structuredOutput,
    conversationId: result.conversationId,
  };
}

/** An end without a result of its own: given back, lost with the process, or known only by its lifecycle. */
export function endedWithoutResult(
  outcome: PromptOutcome,
  promptId: string,
  error: TroupeError | undefined,
): TurnResult {
  return {
    outcome,
    text: undefined,
    error,
    usage: undefined,
    costUsd: undefined,
    models: undefined,
    durationMs: undefined,
    promptIds: [promptId],
    permissionDenials: 0,
    structuredOutput: undefined,
    conversationId: undefined,
  };
}

function errorFor(outcome: PromptOutcome, result: ResultFacts, interruptReason: TroupeError | undefined) {
  if (outcome === 'failed') return failureOf(result);
  return outcome === 'interrupted' ? interruptReason : undefined;
}

/** The CLI makes two tool calls of one id, up to 2.1.19: no host can help it (DIALECTS §1). */
const DUPLICATE_TOOL_USE = /`?tool_use`? ids must be unique/;

function failureOf(result: ResultFacts): TroupeError {
  const limit = limitHitOf(result);
  const words = failureWords(result);
  return new TroupeError(limit === undefined ? 'TURN_FAILED' : 'QUOTA_REACHED', {
    reason: words,
    details: {
      ...(DUPLICATE_TOOL_USE.test(words) ? { cliFault: 'duplicate-tool-use-ids' } : {}),
      subtype: result.subtype,
      terminalReason: result.terminalReason,
      apiErrorStatus: result.apiErrorStatus,
      ...(limit?.resetsAt === undefined ? {} : { resetsAt: limit.resetsAt }),
    },
  });
}
