import { describe, expect, it } from 'vitest';
import { Calendar } from '../../src/supervision/calendar-day.ts';

describe('a calendar day', () => {
  it.each([
    ['UTC', '2026-11-28T13:00:00.000Z', '2026-11-28', '2026-11-29T00:00:00.000Z'],
    ['UTC', '2026-11-28T00:00:00.000Z', '2026-11-28', '2026-11-29T00:00:00.000Z'],
    ['UTC', '2026-11-27T23:59:59.999Z', '2026-11-27', '2026-11-28T00:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-28T15:30:00.000Z', '2026-11-29', '2026-11-29T15:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-28T12:00:00.000Z', '2026-11-28', '2026-11-28T18:15:00.000Z'],
    // 25 hours, then 23.
    ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    // Midnight does not exist there on that day.
    ['Africa/Cairo', '2026-04-23T12:00:00.000Z', '2026-04-23', '2026-04-23T22:00:00.000Z'],
  ])('of %s at %s is %s and ends at %s', (timeZone, at, name, end) => {
    const day = new Calendar(timeZone).dayAt(Date.parse(at));

    expect({ name: day.name, end: new Date(day.endsAt).toISOString() }).toEqual({ name, end });
  });
});
