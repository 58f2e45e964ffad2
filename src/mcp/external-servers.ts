import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { recordsOf, stringOf } from '../wire/fields.ts';
import type { ServerWatch } from './server-watch.ts';

/** What the CLI says about one server, in `mcp_status` or at the start of a turn. */
export interface ServerReport {
  readonly name: string;
  readonly status: string;
  readonly error?: string | undefined;
}

export interface ExternalServersOptions {
  readonly clock: Clock;
  readonly watch: ServerWatch;
  /** The servers the CLI runs or reaches for this session. */
  readonly names: () => readonly string[];
  /** Those of this process, which tell by their handshakes how they are, but not that they were switched off. */
  readonly isInProcess: (name: string) => boolean;
  /** Asks for `mcp_status`. */
  readonly ask: () => Promise<Readonly<Record<string, unknown>>>;
  /** Milliseconds a round of questions lasts at most. */
  readonly roundMs: number;
  /** The CLI does not tell the state of its servers. */
  readonly onUntold: (reason: string) => void;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1_000;

/**
 * The servers that the CLI itself runs or reaches. It tells what becomes of them only when it is asked, and at the start
 * of each turn (WIRE §9): so it is asked again and again, less and less often, until nothing is pending.
 */
export class ExternalServers {
  readonly #options: ExternalServersOptions;
  #round = 0;
  #timer: unknown;
  #wasTold = false;
  #isClosed = false;

  constructor(options: ExternalServersOptions) {
    this.#options = options;
  }

  /** The CLI began to connect these servers: all of them, unless they are named. */
  begin(names: readonly string[] = this.#options.names()): void {
    for (const name of names) this.#options.watch.handshakeStarted(name);
    if (names.length > 0) this.look();
  }

  /** Starts a round of questions, in place of one that is under way. */
  look(): void {
    if (this.#options.names().length > 0) this.lookAtAll();
  }

  /** As `look`, also where there are only servers of this process. */
  lookAtAll(): void {
    if (this.#isClosed) return;
    this.#options.clock.clearTimeout(this.#timer);
    this.#round += 1;
    void this.#ask(this.#round, FIRST_WAIT_MS, this.#options.clock.now() + this.#options.roundMs);
  }

  /** Takes what the CLI said by itself; servers that are not ours are none of our business. */
  note(reports: readonly ServerReport[]): void {
    if (this.#isClosed) return;
    const names = new Set(this.#options.names());
    for (const report of reports) {
      if (names.has(report.name)) this.#noteOne(report);
      else if (this.#options.isInProcess(report.name)) this.#noteSwitch(report);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  async #ask(round: number, waitMs: number, endsAt: number): Promise<void> {
    const { clock, ask, names, onUntold } = this.#options;
    let reports: readonly ServerReport[] = [];
    try {
      reports = readReports(await ask());
    } catch (error) {
      // Any other error means that the process is going, and its end is told by others.
      const isUntold = TroupeError.is(error) && (error.code === 'CONTROL_REFUSED' || error.code === 'CONTROL_TIMEOUT');
      if (isUntold && !this.#wasTold && round === this.#round && !this.#isClosed) onUntold(error.message);
      return;
    }
    this.#wasTold = true;
    if (round !== this.#round || this.#isClosed) return;
    this.note(reports);
    const isPending = (name: string) => (reports.find((one) => one.name === name)?.status ?? 'pending') === 'pending';
    if (!names().some(isPending) || clock.now() + waitMs > endsAt) return;
    this.#timer = clock.setTimeout(() => void this.#ask(round, Math.min(LONGEST_WAIT_MS, waitMs * 2), endsAt), waitMs);
  }

  /** A server of this process that is switched on again may not shake hands anew. */
  #noteSwitch({ name, status }: ServerReport): void {
    const { watch } = this.#options;
    if (status === 'disabled') watch.rest(name, 'disabled');
    if (status !== 'connected' || !watch.rests(name)) return;
    watch.handshakeStarted(name);
    watch.connected(name);
  }

  #noteOne({ name, status, error }: ServerReport): void {
    const { watch } = this.#options;
    if (status === 'needs-auth' || status === 'disabled') {
      watch.rest(name, status, error);
      return;
    }
    if (status !== 'connected' && status !== 'failed' && status !== 'pending') return;
    // Somebody switched it on again, or it was added by a way that is not ours.
    if (!watch.follows(name)) watch.handshakeStarted(name);
    if (status === 'connected') watch.connected(name);
    if (status === 'failed') watch.failed(name, error ?? 'the CLI gave no reason');
  }
}

function readReports(answer: Readonly<Record<string, unknown>>): ServerReport[] {
  return recordsOf(answer['mcpServers']).flatMap((one) => {
    const { name, status, error } = one;
    if (typeof name !== 'string' || typeof status !== 'string') return [];
    return [{ name, status, error: stringOf(error) }];
  });
}
