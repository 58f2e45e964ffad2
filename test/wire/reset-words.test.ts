import { describe, expect, it } from 'vitest';
import { limitHitOf } from '../../src/wire/account-facts.ts';
import { resetIn } from '../../src/wire/reset-words.ts';

/** In Berlin 12:30, in New York 6:30 in the morning. */
const NOW = Date.UTC(2026, 10, 28, 11, 30);

describe('the reset of a limit that only the words tell (R86)', () => {
  it.each([
    ["You've hit your session limit · resets 2pm (UTC)", Date.UTC(2026, 10, 28, 14)],
    ["You've hit your session limit · resets 12:50am (UTC)", Date.UTC(2026, 10, 29, 0, 50)],
    ["You've hit your session limit · resets 12:50pm (UTC)", Date.UTC(2026, 10, 28, 12, 50)],
    ["You've hit your session limit · resets 3:15pm (Europe/Berlin)", Date.UTC(2026, 10, 28, 14, 15)],
    ["You've hit your session limit · resets 2am (America/New_York)", Date.UTC(2026, 10, 29, 7)],
    ["You've hit your weekly limit · resets Dec 1, 3pm (America/New_York)", Date.UTC(2026, 11, 1, 20)],
    ["You've hit your weekly limit · resets Dec 1 at 3pm (UTC)", Date.UTC(2026, 11, 1, 15)],
    ["You've hit your weekly limit · resets Jan 2, 2027, 3:30pm (UTC)", Date.UTC(2027, 0, 2, 15, 30)],
    // The clocks go forward in that night: there are 23 hours until then.
    ['resets Mar 28, 2027, 9am (Europe/Berlin)', Date.UTC(2027, 2, 28, 7)],
  ])('%s', (words, at) => {
    expect(resetIn(words, NOW)).toBe(at);
  });

  it('that was a moment ago has passed, and is not waited for until tomorrow', () => {
    expect(resetIn('resets 11:28am (UTC)', NOW)).toBe(NOW - 120_000);
    expect(resetIn('resets 11:20am (UTC)', NOW)).toBe(NOW - 600_000 + 86_400_000);
  });

  it.each([
    ['without a zone: whose clock it is nobody says', 'resets 12:50am'],
    ['in a zone that nobody knows', 'resets 12:50am (Atlantis/Capital)'],
    ['in a month that is none', 'resets Foo 3, 3pm (UTC)'],
    ['without a time', 'resets soon (UTC)'],
    ['nowhere', ''],
  ])('is not guessed %s', (_, words) => {
    expect(resetIn(words, NOW)).toBeUndefined();
  });

  it('is part of what a failed turn says', () => {
    const text = "You've hit your session limit · resets 2pm (UTC)";
    const failed = { isError: true, text, errors: [], apiErrorStatus: 429 };

    expect(limitHitOf(failed, NOW)).toEqual({ resetsAt: Date.UTC(2026, 10, 28, 14) });
  });
});
