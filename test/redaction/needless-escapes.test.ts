import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProcessRedaction } from '../../src/redaction/process-redaction.ts';
import { REDACTED, Secrets } from '../../src/redaction/secrets.ts';
import { LineReader } from '../../src/session/line-reader.ts';
import type { CliMessage } from '../../src/wire/cli-message.ts';
import type { Codec } from '../../src/wire/codec.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

const KNOWN = 'canary/7f3a9b2c-horse';
const FOREIGN = 'канарейка-42';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const secrets = () => new Secrets({ values: [KNOWN, FOREIGN], hasShapes: true });

describe('a secret written with escapes that nobody needs (P11)', () => {
  it.each([
    ['one character', (text: string) => `${text[0]}${escaped(text[1] ?? '')}${text.slice(2)}`],
    ['every character', (text: string) => [...text].map(escaped).join('')],
    [
      'capital digits',
      (text: string) => [...text].map((one) => escaped(one).replace(/[a-f]/g, (digit) => digit.toUpperCase())).join(''),
    ],
    [
      'every other character',
      (text: string) => [...text].map((one, at) => (at % 2 === 0 ? escaped(one) : one)).join(''),
    ],
    ['a slash', (text: string) => text.replaceAll('/', '\\/')],
  ])('is taken out of a line: %s', (_name, spell) => {
    for (const secret of [KNOWN, FOREIGN, TOKEN]) {
      const line = Buffer.from(`{"type":"x","text":"see ${spell(secret)} there","n":1}`);
      expect(secrets().line(line).toString()).toBe(`{"type":"x","text":"see ${REDACTED} there","n":1}`);
    }
  });

  it('is taken out of a name, of a line that was cut, and of JSON in JSON, up to three deep', () => {
    const spelled = [...KNOWN].map(escaped).join('');
    expect(
      secrets()
        .line(Buffer.from(`{"${spelled}":1}`))
        .toString(),
    ).toBe(`{"${REDACTED}":1}`);
    expect(
      secrets()
        .line(Buffer.from(`{"a":"${spelled}`))
        .toString(),
    ).not.toContain('\\u0');
    let text = `{"command":"echo ${spelled}"}`;
    for (let level = 2; level <= 3; level += 1) {
      text = JSON.stringify({ arguments: text });
      const told = secrets().line(Buffer.from(text)).toString();
      expect(told, `${level}`).not.toMatch(/u00[2-7]/);
      expect(told).toContain(`echo ${REDACTED}`);
    }
  });

  it.each([1, 2, 3])('loses its rest at either end of an excerpt, wherever that was cut, %i deep', (deep) => {
    for (const secret of [KNOWN, FOREIGN]) {
      let spelled = [...secret].map((one, at) => (at % 3 === 1 ? escaped(one) : one)).join('');
      for (let level = 1; level < deep; level += 1) spelled = JSON.stringify(spelled).slice(1, -1);
      const perCharacter = spelled.length / secret.length;
      for (let cut = Math.ceil(perCharacter * 10); cut < spelled.length; cut += 1) {
        const beginning = spelled.slice(0, cut);
        const rest = spelled.slice(-cut);
        expect(secrets().excerpt(`see ${beginning}`), beginning).toBe(`see ${REDACTED}`);
        expect(secrets().excerpt(`${rest} there`), rest).toBe(`${REDACTED} there`);
      }
    }
  });

  it('leaves every other line as the very same object, escapes that are needed too', () => {
    const texts = [
      '\u001b[31mred\u001b[0m',
      'C:\\users\\/tmp',
      'a\\/b',
      '"\\u0041"',
      '\u0000',
      'é — 漢',
      '\\',
      '\\u00',
    ];
    for (const text of texts) {
      const line = Buffer.from(JSON.stringify({ text }));
      expect(secrets().line(line)).toBe(line);
      expect(secrets().text(text)).toBe(text);
    }
    const ascii = Buffer.from('{"text":"caf\\u00e9 \\/ \\u0041"}');
    expect(secrets().line(ascii)).toBe(ascii);
  });

  it('is found in a long text, wherever its parts are looked at by themselves', () => {
    const spelled = [...KNOWN].map(escaped).join('');
    for (const before of [448 * 1024 - 30, 512 * 1024 - 60, 900_001]) {
      const text = `${'x'.repeat(before)} ${spelled} end`;
      expect(secrets().text(text)).toBe(`${'x'.repeat(before)} ${REDACTED} end`);
    }
  });

  it.each([1, 2, 3])('is found in pieces of an answer, %i deep, wherever they are cut', (deep) => {
    const mixes = fc.array(fc.boolean(), { minLength: KNOWN.length, maxLength: KNOWN.length });
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        mixes,
        cuts,
        fc.constantFrom('text_delta', 'input_json_delta'),
        fc.boolean(),
        (mix, sizes, type, readsRuns) => {
          const whole = `see ${[...KNOWN].map((one, at) => (mix[at] === true ? deeper(escaped(one), deep - 1) : one)).join('')} there`;
          const lines = cutAt(whole, sizes, deep).map((piece) => deltaOf(piece, type));
          const told = toldOf(lines, { ...streamJson, readsRuns });
          // The first bytes may have been seen before anything could be known of them.
          expect(told).not.toContain(KNOWN.slice(4));
          expect(told).toMatch(/see .{0,3}\[redacted\] there/);
        },
      ),
      { numRuns: 80 },
    );
  });
});

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The same, in JSON in JSON. */
function deeper(text: string, levels: number): string {
  return levels === 0 ? text : deeper(JSON.stringify(text).slice(1, -1), levels - 1);
}

/** Pieces of what stands in a line; an escape of the line itself is in one of them. */
function cutAt(text: string, sizes: readonly number[], deep: number): string[] {
  const units = deep === 1 ? (text.match(/\\u[0-9a-f]{4}|[\s\S]/g) ?? []) : (text.match(/\\\\|[\s\S]/g) ?? []);
  const pieces: string[] = [];
  for (let [at, turn] = [0, 0]; at < units.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(units.slice(at, at + size).join(''));
    at += size;
  }
  return pieces;
}

function deltaOf(text: string, type: string): string {
  const field = type === 'text_delta' ? 'text' : 'partial_json';
  const rest =
    '"session_id":"2cd38a39-bafd-4f81-98b1-50ba31dc96d5","parent_tool_use_id":null,"uuid":"2cd38a39-bafd-4f81-98b1-50ba31dc96d6"';
  return `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"${type}","${field}":"${text}"}},${rest}}\n`;
}

const STOP = '{"type":"stream_event","event":{"type":"content_block_stop","index":0},"parent_tool_use_id":null}\n';

/** What is told of these pieces, together or line by line. */
function toldOf(lines: readonly string[], codec: Codec): string {
  const told: string[] = [];
  const redaction = new ProcessRedaction(secrets);
  const take = ({ raw }: CliMessage) => void told.push(`${raw}\n`);
  const reader = new LineReader({
    codec,
    maxLineBytes: 100_000,
    listener: {
      message: (message) => {
        for (const each of redaction.message(message)) take(each);
      },
      run: (run) => redaction.run(run, { run: ({ bytes }) => void told.push(bytes.toString()), message: take }),
      control: () => {},
      diagnostic: () => {},
      overflow: () => {},
      mismatch: () => {},
    },
  });
  reader.read(Buffer.from([...lines, STOP].join('')));
  return textIn(told.join('').trim().split('\n'));
}

/** What they say, decoded as deep as it goes. */
function textIn(lines: readonly string[]): string {
  const deltas = lines.flatMap((line) => {
    const event = JSON.parse(line).event as { delta?: Record<string, string> } | undefined;
    return event?.delta === undefined ? [] : [event.delta['text'] ?? event.delta['partial_json'] ?? ''];
  });
  let text = deltas.join('');
  for (let level = 0; level < 3; level += 1)
    text = text.replace(/\\(u[0-9a-fA-F]{4}|\\)/g, (all) => String(JSON.parse(`"${all}"`)));
  return text;
}
