/** How long, in its two largest units: `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 1 h`. Less than nothing is nothing. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return two(`${minutes} min`, seconds % 60, 's');
  if (hours < 24) return two(`${hours} h`, minutes % 60, 'min');
  return two(`${Math.floor(hours / 24)} d`, hours % 24, 'h');
}

/** The same in one unit, for columns: `12s`, `3m`, `2h`, `4d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** What nobody told is a dash, not nothing; what is less than a cent keeps two figures. */
export function costText(usd: number | undefined): string {
  if (usd === undefined) return '–';
  if (usd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  return `$${usd.toPrecision(2)}`;
}

/** How much of the time until a deadline is left, from 1 to 0. */
export function shareLeft(from: number, deadline: number, now: number): number {
  if (deadline <= from) return 0;
  return Math.min(1, Math.max(0, (deadline - now) / (deadline - from)));
}

function two(large: string, rest: number, unit: string): string {
  return rest === 0 ? large : `${large} ${rest} ${unit}`;
}
