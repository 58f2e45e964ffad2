/** "· resets 12:50am (Europe/Berlin)", "· resets Nov 30, 3pm (UTC)", "· resets Jan 2, 2027, 3pm (UTC)". */
const RESETS =
  /\bresets (?:([A-Z][a-z]{2}) (\d{1,2})(?:,? (\d{4}))?(?:,| at) )?(\d{1,2})(?::(\d{2}))? ?([ap])m \(([\w/+-]+)\)/i;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 86_400_000;
/** A time of the day that was a moment ago is that one, and not the same of tomorrow. */
const JUST_NOW_MS = 300_000;

/**
 * The moment that the words of the CLI name as the reset of a limit, in milliseconds since 1970; undefined where they name
 * none, or no time zone. A date is left out where it is less than a day away. Never throws.
 */
export function resetIn(words: string, now: number): number | undefined {
  const [, month, day, year, hour, minute = '0', half, zone] = RESETS.exec(words) ?? [];
  if (hour === undefined || half === undefined || zone === undefined) return undefined;
  const today = wallClock(now, zone);
  if (today === undefined) return undefined;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const timeOfDay = (hours * 60 + Number(minute)) * 60_000;
  if (month === undefined) {
    const midnight = today - (today % DAY_MS);
    const onThatDay = (midnightOfDay: number) => momentOf(midnightOfDay + timeOfDay, zone);
    const first = onThatDay(midnight);
    return first === undefined || first >= now - JUST_NOW_MS ? first : onThatDay(midnight + DAY_MS);
  }
  const index = MONTHS.indexOf(month.toLowerCase());
  const thisYear = new Date(today).getUTCFullYear();
  return index < 0 ? undefined : momentOf(Date.UTC(Number(year ?? thisYear), index, Number(day)) + timeOfDay, zone);
}

/** What the clocks of that zone show then, as if they were those of UTC; undefined for a zone that nobody knows. */
function wallClock(at: number, zone: string): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  } catch {
    return undefined;
  }
}

/** When the clocks of that zone show that. */
function momentOf(shown: number, zone: string): number | undefined {
  const first = offsetAt(shown, zone);
  if (first === undefined) return undefined;
  // Near a change of the clocks the offset at the answer is another one than at the guess.
  const second = offsetAt(shown - first, zone);
  return second === undefined ? undefined : shown - second;
}

function offsetAt(at: number, zone: string): number | undefined {
  const shown = wallClock(at, zone);
  return shown === undefined ? undefined : shown - Math.floor(at / 1_000) * 1_000;
}
