import type { Redaction } from '../redaction/redaction.ts';
import type { IncarnationListener } from './incarnation.ts';

/** What a process says reaches nobody before the secrets are taken out of it (P11). */
export function redactedListener(listener: IncarnationListener, redaction: Redaction): IncarnationListener {
  const own = redaction.process();
  const endTexts = () => {
    const rest = own.end();
    if (rest.stderr !== '') listener.stderr(rest.stderr);
    for (const message of rest.messages) listener.message(message);
  };
  return {
    ...listener,
    message: (message) => {
      for (const told of own.message(message)) listener.message(told);
    },
    run: (run) => own.run(run, listener),
    stderr: (line) => listener.stderr(own.stderr(line)),
    watched: (fact, cause) => listener.watched(fact, redaction.value(cause)),
    ended: (output) => {
      endTexts();
      listener.ended(redaction.value(output));
    },
  };
}
