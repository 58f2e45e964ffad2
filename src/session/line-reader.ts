import type { ControlDecoded } from '../control/control-channel.ts';
import { TroupeError } from '../errors.ts';
import { SparseMap } from '../sparse.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import type { Codec, Decoded } from '../wire/codec.ts';
import { viewOf } from '../wire/delta-layout.ts';
import type { LineRun } from '../wire/line-run.ts';
import { type LineOverflow, LineSplitter } from '../wire/line-splitter.ts';
import { RunFinder } from '../wire/run-finder.ts';

export interface LineReaderListener {
  message(message: CliMessage): void;
  /** As many messages as it has lines. Its bytes are those of the chunk. */
  run(run: LineRun): void;
  control(decoded: ControlDecoded): void;
  /** Something that is no message of the protocol; told with a bounded sample, never swallowed (P6, R11). */
  diagnostic(reason: string, detail: string, suppressed: number): void;
  overflow(error: TroupeError): void;
  /** The peer is not what it was taken for: nothing that it says can be relied on. */
  mismatch(error: TroupeError): void;
}

/** Of each reason this many diagnostics are told one by one; after that only every so many, with a count. */
const TOLD_SINGLY = 100;
/** A kind of message has a short name; a longer one is none. */
const MAX_KIND_CHARACTERS = 200;

/** Bytes of the CLI's output in, messages and control traffic out. */
export class LineReader {
  readonly #splitter: LineSplitter;
  readonly #codec: Codec;
  readonly #listener: LineReaderListener;
  readonly #runs: RunFinder;
  readonly #counts = new SparseMap<string, number>();
  #hasOverflowed = false;

  constructor(options: { codec: Codec; maxLineBytes: number; listener: LineReaderListener }) {
    this.#codec = options.codec;
    this.#listener = options.listener;
    this.#splitter = new LineSplitter({ maxLineBytes: options.maxLineBytes });
    this.#runs = new RunFinder({ maxLineBytes: options.maxLineBytes });
  }

  /** The chunk is only looked at during the call. */
  read(chunk: Buffer): void {
    let view: DataView | undefined;
    for (let at = 0; at < chunk.length && !this.#hasOverflowed; ) {
      const { isPending } = this.#splitter;
      if (this.#runs.isReady && !isPending && this.#codec.readsRuns === true) {
        view ??= viewOf(chunk);
        const run = this.#runs.find(chunk, view, at);
        if (run !== undefined) {
          this.#listener.run(run);
          at += run.bytes.length;
          continue;
        }
      }
      const next = this.#splitter.pushLine(chunk, at, isPending ? this.#decodeJoined : this.#decode);
      if (typeof next === 'number') at = next;
      else this.#overflow(next);
    }
  }

  /** The stream ended: a last line without its newline still counts when it is whole (R13). True when one was cut. */
  end(): boolean {
    const tail = this.#hasOverflowed ? undefined : this.#splitter.end();
    if (tail === undefined) return false;
    let isCut = false;
    this.#codec.decode(tail, (decoded) => {
      // A frequent kind of line is not parsed on the way, so a cut one may still look like a message.
      if (decoded.kind === 'message' && decoded.message.value === undefined) {
        this.#tell('corrupt', `${tail.length} bytes: the last line was cut`);
        isCut = true;
        return;
      }
      if (decoded.kind === 'diagnostic' && decoded.reason === 'corrupt') isCut = true;
      this.#route(decoded);
    });
    return isCut;
  }

  #overflow({ bytes, limit }: LineOverflow): void {
    this.#hasOverflowed = true;
    const reason = `It had at least ${bytes} bytes; the limit is ${limit}.`;
    this.#listener.overflow(
      new TroupeError('LINE_TOO_LONG', { reason, details: { bytes, limit, field: 'limits.maxLineBytes' } }),
    );
  }

  /** Reads one line that did not come from the stream: a request the CLI delivered again inside an answer (R05). */
  readAgain(line: Buffer): void {
    this.#decode(line);
  }

  readonly #decode = (line: Buffer): void => this.#codec.decode(line, this.#route);

  readonly #decodeJoined = (line: Buffer): void => {
    const run = this.#codec.readsRuns === true ? this.#runs.findIn(line) : undefined;
    if (run === undefined) this.#decode(line);
    else this.#listener.run(run);
  };

  readonly #route = (decoded: Decoded): void => {
    switch (decoded.kind) {
      case 'message':
        if (this.#codec.readsRuns === true) this.#runs.learn(decoded.message);
        this.#listener.message(decoded.message);
        if (!decoded.message.isKnownKind) this.#tell('unknown-message', kindOf(decoded.message));
        return;
      case 'control-request':
      case 'control-response':
      case 'control-cancel':
        this.#listener.control(decoded);
        return;
      case 'diagnostic':
        this.#tell(decoded.reason, `${decoded.bytes} bytes: ${decoded.sample}`);
        return;
      case 'dialect-mismatch':
        this.#listener.mismatch(mismatchOf(decoded));
        return;
      case 'keep-alive':
    }
  };

  #tell(reason: string, detail: string): void {
    const count = (this.#counts.get(reason) ?? 0) + 1;
    this.#counts.set(reason, count);
    if (count <= TOLD_SINGLY) this.#listener.diagnostic(reason, detail, 0);
    else if (count % TOLD_SINGLY === 0) this.#listener.diagnostic(reason, detail, TOLD_SINGLY - 1);
  }
}

function kindOf({ type, subtype }: CliMessage): string {
  return (subtype === undefined ? type : `${type}/${subtype}`).slice(0, MAX_KIND_CHARACTERS);
}

function mismatchOf({ seen, sample }: Extract<Decoded, { kind: 'dialect-mismatch' }>): TroupeError {
  const reason = `Its first lines are those of "${seen}": set dialect: '${seen}'. It wrote: ${sample}`;
  return new TroupeError('DIALECT_MISMATCH', { reason, details: { field: 'dialect', seen } });
}
