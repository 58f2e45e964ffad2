import type { Random } from '../chaos/random.ts';

/** Bytes that parsers stumble over, where nobody expects them. */
export const HOSTILE_BYTES: readonly [Buffer, ...Buffer[]] = [
  Buffer.from('\n'),
  Buffer.from('\r\n'),
  Buffer.from('\r'),
  Buffer.from('\0'),
  Buffer.from('\ufeff'),
  Buffer.from('\u2028'),
  Buffer.from('\u00a0'),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xf0, 0x9f, 0x8e]),
  Buffer.from('\\ud800'),
  Buffer.from('\\u0000'),
  Buffer.from('\\'),
  Buffer.from('"'),
  Buffer.from('{'),
  Buffer.from('}'),
  Buffer.from('[]'),
  Buffer.from('{}'),
  Buffer.from('null'),
  Buffer.from('1e999'),
  Buffer.from('-0'),
  Buffer.from('9007199254740993'),
  Buffer.from(`${'9'.repeat(400)}`),
  Buffer.from('{"type":"'),
  Buffer.from('__proto__'),
  Buffer.from('%00'),
  Buffer.from('%2e%2e%2f'),
];

const NAMES: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'toJSON',
  'length',
  '',
  '0',
  '\0',
  '\ud800',
  'type',
  'id',
];

const PLAIN: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e308,
  '',
  ' ',
  '\0',
  '\ud800',
  '\udfff\ud800',
  '\u2028\ufeff',
  'a\nb\r\nc',
  '../../etc/passwd',
  'NaN',
  'Infinity',
  '__proto__',
  '00000000-0000-4000-8000-000000000000',
  [],
  {},
  [[]],
  [null],
];

/** A value that nobody asked for. */
export function hostileValue(random: Random): unknown {
  const dice = random.below(10);
  if (dice < 6) return random.pick(PLAIN);
  if (dice === 6) return 'x'.repeat(1 + random.below(5_000));
  if (dice === 7) return nested(random.below(random.chance(0.1) ? 3_000 : 60));
  if (dice === 8) return Array.from({ length: random.below(200) }, () => random.pick(PLAIN));
  return Object.fromEntries(
    Array.from({ length: 1 + random.below(5) }, () => [hostileName(random), random.pick(PLAIN)]),
  );
}

export function hostileName(random: Random): string {
  return random.pick(NAMES);
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
