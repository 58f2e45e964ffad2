import type { Day } from '../../machines/budget/budget.events.ts';

/** A day never lasts longer, not even the one on which the clocks are turned back. */
const LONGEST_DAY_MS = 26 * 3_600_000;

/** Tells the calendar day of a moment in one time zone, and when that day ends, also where the clocks are changed. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    const [year, month, day] = ['numeric', '2-digit', '2-digit'] as const;
    this.#format = new Intl.DateTimeFormat('en-CA', { timeZone, calendar: 'iso8601', year, month, day });
  }

  dayAt(at: number): Day {
    const name = this.#nameAt(at);
    let [inside, outside] = [at, at + LONGEST_DAY_MS];
    while (outside - inside > 1) {
      const middle = Math.floor((inside + outside) / 2);
      if (this.#nameAt(middle) === name) inside = middle;
      else outside = middle;
    }
    return { name, endsAt: outside };
  }

  #nameAt(at: number): string {
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, value]));
    return `${parts['year']}-${parts['month']}-${parts['day']}`;
  }
}
