import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { EndCause, SessionStateName } from '../../machines/session/session.events.ts';
import type { Answer } from '../control/pending-requests.ts';
import type { WatchdogFact } from '../store/session-event.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { LineRun } from '../wire/line-run.ts';
import type { IncarnationListener } from './incarnation.ts';

/**
 * Passes everything on that a process is heard to say and do. Who stands between two overrides what it changes: a copy of the
 * other's functions for each of them would be a tenth of the memory of an idle session.
 */
export class PassedOn implements IncarnationListener {
  protected readonly to: IncarnationListener;

  constructor(to: IncarnationListener) {
    this.to = to;
  }

  stateEntered(state: SessionStateName): void {
    this.to.stateEntered(state);
  }

  statePassed(state: 'awaiting-permission', within: () => void): void {
    this.to.statePassed(state, within);
  }

  spawned(pid: number): void {
    this.to.spawned(pid);
  }

  initialized(answer: Answer): void {
    this.to.initialized(answer);
  }

  message(message: CliMessage): void {
    this.to.message(message);
  }

  run(run: LineRun): void {
    this.to.run(run);
  }

  ended(output: SessionOutput): void {
    this.to.ended(output);
  }

  idle(): void {
    this.to.idle();
  }

  overdue(what: 'turn' | 'interrupt', deadlineMs: number): void {
    this.to.overdue(what, deadlineMs);
  }

  watched(fact: WatchdogFact, cause: EndCause): void {
    this.to.watched(fact, cause);
  }

  mcpChanged(server: string, status: string, reason: string | undefined): void {
    this.to.mcpChanged(server, status, reason);
  }

  diagnostic(reason: string, detail: string, suppressed: number): void {
    this.to.diagnostic(reason, detail, suppressed);
  }

  stderr(line: string): void {
    this.to.stderr(line);
  }

  lastErrors(): readonly string[] {
    return this.to.lastErrors();
  }
}
