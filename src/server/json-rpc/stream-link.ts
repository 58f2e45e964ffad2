import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../../wire/line-splitter.ts';
import type { Engine } from './engine.ts';
import type { EngineConnection } from './engine-connection.ts';
import type { CutReason, FrontEnd, FrontEndLink, Identify } from './front-end-link.ts';
import type { RunMessages } from './run-messages.ts';

/** A pair of pipes, or both halves of a socket: each line is one frame. */
export interface FrontEndStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Closes both. `isPatient`: what was written may leave first. */
  readonly close: (isPatient: boolean) => void;
}

export interface StreamServing extends FrontEndStreams {
  readonly frontEnd: FrontEnd | Identify;
  readonly sessionId?: string | undefined;
  /** The connection is over; `reason` where it was ended from this side. */
  readonly onEnded?: ((reason: CutReason | undefined) => void) | undefined;
}

/** Serves a front end that speaks over streams, one JSON text a line. */
export function serveStream(engine: Engine, serving: StreamServing): EngineConnection {
  const { input, output, frontEnd, sessionId, onEnded = () => {} } = serving;
  let isOver = false;
  const end = (reason: CutReason | undefined) => {
    if (isOver) return;
    isOver = true;
    onEnded(reason);
  };
  const link = new StreamLink(serving, end);
  const connection = engine.accept(link, frontEnd, sessionId);
  const splitter = new LineSplitter({ maxLineBytes: engine.limits.maxFrameBytes });
  const take = (line: Buffer) => {
    const frame = textOf(line);
    if (frame !== '') connection.receive(frame);
  };
  const gone = () => {
    connection.ended();
    end(undefined);
  };
  input.on('data', (chunk: Buffer) => {
    if (!isOver && splitter.push(chunk, take) !== undefined) connection.cut('frame-too-large');
  });
  input.on('end', () => {
    const tail = splitter.end();
    // A last line without its end counts when it is whole; else it is answered as every other that does not parse.
    if (tail !== undefined && !isOver) take(tail);
    connection.inputEnded();
  });
  // Who cannot be written to any more is gone; who says nothing more is not.
  for (const name of ['error', 'close'] as const) output.on(name, gone);
  input.on('error', gone);
  return connection;
}

/** The lines that go out to a front end. */
class StreamLink implements FrontEndLink {
  readonly #streams: FrontEndStreams;
  readonly #onClosed: (reason: CutReason) => void;
  readonly #release: (() => void)[] = [];

  constructor(streams: FrontEndStreams, onClosed: (reason: CutReason) => void) {
    this.#streams = streams;
    this.#onClosed = onClosed;
    streams.output.on('close', () => this.#letGo());
  }

  get bufferedBytes(): number {
    return this.#streams.output.writableLength;
  }

  send(frame: string): void {
    const { output } = this.#streams;
    if (output.writable) output.write(`${frame}\n`, () => this.#letGo());
  }

  sendRun({ lines }: RunMessages): boolean {
    const { output } = this.#streams;
    if (lines === undefined) return false;
    if (output.writable) output.write(lines, () => this.#letGo());
    return true;
  }

  drained(): Promise<void> {
    if (this.bufferedBytes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#release.push(resolve));
  }

  close(reason: CutReason): void {
    this.#letGo();
    // Who does not read takes no farewell either.
    this.#streams.close(reason !== 'too-slow');
    this.#onClosed(reason);
  }

  #letGo(): void {
    for (const resolve of this.#release.splice(0)) resolve();
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Empty for a blank line. Bytes that are no text become one that does not parse. */
function textOf(line: Buffer): string {
  try {
    return strictUtf8.decode(line).trim();
  } catch {
    return NO_TEXT;
  }
}

const NO_TEXT = '\ufffd';
