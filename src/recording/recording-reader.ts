import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { TroupeError } from '../errors.ts';
import type { Note, RecordedFrame, Recording, RecordingHeader } from './recording.ts';

const Header = z.looseObject({
  format: z.literal('troupe-recording'),
  version: z.literal(1),
  startedAt: z.string().optional(),
  session: z.string().optional(),
  origin: z.string().optional(),
});

const Place = { t: z.number().min(0), p: z.int().min(1).optional() };

const NoteShape: z.ZodType<Note> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    command: z.string().optional(),
    args: z.array(z.string()).readonly(),
    cwd: z.string().optional(),
  }),
  z.object({ kind: z.literal('input-ended') }),
  z.object({ kind: z.literal('output-ended') }),
  z.object({ kind: z.literal('signal'), name: z.string() }),
  z.object({ kind: z.literal('exit'), exitCode: z.int().nullable(), signal: z.string().nullable() }),
  z.object({ kind: z.literal('gap'), lines: z.number(), bytes: z.number() }),
  z.object({ kind: z.literal('full'), maxBytes: z.number() }),
  z.object({ kind: z.literal('other'), text: z.string() }),
]);

const Line = z.looseObject({
  ...Place,
  dir: z.enum(['>', '<', 'e']),
  line: z.string().optional(),
  bytes: z.base64().optional(),
  cut: z.literal(true).optional(),
});

const NoteLine = z.looseObject({ ...Place, dir: z.literal('n'), note: NoteShape });

/** As the protocol survey has them: a parsed message per line, or what was sent instead of one. */
const Measured = z.looseObject({ ...Place, dir: z.enum(['>', '<', '2', 'x', 'a', 'n']), msg: z.unknown() });
const MeasuredExit = z.looseObject({ code: z.int().nullable(), signal: z.string().nullable() });
const MeasuredSpawn = z.looseObject({ spawn: z.array(z.string()) });
const MeasuredBytes = z.union([z.strictObject({ raw: z.string() }), z.strictObject({ nonjson: z.string() })]);

/**
 * Reads a recording from a file, or one of the protocol survey. Rejects with RECORDING_INVALID, whose details say which `line`
 * and the `reason`, and with what the system says of the file.
 */
export async function readRecording(path: string): Promise<Recording> {
  return parseRecording(await readFile(path));
}

/** The same of bytes. Throws RECORDING_INVALID. */
export function parseRecording(file: Uint8Array | string): Recording {
  const text = textOf(file);
  const lines = text.split('\n');
  if (lines.at(-1)?.trim() === '') lines.pop();
  const [first = ''] = lines;
  if (first.trim() === '') throw invalid(1, 'it is empty');
  const start = parsedJson(first, 1);
  const isOurs = typeof start === 'object' && start !== null && 'format' in start;
  if (!isOurs) return { header: MEASURED_HEADER, frames: lines.flatMap((line, at) => measuredFrames(line, at + 1)) };
  const header = checked(Header, start, 1);
  // Whoever wrote it was ended in the middle of its last line; what is before that is whole.
  const isCut = !text.endsWith('\n') && lines.length > 1 && !isJson(lines.at(-1) ?? '');
  const whole = lines.slice(1, isCut ? -1 : undefined);
  const frames = whole.map((line, at) => frameOf(line, at + 2));
  return { header: headerOf(header), frames };
}

const MEASURED_HEADER: RecordingHeader = { format: 'troupe-recording', version: 1, origin: 'measured' };

function headerOf({ format, version, startedAt, session, origin }: z.infer<typeof Header>): RecordingHeader {
  return { format, version, startedAt, session, origin };
}

function textOf(file: Uint8Array | string): string {
  if (typeof file === 'string') return file;
  try {
    // A last line that was cut within a character is no damage: what is held back of it is missing, and it is left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(file, { stream: true });
  } catch {
    throw invalid(1, 'it is no text in UTF-8');
  }
}

function frameOf(text: string, number: number): RecordedFrame {
  const value = parsedJson(text, number);
  const isNote = typeof value === 'object' && value !== null && 'dir' in value && value.dir === 'n';
  if (isNote) {
    const { t: atMs, p: process = 1, dir: direction, note } = checked(NoteLine, value, number);
    return { direction, atMs, process, note };
  }
  const { t: atMs, p: process = 1, dir: direction, line, bytes, cut } = checked(Line, value, number);
  if ((line === undefined) === (bytes === undefined)) throw invalid(number, 'it needs either "line" or "bytes"');
  const content = line === undefined ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(line);
  if (content.includes(0x0a)) throw invalid(number, 'what it holds is more than one line');
  return { direction, atMs, process, bytes: content, isCut: cut === true };
}

/** What was sent as raw bytes may be several lines. */
function measuredFrames(text: string, number: number): RecordedFrame[] {
  const { t: atMs, p: process = 1, dir, msg } = checked(Measured, parsedJson(text, number), number);
  const note = (about: Note): RecordedFrame[] => [{ direction: 'n', atMs, process, note: about }];
  if (dir === 'x') {
    const { code: exitCode, signal } = checked(MeasuredExit, msg, number);
    return note({ kind: 'exit', exitCode, signal });
  }
  if (dir === 'a') return note({ kind: 'other', text: JSON.stringify(msg) });
  if (dir === 'n') {
    const spawn = MeasuredSpawn.safeParse(msg);
    if (spawn.success) return note({ kind: 'start', args: spawn.data.spawn });
    return note({ kind: 'other', text: typeof msg === 'string' ? msg : (JSON.stringify(msg) ?? '') });
  }
  const direction = dir === '2' ? 'e' : dir;
  const bytes = measuredBytes(msg).replace(/\n$/, '');
  return bytes.split('\n').map((line) => ({ direction, atMs, process, bytes: Buffer.from(line), isCut: false }));
}

function measuredBytes(msg: unknown): string {
  const sent = MeasuredBytes.safeParse(msg);
  if (!sent.success) return typeof msg === 'string' ? msg : (JSON.stringify(msg) ?? '');
  return 'raw' in sent.data ? sent.data.raw : sent.data.nonjson;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parsedJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(number, 'it is no JSON');
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, number: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw invalid(number, `${field === '' ? '' : `"${field}": `}${issue?.message ?? 'it is malformed'}`);
}

function invalid(line: number, reason: string): TroupeError {
  return new TroupeError('RECORDING_INVALID', {
    reason: `Line ${line} cannot be read as a recording: ${reason}.`,
    details: { line, reason },
  });
}
