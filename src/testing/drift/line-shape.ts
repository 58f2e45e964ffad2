import { isRecord } from '../../wire/fields.ts';

/** Names whose values are words of the protocol: of these the value counts, of all others only the type. */
const WORDS: ReadonlySet<string> = new Set([
  'api_error_status',
  'behavior',
  'capabilities',
  'code',
  'decision_reason_type',
  'destination',
  'error_code',
  'error_status',
  'isReplay',
  'is_error',
  'permissionMode',
  'requires_user_interaction',
  'signal',
  'stop_reason',
  'terminal_reason',
]);
/** Objects whose keys are data. */
const KEYED_BY_DATA: ReadonlySet<string> = new Set(['modelUsage']);
/** What this script put in itself, and the CLI only hands on. */
const ECHOED: ReadonlySet<string> = new Set(['input', 'tool_input', 'updatedInput', 'arguments']);
const MAX_DEPTH = 12;

/** The types and words that were seen at each place of a line. */
export type Shape = Map<string, Set<string>>;

/** Adds what is at each place of a value: `message.content[].text` → `string`. Values do not count, but for words. */
export function addShape(shape: Shape, value: unknown, path = '', name = '', depth = 0): void {
  if (path !== '') noteAt(shape, path, tokenOf(value, name));
  if (depth >= MAX_DEPTH || ECHOED.has(name)) return;
  if (Array.isArray(value)) {
    for (const item of value) addShape(shape, item, `${path}[]`, name, depth + 1);
  } else if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const step = KEYED_BY_DATA.has(name) ? '*' : key;
      addShape(shape, inner, path === '' ? step : `${path}.${step}`, key, depth + 1);
    }
  }
}

function noteAt(shape: Shape, path: string, token: string): void {
  const tokens = shape.get(path) ?? new Set();
  tokens.add(token);
  shape.set(path, tokens);
}

/** `=word` for a word of the protocol, else the type. */
function tokenOf(value: unknown, name: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  return WORDS.has(name) ? `=${String(value)}` : typeof value;
}
