import type { Redaction } from '../redaction/redaction.ts';
import type { IncarnationListener } from '../session/incarnation.ts';
import { PassedOn } from '../session/passed-on.ts';
import { RedactedListener } from '../session/redacted-listener.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { LineRun } from '../wire/line-run.ts';
import type { StoreLink } from './store-link.ts';

/** The mirror gets what the CLI wrote, because the CLI reads it again; everybody else gets it without secrets. */
export function heardBy(
  listener: IncarnationListener,
  { redaction, storeLink }: { redaction: Redaction; storeLink: StoreLink | undefined },
  hear: (message: CliMessage) => void,
): IncarnationListener {
  const redacted = new RedactedListener(new OverheardListener(listener, hear), redaction);
  return storeLink?.mirrored(redacted) ?? redacted;
}

/** Whoever else has to know a message knows it first: what it means decides what the conversation may do next. */
class OverheardListener extends PassedOn {
  readonly #hear: (message: CliMessage) => void;

  constructor(to: IncarnationListener, hear: (message: CliMessage) => void) {
    super(to);
    this.#hear = hear;
  }

  override message(message: CliMessage): void {
    this.#hear(message);
    this.to.message(message);
  }

  /** Each of its lines says the same to them: the model answers. */
  override run(run: LineRun): void {
    this.#hear(run.message(0));
    this.to.run(run);
  }
}
