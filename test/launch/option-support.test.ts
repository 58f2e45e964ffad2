import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { optionsDocument } from '../../scripts/documents.mjs';
import { OPTION_SUPPORT, PART_SUPPORT, unsupportedOptions } from '../../src/launch/option-support.ts';
import { SESSION_OPTION_NAMES } from '../../src/launch/session-options-schema.ts';

describe('where each option goes', () => {
  it('is known for every option that is accepted, and for no other', () => {
    expect(Object.keys(OPTION_SUPPORT).toSorted()).toEqual([...SESSION_OPTION_NAMES['']].toSorted());
  });

  it('is what docs/options.md says (else: npm run docs)', () => {
    const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8');

    expect(page, 'stale: run npm run docs').toBe(optionsDocument({ ...OPTION_SUPPORT, ...PART_SUPPORT }));
  });
});

describe('options that a release does not obey', () => {
  it.each<[Parameters<typeof unsupportedOptions>[0], string | undefined, unknown[]]>([
    [{ verbatimPrompts: true }, '2.1.248', []],
    [{ verbatimPrompts: true }, '2.1.247', [{ option: 'verbatimPrompts', since: '2.1.248', isRefused: true }]],
    [{ verbatimPrompts: true }, undefined, [{ option: 'verbatimPrompts', since: '2.1.248', isRefused: true }]],
    [
      { perTaskStopAffordance: true },
      undefined,
      [{ option: 'perTaskStopAffordance', since: '2.1.260', isRefused: false }],
    ],
    [
      { systemPrompt: { type: 'custom', prompt: 'p', snapshot: false } },
      '2.1.245',
      [{ option: 'systemPrompt.snapshot', since: '2.1.260', isRefused: false }],
    ],
    [{ systemPrompt: { type: 'custom', prompt: 'p', snapshot: false } }, '2.1.260', []],
    [{ systemPrompt: { type: 'custom', prompt: 'p' } }, undefined, []],
    [{ perTaskStopAffordance: true }, '2.1.332', []],
    [{ verbatimPrompts: false, model: 'opus' }, undefined, []],
    // Of a flag the CLI itself says that it does not know it.
    [{ projectConfigRoot: '/p' }, undefined, []],
  ])('%j on %s', (options, version, expected) => {
    expect(unsupportedOptions(options, version)).toEqual(expected);
  });
});
