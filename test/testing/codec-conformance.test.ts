import { describe, expect, it } from 'vitest';
import { codecConformance } from '../../src/testing/codec-conformance.ts';
import type { Codec } from '../../src/wire/codec.ts';
import { createCodec } from '../../src/wire/create-codec.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';
import { SAMPLES } from '../dialects/codec-samples.ts';

describe.each(Object.entries(SAMPLES))('the codec of %s', (_, subject) => {
  for (const { name, run } of codecConformance(subject)) it(name, run);
});

describe('the suite for codecs', () => {
  const { samples } = SAMPLES['stream-json'];

  it.each<[string, Partial<Codec>]>([
    ['throws at a line', { decode: (line) => void JSON.parse(line.toString()) }],
    ['drops what it does not know', { decode: () => {} }],
    ['writes two lines', { encodePrompt: () => '{}\n{}\n' }],
    [
      'writes half a character',
      { encodeError: (_, text) => `${JSON.stringify({ text }).replace('\\ud83e', '\ud83e')}\n` },
    ],
    ['forgets the line feed', { encodeCancel: () => '{}' }],
    ['writes what is no JSON', { encodeSuccess: (_, response) => `${String(response)}\n` }],
  ])('finds a codec that %s', async (_, fault) => {
    const subject = { create: () => ({ ...streamJson, ...fault }), samples };
    const outcomes = await Promise.allSettled(codecConformance(subject).map(({ run }) => run()));

    expect(outcomes.filter(({ status }) => status === 'rejected')).not.toEqual([]);
  });

  it('finds one that remembers another process', async () => {
    const one = createCodec();
    const remembering = { ...streamJson, decode: one.decode.bind(one) };
    const seen = new Set<string>();
    const create = () => ({
      ...remembering,
      decode: (line: Buffer, emit: Parameters<Codec['decode']>[1]) => {
        if (!seen.has(line.toString())) streamJson.decode(line, emit);
        seen.add(line.toString());
      },
    });
    const outcomes = await Promise.allSettled(codecConformance({ create, samples }).map(({ run }) => run()));

    expect(outcomes.filter(({ status }) => status === 'rejected')).not.toEqual([]);
  });
});
