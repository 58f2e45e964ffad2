import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import type { ProcessRedaction } from '../redaction/process-redaction.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { WatchdogFact } from '../store/session-event.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { LineRun } from '../wire/line-run.ts';
import type { IncarnationListener } from './incarnation.ts';
import { PassedOn } from './passed-on.ts';

/** What a process says reaches nobody before the secrets are taken out of it (P11). */
export class RedactedListener extends PassedOn {
  readonly #redaction: Redaction;
  readonly #own: ProcessRedaction;

  constructor(to: IncarnationListener, redaction: Redaction) {
    super(to);
    this.#redaction = redaction;
    this.#own = redaction.process();
  }

  override message(message: CliMessage): void {
    for (const told of this.#own.message(message)) this.to.message(told);
  }

  override run(run: LineRun): void {
    this.#own.run(run, this.to);
  }

  override stderr(line: string): void {
    this.to.stderr(this.#own.stderr(line));
  }

  override watched(fact: WatchdogFact, cause: EndCause): void {
    this.to.watched(fact, this.#redaction.value(cause));
  }

  override ended(output: SessionOutput): void {
    const rest = this.#own.end();
    if (rest.stderr !== '') this.to.stderr(rest.stderr);
    for (const message of rest.messages) this.to.message(message);
    this.to.ended(this.#redaction.value(output));
  }
}
