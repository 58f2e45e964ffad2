import { type ErrorCode, TroupeError } from '../../errors.ts';

const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;
const HAS_SURROGATE_ESCAPE = /\\ud[89a-f]/;
const ESCAPES = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/**
 * One line of JSON with its line feed. Line ends that are none to us are escaped for peers that split on them (R10), and
 * lone surrogates become U+FFFD (R09). Throws the given code when the value is not JSON: a bigint, a cycle, too large.
 */
export function toLine(value: object, code: ErrorCode): string {
  const json = stringify(value, code).replace(LINE_SEPARATORS, (separator) => escapeOf(separator));
  return `${HAS_SURROGATE_ESCAPE.test(json) ? json.replace(ESCAPES, wellFormed) : json}\n`;
}

function stringify(value: object, code: ErrorCode): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new TroupeError(code, { reason: 'It cannot be written as JSON.', cause });
  }
}

/** JSON.stringify escapes only lone surrogates; reading escape by escape tells them from a backslash before "ud83d". */
function wellFormed(sequence: string): string {
  return sequence.length > 2 ? '\ufffd' : sequence;
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
