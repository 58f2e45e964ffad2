import { TroupeError } from '../errors.ts';

/** Controls, marks that turn the direction of text, byte order marks, private use, lone surrogates: nothing a title can show. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ufeff\p{Co}\p{Cs}]/gu;
/** For a tag, which is compared: also everything that has no width. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800]|\p{Variation_Selector}/gu;

/** A title as it is kept: one line, in composed Unicode. Throws INVALID_OPTIONS when nothing is left. */
export function cleanTitle(title: unknown): string {
  return filled('title', typeof title === 'string' ? title.replaceAll(UNSHOWABLE, ' ').normalize('NFC').trim() : '');
}

/** A tag as it is kept: without invisible characters, in compatible composed Unicode. Throws INVALID_OPTIONS when nothing is left. */
export function cleanTag(tag: unknown): string {
  return filled('tag', typeof tag === 'string' ? tag.normalize('NFKC').replaceAll(INVISIBLE, '').trim() : '');
}

function filled(field: string, text: string): string {
  if (text !== '') return text;
  const reason = field === 'tag' ? 'must not be empty; null takes a tag away' : 'must not be empty';
  throw new TroupeError('INVALID_OPTIONS', {
    reason: `${field}: ${reason}.`,
    details: { field, reason, issues: [{ field, reason }] },
  });
}
