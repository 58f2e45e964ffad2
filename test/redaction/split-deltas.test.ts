import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProcessRedaction } from '../../src/redaction/process-redaction.ts';
import { REDACTED, Secrets } from '../../src/redaction/secrets.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';

const KNOWN = 'canary-"é-7f3a9b2c';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

describe('a secret in several pieces of an answer (P11)', () => {
  it.each(['text_delta', 'thinking_delta', 'input_json_delta'])('is not told, wherever %s is cut', (type) => {
    for (const secret of [KNOWN, TOKEN]) {
      for (let first = 1; first < secret.length - 1; first += 1) {
        const pieces = [
          `see ${secret.slice(0, first)}`,
          secret.slice(first, first + 5),
          secret.slice(first + 5),
          ' there',
        ];
        const told = textsOf(say(pieces, type)).join('');

        expect(withoutPrefixes(told)).toBe(`see ${REDACTED} there`);
      }
    }
  });

  it('leaves the lines in their order, and as many but one more before a block ends', () => {
    const told = say([`x ${KNOWN.slice(0, 9)}`]);

    expect(told.map(({ value }) => typeOf(value))).toEqual([
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
    ]);
    expect(textsOf(told)).toEqual(['x ', REDACTED]);
    expect(told[1]?.value?.['uuid']).toBeUndefined();
  });

  it('is looked for in each block and each agent by itself', () => {
    const redaction = redactionOf();
    const mixed = [
      delta(KNOWN.slice(0, 8), { index: 0 }),
      delta('other', { index: 1 }),
      delta('agent', { index: 0, parent: 'toolu_1' }),
      delta(KNOWN.slice(8), { index: 0 }),
    ];

    expect(textsOf(mixed.flatMap((message) => redaction.message(message)))).toEqual(['', 'other', 'agent', REDACTED]);
  });

  it('finds every known one, however the text is cut, and keeps the rest of the text', () => {
    const piece = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom(KNOWN, ` ${TOKEN} `, 'can', 'ghp', 'g', '\\'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(200), { maxLength: 20 }), (parts, cuts) => {
        const text = parts.join('');
        const told = textsOf(say(cutAt(text, cuts))).join('');

        expect(told.includes(KNOWN)).toBe(false);
        // Beginnings that were told before anything could be known of them are all that may be left beside the whole.
        expect(withoutPrefixes(told)).toBe(withoutPrefixes(secrets().text(text)));
      }),
    );
  });
});

describe('an answer without secrets (DESIGN §3)', () => {
  it('keeps every line as the very same message, whatever its words begin like', () => {
    const redaction = redactionOf();
    const words = ['ca', 'n', 'g', 'gh', 's', 'sk', 'A', ' Be', 'are', 'can', 'x'];
    for (const message of words.map((word) => delta(word, {}))) expect(redaction.message(message)).toEqual([message]);
    const stop = line({ type: 'content_block_stop', index: 0 });

    expect(redaction.message(stop)[0]).toBe(stop);
  });
});

describe('a secret in lines of stderr (P11)', () => {
  it('is found in a line, and over the pieces of one that is too long for one', () => {
    const redaction = redactionOf();
    const long = 'x'.repeat(16 * 1024 - 6) + KNOWN.slice(0, 6);

    expect(redaction.stderr(`key ${KNOWN}`)).toBe(`key ${REDACTED}`);
    expect(redaction.stderr(long) + redaction.stderr(KNOWN.slice(6))).toBe(`${'x'.repeat(16 * 1024 - 6)}${REDACTED}`);
  });
});

function secrets(): Secrets {
  return new Secrets({ values: [KNOWN], hasShapes: true });
}

function redactionOf(): ProcessRedaction {
  const all = secrets();
  return new ProcessRedaction(() => all);
}

/** What is told of an answer of one block. */
function say(pieces: readonly string[], type = 'text_delta'): readonly CliMessage[] {
  const redaction = redactionOf();
  const lines = [...pieces.map((piece) => delta(piece, { type })), line({ type: 'content_block_stop', index: 0 })];
  return lines.flatMap((message) => redaction.message(message));
}

const FIELDS: Readonly<Record<string, string>> = { thinking_delta: 'thinking', input_json_delta: 'partial_json' };

function delta(text: string, { index = 0, parent = null as string | null, type = 'text_delta' }): CliMessage {
  return line({ type: 'content_block_delta', index, delta: { type, [FIELDS[type] ?? 'text']: text } }, parent);
}

function line(event: object, parent: string | null = null): CliMessage {
  const text = JSON.stringify({ type: 'stream_event', event, session_id: 's', parent_tool_use_id: parent, uuid: 'u' });
  return new CliMessage(Buffer.from(text), 'stream_event', undefined);
}

function textsOf(messages: readonly CliMessage[]): string[] {
  return messages.flatMap(({ value }) => {
    const event = value?.['event'] as { delta?: Record<string, string> } | undefined;
    const piece = event?.delta;
    return piece === undefined ? [] : [piece['text'] ?? piece['thinking'] ?? piece['partial_json'] ?? ''];
  });
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const units = [...text];
  const places = [...new Set(cuts.map((cut) => cut % (units.length + 1)))].sort((a, b) => a - b);
  return [...places, units.length].map((end, index) => units.slice(places[index - 1] ?? 0, end).join(''));
}

function typeOf(value: Record<string, unknown> | undefined): unknown {
  return (value?.['event'] as { type?: unknown } | undefined)?.type;
}

/** Up to three bytes of a beginning are told at once. */
function withoutPrefixes(text: string): string {
  return text.replaceAll(/(?:c|ca|can|g|gh|ghp)+\[redacted\]/g, REDACTED);
}
