import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { ProcessRedaction } from '../redaction/process-redaction.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { LaunchPlan, OpenTransport, Transport, TransportListeners } from '../transport/transport.ts';
import { LineSplitter } from '../wire/line-splitter.ts';
import type { Note } from './recording.ts';
import type { OpenRecordingFile } from './recording-file.ts';
import { RecordingWriter } from './recording-writer.ts';

export interface SessionTapeOptions {
  readonly path: string;
  readonly replaces: boolean;
  readonly maxBytes: number;
  /** The id of the session. */
  readonly session: string;
  /** Of one line, as in the limits of the session. */
  readonly maxLineBytes: number;
  readonly redaction: Redaction;
  readonly clock: Clock;
  /** Hears, once, why nothing is recorded any more. */
  readonly onStopped: (reason: string) => void;
  readonly open?: OpenRecordingFile;
}

/** The end of a session waits no longer for the disk. */
const LONGEST_FLUSH_MS = 2_000;

/** Where a supervisor keeps the recording of a session: the name of the file is its id. */
export function recordingPathIn(folder: string, session: string): string {
  return join(folder, `${encodeURIComponent(session)}.ndjson`);
}

/** Records all processes of a session into one file, at the pipe: whatever dialect is spoken, and whatever is no dialect. */
export class SessionTape {
  readonly #options: SessionTapeOptions;
  #writer: RecordingWriter | undefined;
  #processes = 0;

  constructor(options: SessionTapeOptions) {
    this.#options = options;
  }

  /** The same way to a process, recorded. */
  recorded(open: OpenTransport): OpenTransport {
    return async (plan, listeners) => {
      this.#processes += 1;
      const reel = this.#reel(this.#processes, plan);
      try {
        return reel.follow(await open(plan, reel.listening(listeners)));
      } catch (error) {
        reel.failed(error);
        throw error;
      }
    };
  }

  /** The session is over. Resolves when the file is written, or when that takes too long. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    let timer: unknown;
    const overdue = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, LONGEST_FLUSH_MS);
    });
    await Promise.race([this.#writer?.close(), overdue]);
    clock.clearTimeout(timer);
  }

  #reel(process: number, { command, args, cwd }: LaunchPlan): Reel {
    const { redaction, onStopped, maxLineBytes, ...writing } = this.#options;
    // Not before: a session that never starts leaves no file behind.
    this.#writer ??= new RecordingWriter({ ...writing, onFailed: onStopped });
    const start = redaction.value({ kind: 'start' as const, command, args, cwd });
    return new Reel({ writer: this.#writer, process, start, redaction, own: redaction.process(), maxLineBytes });
  }
}

interface ReelOptions {
  readonly writer: RecordingWriter;
  readonly process: number;
  readonly start: Note;
  readonly redaction: Redaction;
  readonly own: ProcessRedaction;
  readonly maxLineBytes: number;
}

/** The part of one process. */
class Reel {
  readonly #options: ReelOptions;
  readonly #splitter: LineSplitter;

  constructor(options: ReelOptions) {
    this.#options = options;
    this.#splitter = new LineSplitter({ maxLineBytes: options.maxLineBytes, keepsCarriageReturn: true });
    this.#note(options.start);
  }

  listening(listeners: TransportListeners): TransportListeners {
    return {
      output: (chunk) => {
        // First: what it makes the host write comes after it.
        const overflow = this.#splitter.push(chunk, (line) => this.#said(line));
        if (overflow !== undefined) this.#note({ kind: 'gap', lines: 1, bytes: overflow.bytes });
        listeners.output(chunk);
      },
      outputEnded: () => {
        this.#note({ kind: 'output-ended' });
        listeners.outputEnded?.();
      },
      stderr: (line) => {
        const { writer, process, own } = this.#options;
        writer.line('e', process, Buffer.from(own.stderr(line)));
        listeners.stderr(line);
      },
    };
  }

  follow(transport: Transport): Transport {
    const { writer, process, own } = this.#options;
    void transport.finished.then(({ exitCode, signal }) => {
      this.#end();
      this.#note({ kind: 'exit', exitCode, signal });
    });
    return {
      pid: transport.pid,
      write: (line) => {
        const isCut = !line.endsWith('\n');
        writer.line('>', process, own.input(Buffer.from(isCut ? line : line.slice(0, -1))), isCut);
        return transport.write(line);
      },
      endInput: () => {
        this.#note({ kind: 'input-ended' });
        transport.endInput();
      },
      signal: (name) => {
        this.#note({ kind: 'signal', name });
        transport.signal(name);
      },
      killTree: (deadlineMs) => transport.killTree(deadlineMs),
      exited: transport.exited,
      finished: transport.finished,
      stderrTail: () => transport.stderrTail(),
      pause: () => transport.pause(),
      resume: () => transport.resume(),
    };
  }

  failed(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#note({ kind: 'other', text: this.#options.redaction.excerpt(text) });
  }

  #said(line: Buffer, isCut = false): void {
    const { writer, process, own } = this.#options;
    // What it was read with is read over when this is over.
    for (const told of own.output(Buffer.from(line))) writer.line('<', process, told, isCut);
  }

  /** What came last, and what the redaction still holds back. */
  #end(): void {
    const { writer, process, own } = this.#options;
    const tail = this.#splitter.end();
    if (tail !== undefined) this.#said(tail, true);
    const { messages, stderr } = own.end();
    for (const { raw } of messages) writer.line('<', process, raw);
    if (stderr !== '') writer.line('e', process, Buffer.from(stderr));
  }

  #note(note: Note): void {
    this.#options.writer.note(this.#options.process, note);
  }
}
