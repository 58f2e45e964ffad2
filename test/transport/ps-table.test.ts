import { describe, expect, it } from 'vitest';
import { parsePs } from '../../src/transport/ps-table.ts';

describe('the output of ps', () => {
  it('gives pid, parent, group and start time, and leaves out zombies and noise', () => {
    const output = [
      '    1     0     1 Ss   Mon Jan  6 10:00:00 2025',
      ' 4242     1  4242 S+   Tue Jan  7 11:22:33 2025    ',
      ' 4243  4242  4242 Z    Tue Jan  7 11:22:34 2025',
      'ps: something odd',
      '',
    ].join('\n');
    const entries = parsePs(output);
    expect([...entries.keys()]).toEqual([1, 4242]);
    expect(entries.get(4242)).toMatchObject({ parentPid: 1, groupId: 4242, startTime: 'Tue Jan  7 11:22:33 2025' });
  });
});
