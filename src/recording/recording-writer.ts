import type { Clock } from '../clock.ts';
import { frameText, headerText, type LineDirection, type Note, type RecordedFrame } from './recording.ts';
import { type OpenRecordingFile, openRecordingFile, type RecordingFile } from './recording-file.ts';

export interface RecordingWriterOptions {
  readonly path: string;
  /** A file of this name is replaced; else the new one gets a number. */
  readonly replaces: boolean;
  /** The whole file holds no more. */
  readonly maxBytes: number;
  readonly session?: string | undefined;
  readonly clock: Clock;
  /** Hears, once, why nothing is recorded any more. */
  readonly onFailed: (reason: string) => void;
  readonly open?: OpenRecordingFile;
}

/** So much may wait for the disk; what comes beyond it is left out, and the recording says so. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;

/**
 * Writes a recording in the background: whoever records never waits for the disk, and a disk that fails costs the recording
 * alone. The file is made with the first frame.
 */
export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #startedAt: number;
  #file: RecordingFile | undefined;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #acceptedBytes = 0;
  #missing = { lines: 0, bytes: 0 };
  #isOver = false;
  #isClosed = false;
  #isClosing = false;
  #work: Promise<void> | undefined;

  constructor(options: RecordingWriterOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    const { session } = options;
    const startedAt = new Date(this.#startedAt).toISOString();
    this.#accept(headerText({ format: 'troupe-recording', version: 1, startedAt, session }));
  }

  /** Where it is written, which may be another name than the one that was asked for; undefined before it is. */
  get path(): string | undefined {
    return this.#file?.path;
  }

  line(direction: LineDirection, process: number, bytes: Buffer, isCut = false): void {
    if (!this.#isOver) this.#put({ direction, atMs: this.#atMs(), process, bytes, isCut }, bytes.length);
  }

  note(process: number, note: Note): void {
    if (!this.#isOver) this.#put({ direction: 'n', atMs: this.#atMs(), process, note }, 0);
  }

  /** Resolves when all that was recorded so far is written, or cannot be. Never rejects. */
  async flushed(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Nothing more is recorded. Resolves when the file is closed. Idempotent. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#isClosing = true;
    if (!this.#isClosed) this.#start();
    await this.flushed();
  }

  #put(frame: RecordedFrame, contentBytes: number): void {
    if (this.#waitingBytes + contentBytes > MOST_WAITING_BYTES) {
      this.#missing.lines += 1;
      this.#missing.bytes += contentBytes;
      return;
    }
    if (this.#missing.lines > 0) {
      const { lines, bytes } = this.#missing;
      this.#missing = { lines: 0, bytes: 0 };
      this.#put({ direction: 'n', atMs: frame.atMs, process: frame.process, note: { kind: 'gap', lines, bytes } }, 0);
    }
    const { maxBytes } = this.#options;
    const text = frameText(frame);
    if (this.#acceptedBytes + Buffer.byteLength(text) + 1 <= maxBytes) {
      this.#accept(text);
      return;
    }
    this.#isOver = true;
    const { atMs, process } = frame;
    this.#accept(frameText({ direction: 'n', atMs, process, note: { kind: 'full', maxBytes } }));
    this.#options.onFailed(`The recording has reached its limit of ${maxBytes} bytes; what follows is not in it.`);
  }

  #accept(text: string): void {
    const size = Buffer.byteLength(text) + 1;
    this.#waiting.push(`${text}\n`);
    this.#waitingBytes += size;
    this.#acceptedBytes += size;
    this.#start();
  }

  #start(): void {
    this.#work ??= this.#write().finally(() => {
      this.#work = undefined;
      // What came between the last look and here.
      if (!this.#isClosed && (this.#waiting.length > 0 || this.#isClosing)) this.#start();
    });
  }

  async #write(): Promise<void> {
    const { open = openRecordingFile, path, replaces } = this.#options;
    try {
      this.#file ??= await open(path, { replaces });
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join('');
        this.#waiting = [];
        await this.#file.append(text);
        this.#waitingBytes -= Buffer.byteLength(text);
      }
      if (this.#isClosing) await this.#close();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #close(): Promise<void> {
    const file = this.#file;
    // Whoever closes it once more has nothing to do.
    this.#isClosed = true;
    await file?.close();
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    this.#isClosed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const file = this.#file;
    void file?.close().catch(() => {});
    this.#options.onFailed(`It could not be written: ${error instanceof Error ? error.message : String(error)}`);
  }

  #atMs(): number {
    return Math.max(0, this.#options.clock.now() - this.#startedAt);
  }
}
