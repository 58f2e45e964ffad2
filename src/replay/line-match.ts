import { parseRecord } from '../wire/fields.ts';
import type { ReplayIds } from './replay-ids.ts';

/**
 * When a line of the host counts as the recorded one. `exact`: the same value, in the same order. `ids`: the same but for ids,
 * which are translated; answers and requests may come in another order than they did. `kind`: type and subtype agree.
 */
export type ReplayMatch = 'exact' | 'ids' | 'kind';

/** The first place where two lines differ. */
export interface LineDifference {
  /** As in `request.hooks.Stop[0]`; empty for the whole line. */
  readonly place: string;
  readonly expected: unknown;
  readonly got: unknown;
}

interface Pair {
  readonly recorded: string;
  readonly live: string;
}

/** Stands where a secret was. */
const REDACTED = '[redacted]';
/** Where recordings of the protocol survey were shortened. */
const CUT = /…\(\+\d+\)$/;

/** Undefined when they agree; their ids are then bound to each other. */
export function lineDifference(
  recorded: Buffer,
  live: Buffer,
  match: ReplayMatch,
  ids: ReplayIds,
): LineDifference | undefined {
  const [expected, got] = [parseRecord(recorded.toString()), parseRecord(live.toString())];
  if (expected === undefined || got === undefined) {
    return recorded.equals(live) ? undefined : { place: '', expected: recorded.toString(), got: live.toString() };
  }
  const pairs: Pair[] = [];
  const found =
    match === 'kind' ? kindDifference(expected, got) : difference(expected, got, '', { match, ids, pairs, field: '' });
  if (found === undefined) {
    if (match === 'kind') bindNamed(expected, got, ids);
    for (const pair of pairs) ids.bind(pair.recorded, pair.live);
  }
  return found;
}

/** What a line is, in a word or two: `control_request/interrupt`. */
export function kindOfLine(line: Buffer): string {
  const value = parseRecord(line.toString());
  return value === undefined ? 'no message' : kindOf(value);
}

/** Binds the ids of two lines of one kind that differ elsewhere. */
export function bindIds(recorded: Buffer, live: Buffer, ids: ReplayIds): void {
  const [expected, got] = [parseRecord(recorded.toString()), parseRecord(live.toString())];
  if (expected !== undefined && got !== undefined) bindNamed(expected, got, ids);
}

function kindOf(value: Readonly<Record<string, unknown>>): string {
  const { type, request, method } = value;
  const subtype = isObject(request) ? request['subtype'] : (value['subtype'] ?? method);
  return [type ?? 'message', subtype].filter((part) => typeof part === 'string').join('/');
}

function kindDifference(expected: Record<string, unknown>, got: Record<string, unknown>): LineDifference | undefined {
  const [wanted, given] = [kindOf(expected), kindOf(got)];
  return wanted === given ? undefined : { place: '', expected: wanted, got: given };
}

function bindNamed(expected: unknown, got: unknown, ids: ReplayIds, field = ''): void {
  if (typeof expected === 'string' && typeof got === 'string') {
    if (ids.fits(expected, got, field)) ids.bind(expected, got);
    return;
  }
  if (Array.isArray(expected) && Array.isArray(got)) {
    for (const [at, item] of expected.entries()) bindNamed(item, got[at], ids, field);
    return;
  }
  if (!isObject(expected) || !isObject(got)) return;
  for (const [name, value] of Object.entries(expected)) bindNamed(value, got[name], ids, name);
}

interface Comparison {
  readonly match: ReplayMatch;
  readonly ids: ReplayIds;
  readonly pairs: Pair[];
  readonly field: string;
}

function difference(expected: unknown, got: unknown, place: string, how: Comparison): LineDifference | undefined {
  if (typeof expected === 'string' && typeof got === 'string') {
    return isSameText(expected, got, how) ? undefined : { place, expected, got };
  }
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return { place, expected, got };
    return firstOf(expected.keys(), (at) => difference(expected[at], got[at], `${place}[${at}]`, how));
  }
  if (isObject(expected) && isObject(got)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(got)]);
    return firstOf(names, (name) =>
      difference(expected[name], got[name], place === '' ? name : `${place}.${name}`, { ...how, field: name }),
    );
  }
  return Object.is(expected, got) ? undefined : { place, expected, got };
}

function isSameText(expected: string, got: string, { match, ids, pairs, field }: Comparison): boolean {
  if (expected === got && match === 'exact') return true;
  if (match === 'ids' && ids.fits(expected, got, field)) {
    pairs.push({ recorded: expected, live: got });
    return true;
  }
  if (CUT.test(expected)) return got.startsWith(expected.replace(CUT, ''));
  return expected.includes(REDACTED) && hasPieces(got, expected.split(REDACTED));
}

/** Whether the text is these pieces with anything between them. */
function hasPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const [index, piece] of others.entries()) {
    const isLast = index === others.length - 1;
    const at = isLast ? text.length - piece.length : text.indexOf(piece, from);
    if (at < from || !text.startsWith(piece, at)) return false;
    from = at + piece.length;
  }
  return true;
}

function firstOf<T>(items: Iterable<T>, look: (item: T) => LineDifference | undefined): LineDifference | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
