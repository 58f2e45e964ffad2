import { createHash } from 'node:crypto';
import { TroupeError } from '../errors.ts';

/** Of an id so many bytes of its digest stand in a cursor: two sessions of a million share them once in three hundred. */
const KEY_BYTES = 6;
const VERSION = '1';

/**
 * How far a reader of the fleet is: of each session the last event it has, and when the newest of all was. One short text, so
 * that it fits where only a text does, such as a header: nine bytes for a session, whatever its id. It names no place of this
 * process or store, so it means the same after a restart of everything.
 */
export class FleetCursor {
  readonly #seqs: ReadonlyMap<string, number>;
  /** Milliseconds since 1970; what ended before is not asked for. */
  readonly at: number;

  constructor(seqs: ReadonlyMap<string, number>, at: number) {
    this.#seqs = seqs;
    this.at = at;
  }

  /** Of sessions by their id. */
  static of(seqs: Iterable<readonly [id: string, seq: number]>, at: number): FleetCursor {
    return new FleetCursor(new Map([...seqs].map(([id, seq]) => [keyOf(id), seq])), at);
  }

  /** Throws INVALID_OPTIONS for what is none. */
  static parse(text: string): FleetCursor {
    const [version, at, entries, ...more] = text.split('.');
    const moment = Number.parseInt(at ?? '', 36);
    if (version !== VERSION || entries === undefined || more.length > 0 || !isNumber(moment)) throw noCursor();
    const bytes = Buffer.from(entries, 'base64url');
    const seqs = new Map<string, number>();
    for (let offset = 0; offset < bytes.length; ) {
      const key = bytes.toString('hex', offset, offset + KEY_BYTES);
      const { value, end } = numberAt(bytes, offset + KEY_BYTES);
      seqs.set(key, value);
      offset = end;
    }
    return new FleetCursor(seqs, moment);
  }

  /** The last event that the reader has of a session; undefined when it knows nothing of it. */
  seqOf(id: string): number | undefined {
    return this.#seqs.get(keyOf(id));
  }

  toString(): string {
    const entries = [...this.#seqs].map(([key, seq]) => Buffer.concat([Buffer.from(key, 'hex'), bytesOf(seq)]));
    return [VERSION, Math.trunc(this.at).toString(36), Buffer.concat(entries).toString('base64url')].join('.');
  }
}

function keyOf(id: string): string {
  return createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, 2 * KEY_BYTES);
}

/** Seven bits in each byte, the lowest first; the highest bit says that more follow. */
function bytesOf(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

function numberAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let [at, unit] = [start, 1]; ; at += 1, unit *= 128) {
    const byte = bytes[at];
    if (byte === undefined || unit > Number.MAX_SAFE_INTEGER) throw noCursor();
    value += (byte % 128) * unit;
    if (!isNumber(value)) throw noCursor();
    if (byte < 128) return { value, end: at + 1 };
  }
}

/** A larger one would be another when it is written again. */
function isNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function noCursor(): TroupeError {
  const details = { field: 'from' };
  return new TroupeError('INVALID_OPTIONS', { reason: '"from" is no cursor of this fleet.', details });
}
