import type { Answer } from '../control/pending-requests.ts';
import type { McpDesk } from '../mcp/mcp-desk.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { factOf } from '../wire/facts.ts';
import { hasFeature } from '../wire/features.ts';
import type { LineRun } from '../wire/line-run.ts';
import type { CliLinkListener } from './cli-link.ts';
import type { IncarnationListener } from './incarnation.ts';
import { outcomeOf } from './turn-result.ts';
import type { TurnWatch } from './turn-watch.ts';

/** Who hears a process first, and who hears it after them. */
export interface LinkHearers {
  readonly listener: IncarnationListener;
  readonly permissions: PermissionDesk;
  readonly mcp: McpDesk;
  readonly watch: TurnWatch;
}

/** What the CLI says of its servers by itself, at the start of each turn, and what an interrupted one leaves open. */
export class LinkListener implements CliLinkListener {
  readonly #hearers: LinkHearers;
  #takesBack = true;

  constructor(hearers: LinkHearers) {
    this.#hearers = hearers;
  }

  initialized(answer: Answer): void {
    this.#hearers.listener.initialized(answer);
    this.#hearers.mcp.begin();
  }

  run(run: LineRun): void {
    this.#hearers.watch.takeRun(run);
    this.#hearers.listener.run(run);
  }

  message(message: CliMessage): void {
    this.#hearers.watch.take(message);
    this.#hearers.listener.message(message);
    if (message.type !== 'result' && (message.type !== 'system' || message.subtype !== 'init')) return;
    const fact = factOf(message);
    if (fact?.type === 'turn.opened') {
      this.#hearers.mcp.turnOpened(fact);
      this.#takesBack = hasFeature(fact.cliVersion, fact.capabilities, 'cancelledElicitations');
    }
    if (fact?.type !== 'turn.result' || this.#takesBack || outcomeOf(fact, false) !== 'interrupted') return;
    this.#hearers.permissions.withdrawAll('Its turn was interrupted.', 'elicitation');
  }

  diagnostic(reason: string, detail: string, suppressed: number): void {
    this.#hearers.listener.diagnostic(reason, detail, suppressed);
  }

  stderr(line: string): void {
    this.#hearers.listener.stderr(line);
  }

  lastErrors(): readonly string[] {
    return this.#hearers.listener.lastErrors();
  }
}
