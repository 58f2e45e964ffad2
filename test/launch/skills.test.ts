import { describe, expect, it } from 'vitest';
import { skillNameFault } from '../../src/launch/skills.ts';

describe('the name of a skill', () => {
  it.each(['pdf', 'my-plugin:pdf', 'two words', 'größe', '数据'])('may be %j', (name) => {
    expect(skillNameFault(name)).toBeUndefined();
  });

  it.each([
    '',
    ' pdf',
    'pdf ',
    '/pdf',
    '-pdf',
    'a)b',
    'a(b',
    'a,b',
    'p*f',
    'a\\b',
    'a\nb',
    'a\u0085b',
    '\ufeffpdf',
    'a\u200bb',
    'a\u202eb',
    'a\ud800',
    'a\u2028b',
  ])('must not say anything else to the rule it becomes part of: %j (R95)', (name) => {
    expect(skillNameFault(name)).toBeTypeOf('string');
  });
});
