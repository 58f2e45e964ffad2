/** Swapped, missing or added letters that still count as a slip of the pen: one in three, at most three. */
const MAX_SLIPS = 3;

/** The name a misspelt one was probably meant to be, or undefined when none is near. */
export function nearestName(misspelt: string, names: readonly string[]): string | undefined {
  if (misspelt.length > 64) return undefined;
  const allowed = Math.min(MAX_SLIPS, Math.ceil(misspelt.length / 3));
  const ranked = names
    .map((name) => ({ name, slips: slipsBetween(misspelt.toLowerCase(), name.toLowerCase()) }))
    .filter(({ slips }) => slips <= allowed)
    .sort((left, right) => left.slips - right.slips);
  return ranked[0]?.name;
}

/** Edit distance with one row of the table at a time. */
function slipsBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
