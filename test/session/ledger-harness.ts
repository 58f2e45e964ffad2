import { TroupeError } from '../../src/errors.ts';
import type { OnPromptLost } from '../../src/launch/session-options.ts';
import type { LossPolicy } from '../../src/session/loss-policy.ts';
import { PromptLedger } from '../../src/session/prompt-ledger.ts';
import type { OnBusy } from '../../src/session/prompt-record.ts';
import type { TurnResult } from '../../src/session/turn-result.ts';
import type { ResultFacts } from '../../src/wire/facts.ts';

/** One step of a recording: what the host did (first row) or what the CLI told. */
export type Step =
  | { readonly send: string | readonly string[]; readonly onBusy?: OnBusy }
  | { readonly interrupt: true }
  | 'init'
  | readonly [uuid: string, state: 'queued' | 'started' | 'completed' | 'cancelled' | 'echo']
  | { readonly result: Partial<ResultFacts> };

export interface Ended {
  readonly id: string;
  readonly result: TurnResult;
}

const COST = { costUsd: 0.5, models: undefined };

/** A ledger that keeps what it told, fed with the facts of recordings as a conversation feeds them. */
export function openLedger(options: { hasLifecycle?: boolean; maxQueued?: number; onLost?: OnPromptLost } = {}) {
  const hasLifecycle = options.hasLifecycle ?? false;
  const started: string[] = [];
  const doubted: string[] = [];
  const ended: Ended[] = [];
  /** What each result was said to answer. */
  const covered: (readonly string[])[] = [];
  const ledger = new PromptLedger({
    now: () => 1_700,
    rules: () => ({ maxQueued: options.maxQueued ?? 1_000, onLost: options.onLost ?? 'once' }),
    listener: {
      doubted: ({ id }, { code }) => doubted.push(`${id} ${code}`),
      started: ({ id }) => started.push(id),
      ended: ({ id }, result) => ended.push({ id, result }),
    },
  });
  const accept = (id: string, onBusy: OnBusy = 'steer') =>
    ledger.accept({ id, content: `prompt ${id}`, onBusy, acceptedSeq: 1 });
  const deliverAll = () => {
    const delivered: string[] = [];
    for (let record = ledger.deliverNext(); record !== undefined; record = ledger.deliverNext()) {
      delivered.push(record.id);
    }
    return delivered;
  };
  const take = (step: Step) => {
    if (step === 'init') ledger.onTurnOpened(hasLifecycle);
    else if ('send' in step) {
      for (const id of [step.send].flat()) accept(id, step.onBusy);
      deliverAll();
    } else if ('interrupt' in step) ledger.markInterrupted();
    else if ('result' in step) covered.push(ledger.onResult(resultOf(step.result), COST, hasLifecycle));
    else if (step[1] === 'echo') ledger.onEcho(step[0]);
    else ledger.onLifecycle(step[0], step[1]);
  };
  return {
    ledger,
    started,
    doubted,
    ended,
    covered,
    accept,
    deliverAll,
    play: (...steps: readonly Step[]) => steps.forEach(take),
    lose: (policy: Partial<LossPolicy> = {}) =>
      ledger.onProcessLost({
        isRestarting: false,
        canSendAgain: hasLifecycle,
        wasAsked: false,
        error: new TroupeError('CLI_EXITED'),
        ...policy,
      }),
    /** `id outcome text` of every end, in order. */
    ends: () => ended.map(({ id, result }) => [id, result.outcome, result.text].filter(Boolean).join(' ')),
  };
}

export function resultOf(facts: Partial<ResultFacts> = {}): ResultFacts {
  return {
    subtype: 'success',
    isError: false,
    text: undefined,
    errors: [],
    terminalReason: undefined,
    apiErrorStatus: undefined,
    promptUuids: [],
    origin: undefined,
    conversationId: 'c1',
    totalCostUsd: undefined,
    usage: undefined,
    modelUsage: undefined,
    modelUsageAdded: undefined,
    turns: 1,
    durationMs: 10,
    permissionDenials: 0,
    structuredOutput: undefined,
    ...facts,
  };
}

/** How 2.1.332 reports a turn that was interrupted while it streamed (WIRE §8). */
export const INTERRUPTED = {
  subtype: 'error_during_execution',
  isError: true,
  terminalReason: 'aborted_streaming',
  errors: ['[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null'],
};
