export interface Range {
  readonly first: number;
  /** Behind the last one. */
  readonly end: number;
}

/** Which of equally high rows have to be drawn, with a few more on both sides. */
export function visibleRange(of: {
  readonly count: number;
  readonly rowHeight: number;
  readonly top: number;
  readonly height: number;
}): Range {
  const MORE = 6;
  const first = Math.max(0, Math.floor(of.top / of.rowHeight) - MORE);
  const end = Math.min(of.count, Math.ceil((of.top + of.height) / of.rowHeight) + MORE);
  return { first: Math.min(first, of.count), end: Math.max(end, Math.min(first, of.count)) };
}
