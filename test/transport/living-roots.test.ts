import { describe, expect, it } from 'vitest';
import { forgetRoot, livingRoot, rememberRoot } from '../../src/transport/living-roots.ts';
import { entry, BASE as ROOT } from './process-entries.ts';

describe('the roots that need no look', () => {
  it('are those whose status was not collected (P1)', () => {
    let isAlive = true;
    rememberRoot({ entry: entry(0), isAlive: () => isAlive });
    expect(livingRoot(ROOT)).toEqual(entry(0));
    isAlive = false;
    expect(livingRoot(ROOT)).toBeUndefined();
  });

  it('are not those that somebody ends and wants to see gone (P3)', () => {
    rememberRoot({ entry: entry(0), isAlive: () => true });
    forgetRoot(ROOT);
    expect(livingRoot(ROOT)).toBeUndefined();
  });

  it('are not those that lead no group or no session: they may still move to another', () => {
    rememberRoot({ entry: entry(0, { group: ROOT + 1 }), isAlive: () => true });
    rememberRoot({ entry: entry(1, { session: ROOT }), isAlive: () => true });
    expect([livingRoot(ROOT), livingRoot(ROOT + 1)]).toEqual([undefined, undefined]);
  });
});
