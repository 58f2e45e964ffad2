import { describe, expect, it } from 'vitest';
import { readPermissionRequest } from '../../src/permissions/permission-request.ts';
import { parsePermissionResult, wireDecision } from '../../src/permissions/permission-result.ts';

const INPUT = { command: 'ls' };
const RULE = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };

const asked = (input: Record<string, unknown>) =>
  readPermissionRequest('r1', { tool_name: 'Bash', input, tool_use_id: 't' }, 0);

describe('what the CLI gets', () => {
  it.each([
    ['a bare allow', { behavior: 'allow' }, { behavior: 'allow', updatedInput: INPUT }],
    [
      'an allow with a null input',
      { behavior: 'allow', updatedInput: null, updatedPermissions: null },
      { behavior: 'allow', updatedInput: INPUT },
    ],
    [
      'an allow with another input',
      { behavior: 'allow', updatedInput: { command: 'pwd' } },
      { behavior: 'allow', updatedInput: { command: 'pwd' } },
    ],
    ['an allow with an empty input', { behavior: 'allow', updatedInput: {} }, { behavior: 'allow', updatedInput: {} }],
    [
      'an allow with a rule',
      { behavior: 'allow', updatedPermissions: [RULE] },
      { behavior: 'allow', updatedInput: INPUT, updatedPermissions: [RULE] },
    ],
    ['a bare deny', { behavior: 'deny' }, { behavior: 'deny', message: 'The request was denied.' }],
    [
      'a deny with an empty message',
      { behavior: 'deny', message: '' },
      { behavior: 'deny', message: expect.any(String) },
    ],
    ['a deny with a reason', { behavior: 'deny', message: 'No.' }, { behavior: 'deny', message: 'No.' }],
    [
      'a deny that interrupts',
      { behavior: 'deny', message: 'No.', interrupt: true },
      { behavior: 'deny', message: 'No.', interrupt: true },
    ],
    [
      'a deny that does not',
      { behavior: 'deny', message: 'No.', interrupt: false },
      { behavior: 'deny', message: 'No.' },
    ],
  ])('is strict for %s: an input with every allow, a message with every deny (R32)', (_title, answer, wire) => {
    const sent = wireDecision(parsePermissionResult(answer).decision, asked(INPUT));
    expect(sent).toStrictEqual(wire);
    expect(sent['message']).not.toBe('');
  });

  it('is the input {} where the request had none (R32)', () => {
    expect(wireDecision({ behavior: 'allow' }, asked({}))).toStrictEqual({ behavior: 'allow', updatedInput: {} });
  });
});

describe('a changed input', () => {
  it('may have members that JSON leaves out', () => {
    const answer = { behavior: 'allow', updatedInput: { command: 'pwd', timeout: undefined } };
    expect(parsePermissionResult(answer).decision).toEqual({ behavior: 'allow', updatedInput: { command: 'pwd' } });
  });

  it('is what it was when it was answered, whatever becomes of the object (P4)', () => {
    const updatedInput: Record<string, unknown> = { command: 'pwd' };
    const { decision } = parsePermissionResult({ behavior: 'allow', updatedInput });
    updatedInput['command'] = 1n;
    expect(decision).toEqual({ behavior: 'allow', updatedInput: { command: 'pwd' } });
  });
});

describe('a malformed answer', () => {
  it.each([
    ['nothing', undefined, 'behavior'],
    ['null', null, 'behavior'],
    ['a boolean', true, 'behavior'],
    ['an unknown behavior', { behavior: 'maybe' }, 'behavior'],
    ['an input that is a list', { behavior: 'allow', updatedInput: [1] }, 'updatedInput'],
    ['an input that is a text', { behavior: 'allow', updatedInput: 'ls' }, 'updatedInput'],
    ['rules that are no list', { behavior: 'allow', updatedPermissions: RULE }, 'updatedPermissions'],
    ['a message that is no text', { behavior: 'deny', message: 7 }, 'message'],
    ['an interrupt that is no boolean', { behavior: 'deny', interrupt: 'yes' }, 'interrupt'],
    ['an input of another class', { behavior: 'allow', updatedInput: new Map([['command', 'ls']]) }, 'updatedInput'],
    ['an inherited field', Object.create({ behavior: 'allow', updatedInput: 'ls' }), 'updatedInput'],
    ['an input that is no JSON', { behavior: 'allow', updatedInput: { count: 1n } }, 'updatedInput'],
    ['an input that is circular', { behavior: 'allow', updatedInput: circular() }, 'updatedInput'],
    ['an input that becomes a text', { behavior: 'allow', updatedInput: { toJSON: () => 'ls' } }, 'updatedInput'],
  ])('is refused when it is %s, naming the field', (_title, answer, field) => {
    const refuse = () => parsePermissionResult(answer);
    expect(refuse).toThrow(expect.objectContaining({ code: 'INVALID_ANSWER', details: { field } }));
  });
});

describe('permission updates', () => {
  it.each([
    ['null', null],
    ['a text', 'addRules'],
    ['one without a type', { rules: [] }],
    ['one of an unknown type', { type: 'forgetEverything' }],
    ['rules that are no list', { ...RULE, rules: 'Bash' }],
    ['a rule without a tool', { ...RULE, rules: [{ ruleContent: 'ls' }] }],
    ['rules without a behavior', { type: 'addRules', rules: [{ toolName: 'Bash' }], destination: 'session' }],
    ['rules without a destination', { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow' }],
    ['a mode that is missing', { type: 'setMode', destination: 'session' }],
    ['rules that are no JSON', { ...RULE, priority: 1n }],
    ['directories that are no list', { type: 'addDirectories', directories: '/tmp', destination: 'session' }],
  ])('are dropped and counted when malformed, and the answer stands: %s (R32)', (_title, update) => {
    expect(parsePermissionResult({ behavior: 'allow', updatedPermissions: [RULE, update] })).toEqual({
      decision: { behavior: 'allow', updatedPermissions: [RULE] },
      droppedUpdates: 1,
    });
  });

  it('pass as the CLI suggests them, with fields nobody knows (WIRE §5)', () => {
    const updates = [
      { ...RULE, rules: [{ toolName: 'Bash', ruleContent: 'echo hi *' }], future: true },
      { type: 'addDirectories', directories: ['/tmp'], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ];
    const parsed = parsePermissionResult({ behavior: 'allow', updatedPermissions: updates });
    expect(parsed).toEqual({ decision: { behavior: 'allow', updatedPermissions: updates }, droppedUpdates: 0 });
  });

  it('are left out altogether when none is left', () => {
    const { decision } = parsePermissionResult({ behavior: 'allow', updatedPermissions: [7] });
    expect(decision).toStrictEqual({ behavior: 'allow' });
  });
});

function circular(): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  input['self'] = input;
  return input;
}
