import type { LedgerRecord } from '../store/store-record.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { ResultFacts } from '../wire/facts.ts';
import { hasFeature } from '../wire/features.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import { CostMeter, type SessionUsage, type TurnCost } from './cost-meter.ts';
import type { RestoredTurns } from './restored-conversation.ts';
import type { Spending } from './spending.ts';
import { storedTurnOf } from './stored-turn.ts';
import { TurnHistory, type TurnRecord } from './turn-history.ts';

/** The turns of a session, what each used, and who is told of it. */
export class TurnBook {
  readonly #history = new TurnHistory();
  readonly #meter: CostMeter;
  readonly #spending: Spending | undefined;

  constructor(options: { continuesOther: boolean; spending?: Spending | undefined }) {
    this.#meter = new CostMeter(options);
    this.#spending = options.spending;
  }

  /** Counts the turns that opened. */
  get count(): number {
    return this.#history.count;
  }

  usage(): SessionUsage {
    return this.#meter.usage();
  }

  list(): readonly TurnRecord[] {
    return this.#history.list();
  }

  /** The newest turn as a store keeps it; undefined before the first. */
  stored(model: string | undefined): LedgerRecord | undefined {
    const turn = this.#history.newest;
    if (turn === undefined) return undefined;
    return storedTurnOf(turn, { model, counted: this.#spending?.counted, totals: this.#meter.totals });
  }

  restore({ list, counted, totals }: RestoredTurns, at: number): void {
    this.#history.restore(list, at);
    this.#meter.restore(counted, totals);
  }

  startProcess(): void {
    this.#meter.startProcess();
  }

  /** Whether a prompt is out or a turn is open. */
  working(hasTurn: boolean): void {
    this.#spending?.working(hasTurn);
  }

  saw(message: CliMessage): void {
    this.#spending?.saw(message);
  }

  opened(turn: { incarnation: number; conversationId: string | undefined; at: number }): void {
    this.#spending?.working(true);
    this.#history.opened(turn);
  }

  /** What the turn of the result added, told before anybody hears of its end and sends the next prompt out of a spent budget. */
  add(result: ResultFacts, { cliVersion, capabilities, model }: ConversationFacts, isSentAgain: boolean): TurnCost {
    const cost = this.#meter.add(result, hasFeature(cliVersion, capabilities, 'totalsGoOn'));
    this.#spending?.closed(result, cost, { model, wentOn: this.#meter.wentOn, isSentAgain });
    return cost;
  }

  closed(result: ResultFacts, cost: TurnCost, end: { promptIds: readonly string[]; at: number }): void {
    this.#history.closed(result, cost, end);
  }

  /** The process is gone: before its prompts are dealt with. */
  cutOff(): void {
    this.#spending?.lost();
  }

  /** … and after. */
  lost(at: number): void {
    this.#history.lost(at);
  }
}
