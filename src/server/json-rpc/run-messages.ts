import type { EventRun } from '../../store/event-run.ts';
import { asBytes, runFrames } from './run-frames.ts';

/** Runs whose frames are kept for those who are a little behind the first. */
const MOST_RUNS = 16;

/**
 * The lines of a run as `cli_message` notices, made once for all front ends that get them, in one piece for each way of
 * carrying them. Undefined where a line is broken UTF-8: then each is told by itself.
 */
export class RunMessages {
  readonly #sessionId: string;
  readonly #run: EventRun;
  #lines: { readonly made: Buffer | undefined } | undefined;
  #frames: { readonly made: Buffer | undefined } | undefined;

  constructor(sessionId: string, run: EventRun) {
    this.#sessionId = sessionId;
    this.#run = run;
  }

  /** Each with a line feed behind it. */
  get lines(): Buffer | undefined {
    this.#lines ??= { made: this.#made('}}\n') };
    return this.#lines.made;
  }

  /** Each as a frame of a WebSocket, from a server. */
  get frames(): Buffer | undefined {
    this.#frames ??= { made: this.#made('}}', frameHeader) };
    return this.#frames.made;
  }

  #made(after: string, header?: (length: number) => string): Buffer | undefined {
    const { epoch } = this.#run;
    const id = asBytes(JSON.stringify(this.#sessionId));
    const start = `{"jsonrpc":"2.0","method":"cli_message","params":{"session_id":${id},"seq":`;
    return runFrames(this.#run, { before: (seq) => `${start}${seq},"epoch":${epoch},"line":`, after, header });
  }
}

/** The messages of the newest runs, for all connections of an engine. */
export class SharedRuns {
  readonly #known = new Map<EventRun, RunMessages>();

  of(sessionId: string, run: EventRun): RunMessages {
    const known = this.#known.get(run);
    if (known !== undefined) return known;
    const messages = new RunMessages(sessionId, run);
    this.#known.set(run, messages);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_RUNS && oldest !== undefined) this.#known.delete(oldest);
    return messages;
  }
}

/** One whole text, not masked (RFC 6455 §5.2). */
function frameHeader(length: number): string {
  if (length < 126) return String.fromCharCode(0x81, length);
  if (length < 0x1_0000) return String.fromCharCode(0x81, 126, length >> 8, length & 0xff);
  const header = Buffer.alloc(10);
  header.writeUInt16BE(0x817f);
  header.writeBigUInt64BE(BigInt(length), 2);
  return header.toString('latin1');
}
