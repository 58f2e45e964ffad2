import type { ModelTokens, ResultFacts, Usage } from '../wire/facts.ts';

/** What one model used: tokens, and US dollars by the CLI's own price list. Unknown is undefined, not 0. */
export type ModelUsage = ModelTokens;

/** What a session has used so far. Unknown is undefined, not 0. */
export interface SessionUsage extends Usage {
  /** US dollars, by the CLI's own price list. */
  readonly costUsd: number | undefined;
  /** By the name of the model, subagents and summaries included. */
  readonly models: Readonly<Record<string, ModelUsage>>;
  /** Results seen, unprompted turns included. */
  readonly turns: number;
}

/** What one turn added. */
export interface TurnCost {
  readonly costUsd: number | undefined;
  /** By the name of the model; undefined where the release does not tell. */
  readonly models: Readonly<Record<string, ModelUsage>> | undefined;
}

/** What one turn added, with the tokens of its main conversation. */
export interface CountedUsage extends TurnCost {
  readonly usage: Usage | undefined;
}

type Models = Readonly<Record<string, ModelUsage>>;

/** Running totals of a process, as its newest result told them. */
export interface Totals {
  readonly costUsd: number;
  readonly models: Models;
}

const ZERO: Totals = { costUsd: 0, models: {} };
const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;

/**
 * Adds up what the turns cost, over the processes of a session and over `/clear` (R84). From 2.1.312 on a result says what
 * it adds. Before, it holds running totals of the process, and a turn is what they rose by; they begin at zero again after
 * `/clear`, and in a new process, unless that is a release from 2.1.261 on whose predecessor ended in order: such a one
 * goes on from the totals it finds in the transcript (measured). The first turn on a conversation of somebody else has then no
 * known price.
 */
export class CostMeter {
  #mark = ZERO;
  /** The totals may hold what somebody else's process spent, until the first result was counted. */
  #mayHoldOthers: boolean;
  /** Totals of the former process, until the first result of the new one tells whether they go on. */
  #inherited: Totals | undefined;
  #costUsd: number | undefined;
  #tokens: Usage | undefined;
  #models: Models = {};
  #turns = 0;
  #wentOn = false;

  /** `continuesOther`: the session goes on with a conversation that other processes began. */
  constructor({ continuesOther = false }: { continuesOther?: boolean } = {}) {
    this.#mayHoldOthers = continuesOther;
  }

  /** The newest result went on from the totals of a former process, with what that had spent and not told. */
  get wentOn(): boolean {
    return this.#wentOn;
  }

  startProcess(): void {
    this.#inherited = this.#mark === ZERO ? this.#inherited : this.#mark;
    this.#mark = ZERO;
  }

  /** Counts a result and returns what its turn added. `mayGoOn`: this release may take up the totals of a former process. */
  add(result: ResultFacts, mayGoOn = false): TurnCost {
    this.#turns += 1;
    this.#wentOn = false;
    const added = result.modelUsageAdded === undefined ? this.#rise(result, mayGoOn) : told(result.modelUsageAdded);
    this.#inherited = undefined;
    this.#mayHoldOthers = false;
    this.#mark = {
      costUsd: result.totalCostUsd ?? this.#mark.costUsd,
      models: result.modelUsage ?? this.#mark.models,
    };
    this.#count(added, result.usage);
    return added;
  }

  /** What the next turn is measured by; undefined before the first result. */
  get totals(): Totals | undefined {
    return this.#mark === ZERO ? this.#inherited : this.#mark;
  }

  /** Takes up what was counted before a restart of the host: turns that ended, and the totals after the last of them. */
  restore(turns: readonly CountedUsage[], totals: Totals | undefined): void {
    for (const turn of turns) this.#count(turn, turn.usage);
    this.#turns += turns.length;
    this.#inherited = totals;
    if (turns.length > 0) this.#mayHoldOthers = false;
  }

  #count(added: TurnCost, usage: Usage | undefined): void {
    if (added.costUsd !== undefined) this.#costUsd = (this.#costUsd ?? 0) + added.costUsd;
    this.#models = sumModels(this.#models, added.models ?? {});
    // Per model the subagents are counted, too; the usage of a result is that of its main conversation (WIRE §17).
    this.#tokens = sum(this.#tokens, added.models === undefined ? usage : tokensOf(added.models));
  }

  usage(): SessionUsage {
    return {
      costUsd: this.#costUsd,
      inputTokens: this.#tokens?.inputTokens,
      outputTokens: this.#tokens?.outputTokens,
      cacheReadTokens: this.#tokens?.cacheReadTokens,
      cacheCreationTokens: this.#tokens?.cacheCreationTokens,
      models: this.#models,
      turns: this.#turns,
    };
  }

  #rise(result: ResultFacts, mayGoOn: boolean): TurnCost {
    const { totalCostUsd, modelUsage } = result;
    // How much of it is this turn's nobody tells: unknown is better than somebody else's money.
    if (mayGoOn && this.#mayHoldOthers && isMoreThanTurn(result)) return { costUsd: undefined, models: undefined };
    this.#wentOn = mayGoOn && this.#inherited !== undefined && goesOn(result, this.#inherited);
    if (this.#wentOn) this.#mark = this.#inherited ?? ZERO;
    if (hasFallen(result, this.#mark)) this.#mark = ZERO;
    const mark = this.#mark;
    return {
      costUsd: totalCostUsd === undefined ? undefined : totalCostUsd - mark.costUsd,
      models: modelUsage === undefined ? undefined : riseOfModels(mark.models, modelUsage),
    };
  }
}

function told(models: Models): TurnCost {
  const costs = Object.values(models).map(({ costUsd }) => costUsd);
  const isKnown = costs.every((cost) => cost !== undefined);
  return { costUsd: isKnown ? costs.reduce((total, cost) => total + (cost ?? 0), 0) : undefined, models };
}

/** What is left of the totals without this turn's own tokens must hold everything the former process counted. */
function goesOn({ totalCostUsd, modelUsage, usage }: ResultFacts, former: Totals): boolean {
  if (totalCostUsd === undefined || totalCostUsd < former.costUsd || modelUsage === undefined) return false;
  return tokenCount(tokensOf(modelUsage)) - tokenCount(usage) >= tokenCount(tokensOf(former.models));
}

function isMoreThanTurn({ modelUsage, usage }: ResultFacts): boolean {
  return modelUsage !== undefined && tokenCount(tokensOf(modelUsage)) > tokenCount(usage);
}

function hasFallen({ totalCostUsd, modelUsage }: ResultFacts, mark: Totals): boolean {
  if (totalCostUsd !== undefined && totalCostUsd < mark.costUsd) return true;
  return modelUsage !== undefined && tokenCount(tokensOf(modelUsage)) < tokenCount(tokensOf(mark.models));
}

function riseOfModels(from: Models, to: Models): Models {
  const rises = Object.entries(to).map(([name, now]) => [name, rise(from[name], now)] as const);
  // A model that did nothing in this turn still has its totals in the result.
  return Object.fromEntries(rises.filter(([, model]) => tokenCount(model) > 0 || (model.costUsd ?? 0) > 0));
}

function rise(from: ModelUsage | undefined, to: ModelUsage): ModelUsage {
  if (from === undefined) return to;
  const difference = (name: keyof ModelUsage) => {
    const value = to[name];
    return value === undefined ? undefined : value - (from[name] ?? 0);
  };
  return {
    inputTokens: difference('inputTokens'),
    outputTokens: difference('outputTokens'),
    cacheReadTokens: difference('cacheReadTokens'),
    cacheCreationTokens: difference('cacheCreationTokens'),
    costUsd: difference('costUsd'),
  };
}

function sumModels(left: Models, right: Models): Models {
  const summed = Object.entries(right).map(([name, model]) => {
    const known = left[name];
    const costUsd = known === undefined ? model.costUsd : plus(known.costUsd, model.costUsd);
    return [name, { ...(sum(known, model) ?? model), costUsd }] as const;
  });
  return { ...left, ...Object.fromEntries(summed) };
}

function tokensOf(models: Models): Usage | undefined {
  return Object.values(models).reduce<Usage | undefined>((total, model) => sum(total, model), undefined);
}

function tokenCount(usage: Usage | undefined): number {
  return COUNTS.reduce((total, name) => total + (usage?.[name] ?? 0), 0);
}

function sum(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    inputTokens: plus(left.inputTokens, right.inputTokens),
    outputTokens: plus(left.outputTokens, right.outputTokens),
    cacheReadTokens: plus(left.cacheReadTokens, right.cacheReadTokens),
    cacheCreationTokens: plus(left.cacheCreationTokens, right.cacheCreationTokens),
  };
}

function plus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
