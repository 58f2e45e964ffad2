import { describe, expect, it } from 'vitest';
import { shadowedTools } from '../../src/permissions/shadowed-tools.ts';

describe('tools that a callback is never asked about (R40)', () => {
  it('are those a rule allows as a whole, each named once, in order', () => {
    expect(shadowedTools({ allowedTools: ['Read', 'Bash', 'Read', ' Grep '] })).toEqual(['Read', 'Bash', 'Grep']);
  });

  it('do not include tools that a rule allows in part', () => {
    expect(shadowedTools({ allowedTools: ['Bash(ls:*)', 'Bash(git *)'] })).toEqual([]);
  });

  it('are all of them in bypass mode, and none by default or in accept-edits mode', () => {
    expect(shadowedTools({ permissionMode: 'bypassPermissions', allowedTools: ['Read'] })).toEqual(['*']);
    expect(shadowedTools({})).toEqual([]);
    expect(shadowedTools({ permissionMode: 'acceptEdits' })).toEqual([]);
  });
});
