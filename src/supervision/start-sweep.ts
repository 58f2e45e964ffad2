import type { TimeoutOptions } from '../launch/session-options.ts';
import type { Logger } from '../launch/supervisor-options.ts';
import { onAbort } from './abort-watch.ts';
import { type ReapedOrphan, type ReapOptions, type ReapReport, reapOrphans } from './reap-orphans.ts';

/** A process that a lost host had left behind was ended, or could not be. Of the supervisor, not of one of its sessions. */
export interface OrphanEvent extends ReapedOrphan {
  readonly type: 'orphan.reaped' | 'orphan.survived';
  readonly at: number;
}

export interface StartSweepOptions {
  readonly isOn: boolean;
  /** Of the supervisor: its graces are those of the sweep. */
  readonly timeouts: TimeoutOptions | undefined;
  readonly logger: Logger | undefined;
  now(): number;
  tell(event: OrphanEvent): void;
}

/** The sweep before the first process of a supervisor: whoever resumes a conversation must be its only writer (P1). */
export class StartSweep {
  readonly #options: StartSweepOptions;
  #first: Promise<unknown> | undefined;

  constructor(options: StartSweepOptions) {
    this.#options = options;
  }

  /** Resolves when the first sweep is over, at once if there is to be none, or when the signal fires. Never rejects. */
  async before(signal: AbortSignal): Promise<void> {
    if (!this.#options.isOn || signal.aborted) return;
    this.#first ??= this.run().catch((error: unknown) =>
      this.#log('warn', { err: error }, 'the sweep for orphans failed'),
    );
    let stopWatching = () => {};
    const aborted = new Promise<void>((resolve) => {
      stopWatching = onAbort(signal, resolve);
    });
    await Promise.race([this.#first, aborted]);
    stopWatching();
  }

  /** Sweeps now, and tells what was found. */
  async run(options: ReapOptions = {}): Promise<ReapReport> {
    const { terminateGraceMs, killGraceMs } = this.#options.timeouts ?? {};
    const report = await reapOrphans({ terminateGraceMs, killGraceMs, ...options });
    for (const orphan of report.reaped) this.#tell('orphan.reaped', orphan);
    for (const orphan of report.survivors) this.#tell('orphan.survived', orphan);
    if (!report.isComplete) this.#log('warn', {}, 'the process table could not be read whole: orphans may be left');
    return report;
  }

  #tell(type: OrphanEvent['type'], orphan: ReapedOrphan): void {
    const event = { ...orphan, type, at: this.#options.now() };
    this.#log(type === 'orphan.reaped' ? 'info' : 'warn', event, type);
    this.#options.tell(event);
  }

  #log(level: 'info' | 'warn', facts: object, message: string): void {
    try {
      this.#options.logger?.[level](facts, message);
    } catch {
      // A logger that throws must not stop a start.
    }
  }
}
