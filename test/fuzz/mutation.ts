import type { Random } from '../chaos/random.ts';
import { HOSTILE_BYTES, hostileName, hostileValue } from './hostile-values.ts';
import type { InputFormat } from './target.ts';

/** A longer input costs more than it finds. */
export const MAX_INPUT_BYTES = 256 * 1024;

/** One of the inputs, changed once or several times; `others` lends pieces. */
export function mutated(random: Random, format: InputFormat, input: Buffer, others: readonly Buffer[]): Buffer {
  const other = others[random.below(others.length)] ?? input;
  let result = input;
  for (let times = 1 + random.below(random.chance(0.3) ? 12 : 3); times > 0; times -= 1) {
    const asText = format !== 'bytes' && random.chance(0.75);
    result = asText ? changedJson(random, format, result, other) : changedBytes(random, result, other);
  }
  return result.length > MAX_INPUT_BYTES ? result.subarray(0, MAX_INPUT_BYTES) : result;
}

function changedBytes(random: Random, input: Buffer, other: Buffer): Buffer {
  const at = random.below(input.length + 1);
  const end = Math.min(input.length, at + 1 + random.below(random.chance(0.2) ? input.length + 1 : 16));
  const [before, span, after] = [input.subarray(0, at), input.subarray(at, end), input.subarray(end)];
  switch (random.below(9)) {
    case 0:
      return withByte(input, at, (input[at] ?? 0) ^ (1 << random.below(8)));
    case 1:
      return withByte(input, at, random.below(256));
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, span, span, after]);
    case 4:
      return before;
    case 5: {
      const from = random.below(other.length + 1);
      const piece = other.subarray(from, from + random.below(64));
      return Buffer.concat([before, piece, random.chance(0.5) ? after : input.subarray(at)]);
    }
    case 6:
      return Buffer.concat([before, deep(random), input.subarray(at)]);
    case 7:
      return Buffer.concat([before, Buffer.alloc(random.below(8), random.below(256)), after]);
    default:
      return Buffer.concat([before, random.pick(HOSTILE_BYTES), random.chance(0.5) ? after : input.subarray(at)]);
  }
}

function withByte(input: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(input);
  if (at < copy.length) copy[at] = byte;
  return copy;
}

function deep(random: Random): Buffer {
  const depth = random.below(random.chance(0.1) ? 20_000 : 50);
  const opening = random.pick(['[', '{"a":', '{"type":', '(']);
  const closing = opening === '[' ? ']' : opening === '(' ? ')' : '}';
  return Buffer.from(opening.repeat(depth) + (random.chance(0.7) ? `1${closing.repeat(depth)}` : ''));
}

function changedJson(random: Random, format: InputFormat, input: Buffer, other: Buffer): Buffer {
  if (format === 'json') return changedLine(random, input.toString(), other.toString());
  const lines = input.toString().split('\n');
  const others = other.toString().split('\n');
  const at = random.below(lines.length);
  const lent = others[random.below(others.length)] ?? '';
  switch (random.below(6)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(at, 0, lines[random.below(lines.length)] ?? '');
      break;
    case 2:
      lines.splice(at, 0, lent);
      break;
    default:
      lines[at] = changedLine(random, lines[at] ?? '', lent).toString();
  }
  return Buffer.from(lines.join('\n'));
}

function changedLine(random: Random, line: string, other: string): Buffer {
  const value = parsed(line);
  if (value === undefined) return changedBytes(random, Buffer.from(line), Buffer.from(other));
  return Buffer.from(JSON.stringify(changedValue(random, value, parsed(other))) ?? '');
}

/** A number for a value that could not be written as JSON again, because it lies too deep. */
function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}

/** Goes down to some place, and changes what is there. */
function changedValue(random: Random, value: unknown, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return newValue(random, value, other);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    const rest = [...value];
    if (at === value.length || random.chance(0.1)) rest.splice(at, 0, newValue(random, value[0], other));
    else if (random.below(10) === 0) rest.splice(at, 1);
    else rest[at] = changedValue(random, rest[at], other);
    return rest;
  }
  const entries: [string, unknown][] = Object.entries(value);
  const at = random.below(entries.length + 1);
  const [name, old] = entries[at] ?? [hostileName(random), undefined];
  const dice = random.below(20);
  if (dice === 0) entries.splice(at, 1);
  else if (dice === 1) entries[at] = [hostileName(random), old];
  else if (dice === 2) entries.push([name, newValue(random, old, other)]);
  else entries[at] = [name, changedValue(random, old, other)];
  return Object.fromEntries(entries);
}

function newValue(random: Random, old: unknown, other: unknown): unknown {
  if (typeof old === 'string' && random.chance(0.4)) return changedText(random, old);
  if (typeof old === 'number' && random.chance(0.4)) return old * random.pick([-1, 0, 1e300, 0.5, 2 ** 40]);
  return random.chance(0.25) && other !== undefined ? somewhereIn(random, other) : hostileValue(random);
}

function changedText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const end = random.chance(0.5) ? at : Math.min(text.length, at + random.below(10));
  const piece = random.pick([
    '',
    '\0',
    '\ud83d',
    '*',
    '(',
    ')',
    ' ',
    '/',
    '../',
    ':',
    '"',
    "'",
    '\n',
    ',',
    '\\',
    '$',
    '%',
  ]);
  return text.slice(0, at) + piece.repeat(random.chance(0.05) ? 2_000 : 1) + text.slice(end);
}

function somewhereIn(random: Random, value: unknown): unknown {
  let place = value;
  while (typeof place === 'object' && place !== null && !random.chance(0.3)) {
    const values: unknown[] = Object.values(place);
    if (values.length === 0) break;
    place = values[random.below(values.length)];
  }
  return place;
}
