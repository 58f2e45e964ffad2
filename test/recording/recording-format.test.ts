import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { type Note, type RecordedFrame, type Recording, recordingText } from '../../src/recording/recording.ts';
import { parseRecording } from '../../src/recording/recording-reader.ts';

const HEADER = {
  format: 'troupe-recording',
  version: 1,
  startedAt: undefined,
  session: 'a',
  origin: undefined,
} as const;

describe('a recording', () => {
  it('holds any bytes exactly: what was written is what is read', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    );
    const line = fc.record({
      direction: fc.constantFrom('>' as const, '<' as const, 'e' as const),
      atMs: fc.nat(),
      process: fc.integer({ min: 1, max: 9 }),
      bytes: bytes.map((some) => Buffer.from(some.filter((byte) => byte !== 0x0a))),
      isCut: fc.boolean(),
    });
    const note = fc.record({
      direction: fc.constant('n' as const),
      atMs: fc.nat(),
      process: fc.integer({ min: 1, max: 9 }),
      note: fc.constantFrom<Note>(
        { kind: 'start', args: ['--a', '\u2028'] },
        { kind: 'signal', name: 'SIGTERM' },
        { kind: 'exit', exitCode: null, signal: 'SIGKILL' },
        { kind: 'gap', lines: 2, bytes: 3 },
        { kind: 'full', maxBytes: 4 },
        { kind: 'other', text: 'é' },
      ),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof<[typeof line, typeof note]>(line, note)), (frames) => {
        const text = recordingText({ header: HEADER, frames });
        expect(text.split('\n').length).toBe(frames.length + 2);
        expect(parseRecording(Buffer.from(text))).toEqual({ header: HEADER, frames });
      }),
    );
  });

  it('of which the last line was cut, because its writer was killed, is read up to there', () => {
    const whole = recordingText({ header: HEADER, frames: [said('one'), said('two')] });

    expect(parseRecording(whole.slice(0, -5)).frames).toEqual([said('one')]);
  });

  it('of which the last line was cut within a character is read up to there, too', () => {
    const whole = Buffer.from(recordingText({ header: HEADER, frames: [said('one'), said('日本')] }));
    const cut = whole.subarray(0, whole.indexOf('本') + 1);

    expect(parseRecording(cut).frames).toEqual([said('one')]);
  });

  it('of the protocol survey is read, too: messages, stderr, exits and notes', () => {
    const text = [
      '{"t":3,"dir":"n","msg":{"spawn":["--verbose"]}}',
      '{"t":4,"dir":">","msg":{"type":"user"}}',
      '{"t":5,"dir":">","msg":{"raw":"{bad\\n{worse\\n"}}',
      '{"t":6,"dir":"<","p":2,"msg":{"nonjson":"plain"}}',
      '{"t":7,"dir":"2","msg":"oops"}',
      '{"t":8,"dir":"x","msg":{"code":1,"signal":null}}',
    ].join('\n');
    const { header, frames } = parseRecording(text);

    expect(header.origin).toBe('measured');
    expect(frames.map(brief)).toEqual([
      'n start',
      '> {"type":"user"}',
      '> {bad',
      '> {worse',
      '< plain',
      'e oops',
      'n exit',
    ]);
    expect(frames.map(({ process }) => process)).toEqual([1, 1, 1, 1, 2, 1, 1]);
  });

  it.each([
    ['', 1, 'it is empty'],
    ['hello', 1, 'it is no JSON'],
    ['{"format":"other","version":1}', 1, '"format": Invalid input: expected "troupe-recording"'],
    ['{"format":"troupe-recording","version":2}', 1, '"version": Invalid input: expected 1'],
    [ours('{"t":1,"dir":"<","line":"a"}', '{"t":1'), 3, 'it is no JSON'],
    [ours('{"t":1,"dir":"<"}'), 2, 'it needs either "line" or "bytes"'],
    [ours('{"t":1,"dir":"<","line":"a","bytes":"YQ=="}'), 2, 'it needs either "line" or "bytes"'],
    [ours('{"t":1,"dir":"<","line":"a\\nb"}'), 2, 'what it holds is more than one line'],
    [ours('{"t":-1,"dir":"<","line":"a"}'), 2, '"t": Too small: expected number to be >=0'],
    [
      ours('{"t":1,"dir":"n","note":{"kind":"start"}}'),
      2,
      '"note.args": Invalid input: expected array, received undefined',
    ],
  ])('that is none is refused with its line and the reason: %j', (text, line, reason) => {
    const refusal = refusalOf(text);

    expect(refusal).toMatchObject({ code: 'RECORDING_INVALID', details: { line, reason } });
    expect(refusal?.message).toContain(`Line ${line}`);
  });
});

function ours(...lines: string[]): string {
  return ['{"format":"troupe-recording","version":1}', ...lines].map((line) => `${line}\n`).join('');
}

function said(text: string): Recording['frames'][number] {
  return { direction: '<', atMs: 1, process: 1, bytes: Buffer.from(text), isCut: false };
}

function brief(frame: RecordedFrame): string {
  return `${frame.direction} ${frame.direction === 'n' ? frame.note.kind : frame.bytes.toString()}`;
}

function refusalOf(text: string): TroupeError | undefined {
  try {
    parseRecording(text);
    return undefined;
  } catch (error) {
    if (TroupeError.is(error)) return error;
    throw error;
  }
}
