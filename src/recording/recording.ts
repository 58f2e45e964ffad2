/** The first line of a recording: what it is, and of what. */
export interface RecordingHeader {
  readonly format: 'troupe-recording';
  readonly version: 1;
  /** When it began, as an ISO date. */
  readonly startedAt?: string | undefined;
  /** The session, by the id it had. */
  readonly session?: string | undefined;
  /** What was recorded by something else says by what: `measured` for the recordings of the protocol survey. */
  readonly origin?: string | undefined;
}

/** `>` what the host wrote to the CLI, `<` what the CLI wrote to its output, `e` what it wrote to stderr. */
export type LineDirection = '>' | '<' | 'e';

/** One line, byte for byte as it was, secrets taken out. */
export interface RecordedLine {
  readonly direction: LineDirection;
  /** Milliseconds since the recording began. */
  readonly atMs: number;
  /** Which process of the session, from 1. */
  readonly process: number;
  /** Without its line feed. */
  readonly bytes: Buffer;
  /** No line feed came behind it: the process ended first. */
  readonly isCut: boolean;
}

/** Something that happened beside the lines. */
export interface RecordedNote {
  readonly direction: 'n';
  readonly atMs: number;
  readonly process: number;
  readonly note: Note;
}

export type Note =
  | {
      /** A process was started; of its environment nothing is recorded. */
      readonly kind: 'start';
      readonly command?: string | undefined;
      readonly args: readonly string[];
      readonly cwd?: string | undefined;
    }
  | { readonly kind: 'input-ended' }
  | { readonly kind: 'output-ended' }
  | { readonly kind: 'signal'; readonly name: string }
  | { readonly kind: 'exit'; readonly exitCode: number | null; readonly signal: string | null }
  /** The disk was slower than the traffic: so much is missing here. */
  | { readonly kind: 'gap'; readonly lines: number; readonly bytes: number }
  /** The recording reached its limit; what came after it is not in it. */
  | { readonly kind: 'full'; readonly maxBytes: number }
  /** Anything else, as others note it. */
  | { readonly kind: 'other'; readonly text: string };

export type RecordedFrame = RecordedLine | RecordedNote;

export interface Recording {
  readonly header: RecordingHeader;
  readonly frames: readonly RecordedFrame[];
}

/** One line of the file, without its line feed. */
export function frameText(frame: RecordedFrame): string {
  const { atMs, process, direction } = frame;
  const place = { t: atMs, ...(process === 1 ? {} : { p: process }), dir: direction };
  if (direction === 'n') return JSON.stringify({ ...place, note: frame.note });
  const cut = frame.isCut ? { cut: true } : {};
  const line = frame.bytes.toString('utf8');
  // Only what is whole in UTF-8 comes back as the same bytes.
  const isText = Buffer.byteLength(line) === frame.bytes.length && Buffer.from(line).equals(frame.bytes);
  return JSON.stringify({ ...place, ...(isText ? { line } : { bytes: frame.bytes.toString('base64') }), ...cut });
}

export function headerText(header: RecordingHeader): string {
  return JSON.stringify(header);
}

/** The whole file. */
export function recordingText({ header, frames }: Recording): string {
  return [headerText(header), ...frames.map(frameText)].map((line) => `${line}\n`).join('');
}
