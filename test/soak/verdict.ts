/** What of one measure was seen, from the first look to the last, at even distances. */
export type Series = readonly number[];

export interface Verdict {
  /** `grows`: more is kept, the longer it runs. `too-short`: fewer looks than can say anything. */
  readonly is: 'flat' | 'grows' | 'too-short';
  /** By how much it grew in the time that was judged, as the slope says. */
  readonly growth: number;
  /** By how much it may. */
  readonly allowed: number;
}

/** The first quarter is left out: caches fill, code is compiled, pages are taken from the system. */
const WARM_UP = 0.25;
const FEWEST = 12;
/** A line through pure noise goes up by less than so many of its spreads. */
const SPREADS = 2.5;

/**
 * Whether a measure stays where it is. Through the looks behind the warm-up goes the line of Theil and Sen (the median of the
 * slopes between any two), which single peaks do not turn. It grows when the line rises by more than `allowance` and by more
 * than 2.5 times the spread around it, and the median of the last third is above that of the first third by half of that.
 */
export function verdictOf(series: Series, allowance: number): Verdict {
  const judged = series.slice(Math.floor(series.length * WARM_UP));
  if (judged.length < FEWEST) return { is: 'too-short', growth: 0, allowed: allowance };
  const slope = medianOf(slopesOf(judged));
  const middle = medianOf(judged.map((value, at) => value - slope * at));
  const spread = 1.4826 * medianOf(judged.map((value, at) => Math.abs(value - slope * at - middle)));
  const growth = slope * (judged.length - 1);
  const allowed = Math.max(allowance, SPREADS * spread);
  const third = Math.floor(judged.length / 3);
  const step = medianOf(judged.slice(-third)) - medianOf(judged.slice(0, third));
  return { is: growth > allowed && step > allowed / 2 ? 'grows' : 'flat', growth, allowed };
}

function slopesOf(series: Series): number[] {
  return series.flatMap((value, at) => series.slice(at + 1).map((later, after) => (later - value) / (after + 1)));
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (low + high) / 2 : high;
}
