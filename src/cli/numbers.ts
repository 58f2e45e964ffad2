import { InvalidArgumentError } from 'commander';

/** What `wholeNumber` takes; both ends belong to it. */
export interface NumberRange {
  readonly least?: number;
  readonly most?: number;
}

/** The highest port there is. */
export const HIGHEST_PORT = 65_535;
/** A year: nobody waits for longer, and a timer of Node would end at once. */
const MOST_SECONDS = 366 * 86_400;

/** Reads an option or argument that is a whole number: digits, and nothing else. An empty text, as of a variable that is not set, is none. */
export function wholeNumber({ least = 0, most = Number.MAX_SAFE_INTEGER }: NumberRange = {}): (text: string) => number {
  const expected = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number ${expected}.`);
  };
}

/** Reads an option that is a number above 0, such as a factor. */
export function positiveNumber(text: string): number {
  const value = decimal(text);
  if (value > 0) return value;
  throw new InvalidArgumentError('Expected a number above 0.');
}

/** Reads a time in seconds, above 0 and up to a year. */
export function seconds(text: string): number {
  const value = decimal(text);
  if (value > 0 && value <= MOST_SECONDS) return value;
  throw new InvalidArgumentError(`Expected a number of seconds above 0, up to ${MOST_SECONDS}.`);
}

function decimal(text: string): number {
  return /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
}
