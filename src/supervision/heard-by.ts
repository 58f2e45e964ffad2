import type { Redaction } from '../redaction/redaction.ts';
import type { IncarnationListener } from '../session/incarnation.ts';
import { redactedListener } from '../session/redacted-listener.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { StoreLink } from './store-link.ts';

/** The mirror gets what the CLI wrote, because the CLI reads it again; everybody else gets it without secrets. */
export function heardBy(
  listener: IncarnationListener,
  { redaction, storeLink }: { redaction: Redaction; storeLink: StoreLink | undefined },
  hear: (message: CliMessage) => void,
): IncarnationListener {
  const redacted = redactedListener(hearing(listener, hear), redaction);
  return storeLink?.mirrored(redacted) ?? redacted;
}

/** Whoever else has to know a message knows it first: what it means decides what the conversation may do next. */
function hearing(listener: IncarnationListener, hear: (message: CliMessage) => void): IncarnationListener {
  return {
    ...listener,
    // Each of its lines says the same to them: the model answers.
    run: (run) => {
      hear(run.message(0));
      listener.run(run);
    },
    message: (message) => {
      hear(message);
      listener.message(message);
    },
  };
}
