import { describe, expect, it } from 'vitest';
import { whileVisible } from '../../src/dashboard/main/while-visible.ts';

describe('a stream of the page (P10)', () => {
  it('is followed while somebody can see the page, and holds no connection while nobody can', () => {
    const page = Object.assign(new EventTarget(), { hidden: true });
    const told: string[] = [];
    const turn = (hidden: boolean) => {
      page.hidden = hidden;
      page.dispatchEvent(new Event('visibilitychange'));
    };
    const close = whileVisible(page, () => {
      told.push('followed');
      return () => told.push('left');
    });
    expect(told).toEqual([]);
    turn(false);
    turn(false);
    turn(true);
    turn(true);
    turn(false);
    expect(told).toEqual(['followed', 'left', 'followed']);
    close();
    turn(true);
    turn(false);
    expect(told).toEqual(['followed', 'left', 'followed', 'left']);
  });
});
