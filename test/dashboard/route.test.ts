import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, routeOf } from '../../src/dashboard/main/route.ts';

describe('the addresses of the page', () => {
  it.each([
    ['', { page: 'fleet' }],
    ['#/', { page: 'fleet' }],
    ['#/inbox', { page: 'inbox' }],
    ['#/tree', { page: 'tree' }],
    ['#/sessions/review-1', { page: 'session', id: 'review-1' }],
    ['#/sessions/a%2Fb', { page: 'session', id: 'a/b' }],
    ['#/sessions/', { page: 'unknown' }],
    ['#/sessions/%', { page: 'unknown' }],
    ['#/sessions/a/b', { page: 'unknown' }],
    ['#/elsewhere', { page: 'unknown' }],
  ])('%s is a page, or is said to be none', (hash, route) => {
    expect(routeOf(hash)).toEqual(route);
  });

  it('lead to the session that they were made for, whatever its id', () => {
    const anyId = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(anyId, (id) => {
        expect(routeOf(addressOf({ page: 'session', id }))).toEqual({ page: 'session', id });
      }),
    );
  });

  it('are read without an error, whatever they are', () => {
    fc.assert(fc.property(fc.string(), (hash) => typeof routeOf(hash).page === 'string'));
  });
});
