import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../src/wire/codec.ts';
import { isRecord } from '../../src/wire/fields.ts';
import { LineSplitter } from '../../src/wire/line-splitter.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';
import { CliControlRequest } from '../../src/wire/stream-json/control-schemas.ts';
import { HostLine } from '../../src/wire/stream-json/host-line-schemas.ts';
import { CORPUS, isThere, type Recorded, readRecording, SURVEY, scenariosOf } from './recordings.ts';

const MEASURED_VERSIONS = 13;

/** Input that was bad on purpose (WIRE §5, §14), so that no host of ours writes it. */
const HOST_EXCEPTIONS: readonly { reason: string; matches: (message: Record<string, unknown>) => boolean }[] = [
  { reason: 'bytes that are no message', matches: (message) => 'raw' in message },
  { reason: 'a type the CLI does not know (14b)', matches: (message) => message['type'] === 'wat' },
  {
    reason: 'an answer with its id at the top level (05o)',
    matches: (message) => message['type'] === 'control_response' && 'request_id' in message,
  },
  {
    reason: 'a request without subtype (09)',
    matches: ({ type, request }) => type === 'control_request' && isRecord(request) && !('subtype' in request),
  },
];

describe('the recorded conversations', () => {
  const corpus = scenariosOf(CORPUS);

  it('cover every version that was measured', () => {
    expect(corpus.size).toBe(MEASURED_VERSIONS);
    for (const [version, files] of corpus) expect(files.length, version).toBeGreaterThan(0);
  });

  for (const [version, files] of corpus) {
    for (const file of files) {
      it(`of ${version} come through unchanged: ${basename(file)}`, () => {
        expect(replay(file)).toBeGreaterThan(0);
      });
    }
  }
});

describe.runIf(isThere(SURVEY))('the complete survey', () => {
  for (const [version, files] of isThere(SURVEY) ? scenariosOf(SURVEY) : []) {
    it(`of ${version} comes through unchanged`, () => {
      const lines = files.reduce((sum, file) => sum + replay(file), 0);
      expect(files.length).toBeGreaterThan(0);
      expect(lines).toBeGreaterThan(files.length);
    });
  }
});

/** Replays both directions of one recording and returns how many lines it had. */
function replay(file: string): number {
  const recording = readRecording(file);
  const said = recording.filter(({ direction }) => direction === '<');
  const decoded = decodeInChunks(said);
  expect(decoded.length, file).toBe(said.length);
  for (const [index, { message }] of said.entries()) expectSame(decoded[index], message, file);
  for (const { direction, message } of recording) if (direction === '>') expectWritable(message, file);
  return recording.length;
}

function bytesOf({ message }: Recorded): string {
  return typeof message['nonjson'] === 'string' ? message['nonjson'] : JSON.stringify(message);
}

function decodeInChunks(said: readonly Recorded[]): Decoded[] {
  const bytes = Buffer.from(said.map((line) => `${bytesOf(line)}\n`).join(''));
  const splitter = new LineSplitter();
  const random = randomFrom(bytes.length);
  const decoded: Decoded[] = [];
  const onLine = (line: Buffer) => streamJson.decode(line, (item) => decoded.push(item));
  for (let start = 0; start < bytes.length; ) {
    const end = start + 1 + Math.floor(random() ** 3 * 5_000);
    expect(splitter.push(bytes.subarray(start, end), onLine)).toBeUndefined();
    start = end;
  }
  expect(splitter.end()).toBeUndefined();
  return decoded;
}

function expectSame(decoded: Decoded | undefined, message: Record<string, unknown>, file: string): void {
  const { type, request_id: requestId, request, response } = message;
  if ('nonjson' in message) {
    // The answer of a one-shot run in plain text, recorded among the JSON ones (WIRE §16).
    const bytes = Buffer.byteLength(String(message['nonjson']));
    expect(decoded, file).toEqual({ kind: 'diagnostic', reason: 'foreign', sample: message['nonjson'], bytes });
  } else if (type === 'control_request' && isRecord(request)) {
    expect(decoded, file).toEqual({ kind: 'control-request', requestId, subtype: request['subtype'], request });
    expect(CliControlRequest.safeParse(request).success, JSON.stringify(request)).toBe(true);
  } else if (type === 'control_cancel_request') {
    expect(decoded, file).toEqual({ kind: 'control-cancel', requestId });
  } else if (type === 'control_response' && isRecord(response)) {
    expectSameAnswer(decoded, response, file);
  } else {
    expectSameMessage(decoded, message, file);
  }
}

function expectSameAnswer(decoded: Decoded | undefined, envelope: Record<string, unknown>, file: string): void {
  const { subtype, request_id: requestId, response = {}, error, error_code: errorCode, ...beside } = envelope;
  const outcome = subtype === 'success' ? { ok: true, response, beside } : { ok: false, error, errorCode };
  expect(decoded, file).toEqual({ kind: 'control-response', requestId, outcome });
}

function expectSameMessage(decoded: Decoded | undefined, message: Record<string, unknown>, file: string): void {
  if (decoded?.kind !== 'message') expect.fail(`${file}: ${JSON.stringify(decoded)}`);
  const { raw, type, subtype, value, view } = decoded.message;
  expect(raw.toString('utf8'), file).toBe(JSON.stringify(message));
  expect({ type, subtype, value }, file).toEqual({
    type: message['type'],
    subtype: message['subtype'],
    value: message,
  });
  // No exceptions: the shortened recordings still have the shape of what was sent.
  expect(view.recognized, `${file}: ${JSON.stringify(message).slice(0, 1_000)}`).toBe(true);
}

function expectWritable(message: Record<string, unknown>, file: string): void {
  if (HOST_EXCEPTIONS.some(({ matches }) => matches(message))) return;
  const parsed = HostLine.safeParse(message);
  if (!parsed.success) expect.fail(`${file}: ${JSON.stringify(message)}`);
  const line = parsed.data;
  const written = writeAgain(line);
  if (written === undefined) return;
  expect(written.endsWith('\n') && written.indexOf('\n') === written.length - 1, file).toBe(true);
  // Not every recorded prompt carries a uuid; ours always do.
  const expected = line.type === 'user' ? { ...message, uuid: line.uuid ?? 'added' } : message;
  expect(JSON.parse(written), file).toEqual(expected);
}

function writeAgain(line: HostLine): string | undefined {
  switch (line.type) {
    case 'user': {
      const { uuid, message, priority } = line;
      const prompt = { uuid: uuid ?? 'added', content: message.content };
      return streamJson.encodePrompt(priority === undefined || priority === null ? prompt : { ...prompt, priority });
    }
    case 'control_request':
      return streamJson.encodeRequest(line.request_id, { ...line.request, subtype: String(line.request['subtype']) });
    case 'control_response': {
      const { response } = line;
      return response.subtype === 'success'
        ? streamJson.encodeSuccess(response.request_id, response.response)
        : streamJson.encodeError(response.request_id, String(response.error));
    }
    case 'control_cancel_request':
      return streamJson.encodeCancel(line.request_id);
    case 'keep_alive':
      return undefined;
  }
}

/** Numbers from 0 to 1 that are the same in every run with the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
