import { describe, expect, it } from 'vitest';
import { offeredRules, updatesFor } from '../../src/permissions/answer-scope.ts';
import { readPermissionRequest } from '../../src/permissions/permission-request.ts';

const RULES = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }, { toolName: 'Read' }],
  behavior: 'allow',
  destination: 'localSettings',
};
const FOLDERS = { type: 'addDirectories', directories: ['/data'], destination: 'localSettings' };
const MODE = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
const FORBIDS = { ...RULES, behavior: 'deny' };
const REMOVES = { ...RULES, type: 'removeRules' };

describe('how far an answer goes', () => {
  it('is this call alone unless it says otherwise', () => {
    expect(updatesFor(asked(RULES), { behavior: 'allow' })).toEqual([]);
    expect(updatesFor(asked(RULES), { behavior: 'allow', scope: 'once' })).toEqual([]);
  });

  it('is told to the CLI with what it suggested: for the session, or for the settings of the folder as well', () => {
    const session = [
      { ...RULES, destination: 'session' },
      { ...FOLDERS, destination: 'session' },
    ];
    expect(updatesFor(asked(RULES, FOLDERS), { behavior: 'allow', scope: 'session' })).toEqual(session);
    expect(updatesFor(asked(RULES, FOLDERS), { behavior: 'allow', scope: 'always' })).toEqual([
      ...session,
      RULES,
      FOLDERS,
    ]);
  });

  it('never is a change of the mode, nor a rule that forbids or is taken away', () => {
    expect(updatesFor(asked(MODE, FORBIDS, REMOVES), { behavior: 'allow', scope: 'always' })).toEqual([]);
    expect(offeredRules(asked(MODE, FORBIDS, REMOVES))).toEqual([]);
  });

  it('takes nothing from suggestions for a question that was answered with another input', () => {
    const decision = { behavior: 'allow', scope: 'always', updatedInput: { command: 'other' } } as const;
    expect(updatesFor(asked(RULES), decision)).toEqual([]);
    expect(updatesFor(asked(RULES), { ...decision, updatedInput: { command: 'npm test' } })).not.toEqual([]);
  });

  it('is the call alone where the CLI wants no rule to be remembered', () => {
    const request = { ...asked(RULES), suppressAlwaysAllowRule: true };
    expect(updatesFor(request, { behavior: 'allow', scope: 'always' })).toEqual([]);
    expect(offeredRules(request)).toEqual([]);
  });
});

describe('the rules that are offered', () => {
  it('are written as everywhere else', () => {
    expect(offeredRules(asked(RULES, FOLDERS))).toEqual(['Bash(npm test:*)', 'Read']);
  });

  it.each([[{ type: 'addRules', behavior: 'allow' }], [{ type: 'addRules', behavior: 'allow', rules: [null, {}, 7] }]])(
    'are none where the suggestion is malformed: %j',
    (suggestion) => {
      expect(offeredRules(asked(suggestion))).toEqual([]);
    },
  );
});

function asked(...suggestions: unknown[]) {
  const wire = { tool_name: 'Bash', input: { command: 'npm test' }, permission_suggestions: suggestions };
  return readPermissionRequest('r1', wire, 0);
}
