import type { EventLog } from '../store/event-log.ts';
import type { ResultFacts } from '../wire/facts.ts';
import type { PromptRules } from './loss-policy.ts';
import type { Again } from './quota-retry.ts';
import type { RestoredConversation } from './restored-conversation.ts';
import type { Spending } from './spending.ts';

export interface ConversationOptions {
  readonly log: EventLog;
  /** Asked anew each time: who takes a session over brings rules of its own. */
  readonly rules: () => PromptRules;
  /** The conversation that the options name, or that was made up for it. */
  readonly wanted: () => string | undefined;
  readonly continuesOther: boolean;
  readonly expectedMode: () => string;
  /** Asked before each prompt goes out; what is held back waits for `goOn`. */
  readonly admitsWork?: () => boolean;
  readonly again?: (result: ResultFacts) => Again | undefined;
  readonly spending?: Spending;
  /** A prompt could go out, and there is no process that takes it. */
  readonly onStranded?: () => void;
  /** From before a restart of the host. */
  readonly restored?: RestoredConversation | undefined;
}
