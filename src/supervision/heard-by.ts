import type { Redaction } from '../redaction/redaction.ts';
import type { IncarnationListener } from '../session/incarnation.ts';
import { PassedOn } from '../session/passed-on.ts';
import type { QuotaRetry } from '../session/quota-retry.ts';
import { RedactedListener } from '../session/redacted-listener.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { LineRun } from '../wire/line-run.ts';
import type { AccountSeat } from './account-seat.ts';
import type { StoreLink } from './store-link.ts';

/** Who has to know what a process says before its conversation does. */
export interface Foreknowing {
  readonly retry: Pick<QuotaRetry, 'hear'>;
  readonly account: Pick<AccountSeat, 'hear' | 'hearAnswer'> | undefined;
}

/** The mirror gets what the CLI wrote, because the CLI reads it again; everybody else gets it without secrets. */
export function heardBy(
  listener: IncarnationListener,
  { redaction, storeLink }: { redaction: Redaction; storeLink: StoreLink | undefined },
  first: Foreknowing,
): IncarnationListener {
  const redacted = new RedactedListener(new OverheardListener(listener, first), redaction);
  return storeLink?.mirrored(redacted) ?? redacted;
}

/** Whoever else has to know a message knows it first: what it means decides what the conversation may do next. */
class OverheardListener extends PassedOn {
  readonly #retry: Foreknowing['retry'];
  readonly #account: Foreknowing['account'];

  constructor(to: IncarnationListener, { retry, account }: Foreknowing) {
    super(to);
    this.#retry = retry;
    this.#account = account;
  }

  override message(message: CliMessage): void {
    this.#retry.hear(message);
    this.#account?.hear(message);
    this.to.message(message);
  }

  /** The model answers, and no more is to be known of its lines. */
  override run(run: LineRun): void {
    this.#account?.hearAnswer();
    this.to.run(run);
  }
}
