import { describe, expect, it } from 'vitest';
import { parseStat, parseVariable } from '../../src/transport/proc-files.ts';

const REST = '0 -1 4194304 101 0 0 0 0 0 0 0 20 0 1 0 141837 3133440 418';

describe('a line of /proc/<pid>/stat', () => {
  it('is parsed after the last parenthesis, whatever the program calls itself', () => {
    for (const name of ['cat', 'a b', '1) S 1 1 1 (x', ')', 'new\nline)']) {
      expect(parseStat(`5631 (${name}) R 5629 5628 2981 ${REST}`)).toMatchObject({
        pid: 5631,
        parentPid: 5629,
        groupId: 5628,
        sessionId: 2981,
        startTime: '141837',
        hasEnvironment: true,
      });
    }
  });

  it('of a zombie is the line of nobody, unless other threads of it still run', () => {
    expect(parseStat(`7 (x) Z 1 7 7 ${REST}`)).toBeUndefined();
    expect(parseStat(`7 (x) X 1 7 7 ${REST}`)).toBeUndefined();
    expect(parseStat(`7 (x) Z 1 7 7 ${REST.replace(' 20 0 1 ', ' 20 0 4 ')}`)).toMatchObject({ pid: 7 });
  });

  it('of a kernel thread says that there is no environment', () => {
    expect(parseStat(`2 (kthreadd) S 0 0 0 ${REST.replace('4194304', '2129984')}`)?.hasEnvironment).toBe(false);
  });

  it.each(['', 'x', '12', '12 (a', '12 (a) S 1 2'])('that is none is not parsed: %j', (text) => {
    expect(parseStat(text)).toBeUndefined();
  });
});

describe('the mark in an environment', () => {
  it.each([
    ['TROUPE_SESSION=a:1\0PATH=/bin\0', 'a:1'],
    ['PATH=/bin\0TROUPE_SESSION=a:1\0', 'a:1'],
    ['PATH=/bin\0TROUPE_SESSION=a:1', 'a:1'],
    ['TROUPE_SESSION=\0', ''],
    ['PATH=/bin\0X_TROUPE_SESSION=a:1\0', undefined],
    ['NOTE=TROUPE_SESSION=a:1\0', undefined],
    ['', undefined],
  ])('is the whole value of the variable and nothing that looks like it: %j', (text, mark) => {
    expect(parseVariable(Buffer.from(text), 'TROUPE_SESSION')).toBe(mark);
  });
});
