import { type Amounts, NOTHING, plus } from '../../machines/budget/amounts.ts';
import type { Spending as SpendingTold } from '../../machines/budget/ledger.ts';
import { SparseMap } from '../sparse.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { ResultFacts, Usage } from '../wire/facts.ts';
import { type MessageUsage, messageUsageOf } from '../wire/message-usage.ts';
import type { TurnCost } from './cost-meter.ts';
import type { PriceTable } from './price-table.ts';
import type { CountedTurn } from './stored-turn.ts';

/** What a session spends, for whoever keeps the ledger of all. */
export type UsageNews = Omit<SpendingTold, 'id'> & { readonly unpricedModel: string | undefined };

/** Answers of one turn whose usage may still be told again. */
const ANSWERS_KEPT = 1_000;

interface Used extends Amounts {
  readonly unpricedModel: string | undefined;
}

const UNUSED: Used = { ...NOTHING, unpricedModel: undefined };

/**
 * Tells what a session spends: while a turn runs by its answers, each counted once (R84), and after it by its result, which
 * replaces them. What was seen of a turn without a result is what it is known to have cost.
 */
export class Spending {
  readonly #prices: PriceTable | undefined;
  readonly #tell: (news: UsageNews) => void;
  readonly #answers = new SparseMap<string, Used>();
  #open: Used = UNUSED;
  /** What became final without a result; a process that goes on with the totals of the former tells it again. */
  #lost: Amounts = NOTHING;
  #hasTurn = false;
  #counted: CountedTurn | undefined;

  constructor(options: { prices: PriceTable | undefined; tell: (news: UsageNews) => void }) {
    this.#prices = options.prices;
    this.#tell = options.tell;
  }

  /** Whether a prompt is out or a turn is open. */
  working(hasTurn: boolean): void {
    if (hasTurn === this.#hasTurn) return;
    this.#hasTurn = hasTurn;
    if (hasTurn) this.#counted = undefined;
    this.#report(UNUSED);
  }

  /** What was told of the newest turn as final; undefined while it runs. */
  get counted(): CountedTurn | undefined {
    return this.#counted;
  }

  saw(message: CliMessage): void {
    const told = messageUsageOf(message);
    if (told === undefined) return;
    const before = this.#answers.get(told.id) ?? UNUSED;
    const now = this.#usedBy(told);
    if (now.tokens <= before.tokens && now.usd <= before.usd) return;
    this.#answers.set(told.id, now);
    if (this.#answers.size > ANSWERS_KEPT) this.#answers.delete([...this.#answers.keys()][0] ?? '');
    this.#open = {
      ...plus(this.#open, { usd: now.usd - before.usd, tokens: now.tokens - before.tokens }),
      unpricedModel: this.#open.unpricedModel ?? now.unpricedModel,
    };
    this.#report(UNUSED);
  }

  /**
   * `wentOn`: the totals of the process are those of the former one, with what that had not told. `isSentAgain`: the turn
   * was refused, and is taken up later: it counts then.
   */
  closed(
    result: ResultFacts,
    cost: TurnCost,
    facts: { model: string | undefined; wentOn: boolean; isSentAgain?: boolean },
  ): void {
    const used = this.#usedIn(result, cost, facts.model);
    const again = facts.wentOn ? this.#lost : NOTHING;
    this.#lost = NOTHING;
    this.#hasTurn = false;
    this.#close({
      usd: Math.max(0, used.usd - again.usd),
      tokens: Math.max(0, used.tokens - again.tokens),
      turns: facts.isSentAgain === true ? 0 : 1,
      unpricedModel: used.unpricedModel,
    });
  }

  /** The process is gone. */
  lost(): void {
    const { usd, tokens } = this.#open;
    this.#lost = plus(this.#lost, { usd, tokens });
    if (!this.#hasTurn && tokens === 0) return;
    this.#hasTurn = false;
    // Without prices of one's own, nobody will ever tell what it cost.
    this.#close(this.#open, this.#prices === undefined && tokens > 0);
  }

  #close(settled: Used, isUnpriced = false): void {
    this.#answers.clear();
    this.#open = UNUSED;
    const { usd, tokens, turns, unpricedModel } = settled;
    this.#counted = { usd, tokens, turns, isUnpriced: isUnpriced || unpricedModel !== undefined };
    this.#report(settled, isUnpriced);
  }

  #report({ unpricedModel, usd, tokens, turns }: Used, isUnpriced = false): void {
    const model = unpricedModel ?? this.#open.unpricedModel;
    this.#tell({
      settled: { usd, tokens, turns },
      open: { usd: this.#open.usd, tokens: this.#open.tokens, turns: 0 },
      hasTurn: this.#hasTurn,
      isUnpriced: isUnpriced || model !== undefined,
      unpricedModel: model,
    });
  }

  #usedBy({ model, usage }: MessageUsage): Used {
    const tokens = tokensOf(usage);
    const usd = this.#prices === undefined ? 0 : this.#prices.priceOf(model, usage);
    return {
      usd: usd ?? 0,
      tokens,
      turns: 0,
      unpricedModel: usd === undefined && tokens > 0 ? named(model) : undefined,
    };
  }

  #usedIn(result: ResultFacts, { costUsd, models }: TurnCost, model: string | undefined): Used {
    const parts = models === undefined ? [[model, result.usage] as const] : Object.entries(models);
    const known = parts.flatMap(([name, usage]) => (usage === undefined ? [] : [{ name, usage }]));
    const tokens = known.reduce((sum, { usage }) => sum + tokensOf(usage), 0);
    // Where only the main conversation is told, the answers of subagents are known better than by it.
    const seen = models === undefined ? this.#open : UNUSED;
    if (this.#prices === undefined) {
      const isUnknown = costUsd === undefined && Math.max(tokens, seen.tokens) > 0;
      return {
        usd: costUsd ?? 0,
        tokens: Math.max(tokens, seen.tokens),
        turns: 1,
        unpricedModel: isUnknown ? named(known[0]?.name ?? model) : undefined,
      };
    }
    const priced = known.map(({ name, usage }) => ({ name, usage, usd: this.#prices?.priceOf(name, usage) }));
    const unpriced = priced.find(({ usd, usage }) => usd === undefined && tokensOf(usage) > 0);
    const usd = priced.reduce((sum, part) => sum + (part.usd ?? 0), 0);
    return {
      usd: Math.max(usd, seen.usd),
      tokens: Math.max(tokens, seen.tokens),
      turns: 1,
      unpricedModel: unpriced === undefined ? seen.unpricedModel : named(unpriced.name),
    };
  }
}

/** Each text once, when it is first read: what is read from the cache again does not count. */
function tokensOf({ inputTokens = 0, outputTokens = 0, cacheCreationTokens = 0 }: Usage): number {
  return inputTokens + outputTokens + cacheCreationTokens;
}

function named(model: string | undefined): string {
  return model ?? 'unknown';
}
