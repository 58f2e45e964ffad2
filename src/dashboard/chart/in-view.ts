/** Room that is kept around what is brought into view, in pixels. */
const MARGIN = 24;

/** A stretch of an axis: of what is looked at, or of the part that can be seen. */
export interface Stretch {
  readonly start: number;
  readonly length: number;
}

/** Where the visible part has to begin so that the other one is in it; where it is now when that is so already. */
export function startThatShows(wanted: Stretch, seen: Stretch): number {
  const isSeen =
    wanted.start - MARGIN >= seen.start && wanted.start + wanted.length + MARGIN <= seen.start + seen.length;
  return isSeen ? seen.start : Math.max(0, wanted.start + wanted.length / 2 - seen.length / 2);
}
