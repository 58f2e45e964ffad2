import type { TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';

/** Ids that are looked through, and those of them that are named. */
const [LOOKED_AT, NAMED] = [500, 3];

/** Does the work; where the server does not know the session, the error says which it may have been, and where to look. */
export async function withSession<T>(client: TroupeClient, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
    const known = await client.sessions({ limit: LOOKED_AT }).catch(() => undefined);
    const like = likeIt(id, known?.sessions.map((session) => session.id) ?? []);
    const meant = like.length === 0 ? '' : ` Did you mean ${like.map((one) => `"${one}"`).join(' or ')}?`;
    throw new TroupeError('SESSION_NOT_FOUND', {
      cause: error,
      reason: `It was asked for "${id}".${meant} troupe ps lists them.`,
    });
  }
}

/** The ids that a slip of the hand makes of this one, the nearest first. */
export function likeIt(id: string, known: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(id.length / 3));
  return known
    .map((one) => ({ one, steps: one.startsWith(id) ? 0 : stepsBetween(id, one, most) }))
    .filter(({ steps }) => steps <= most)
    .toSorted((left, right) => left.steps - right.steps)
    .slice(0, NAMED)
    .map(({ one }) => one);
}

/** How many characters are put in, left out, changed or swapped; above `most` only that it is more. */
function stepsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
