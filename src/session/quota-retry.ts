import { limitHitOf } from '../wire/account-facts.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { ResultFacts } from '../wire/facts.ts';

/** What is said to the model in place of a prompt whose work had begun: the prompt itself stands in the conversation. */
const GO_ON = 'A usage limit of the account cut your last turn off. Go on where it stopped.';

/** How a prompt is sent once more: as it was, or as a call to go on. */
export type Again = { readonly content: string | undefined };

/** Decides about prompts whose turn met a limit of the account: they wait for its reset, and nothing is done twice (R86, P2). */
export class QuotaRetry {
  readonly #isOn: boolean;
  #hasWorked = false;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** Hears every message before its conversation does. */
  hear(message: CliMessage): void {
    if (message.type === 'system' && message.subtype === 'init') this.#hasWorked = false;
    if (message.type === 'assistant' && message.line.includes('"type":"tool_use"')) this.#hasWorked = true;
  }

  again(result: ResultFacts): Again | undefined {
    if (!this.#isOn || limitHitOf(result) === undefined) return undefined;
    return { content: this.#hasWorked ? GO_ON : undefined };
  }
}
