import { describe, expect, it } from 'vitest';
import { parseUserDialogResult, readUserDialog, wireUserDialog } from '../../src/permissions/user-dialog.ts';
import { codeOf } from './desk-harness.ts';

describe('a dialog of the CLI (request_user_dialog)', () => {
  it('is read with the names of the official SDK', () => {
    const wire = { dialog_kind: 'refusal_fallback_prompt', payload: { a: 1 }, tool_use_id: 'toolu_1' };
    expect(readUserDialog('r1', wire, 5)).toMatchObject({
      kind: 'dialog',
      id: 'r1',
      askedAt: 5,
      toolUseId: 'toolu_1',
      displayName: 'refusal_fallback_prompt',
      dialog: { dialogKind: 'refusal_fallback_prompt', payload: { a: 1 }, toolUseID: 'toolu_1' },
    });
  });

  it.each([[{}], [{ dialog_kind: 7, payload: 'x', tool_use_id: null }]])(
    'is read whatever is malformed: %j',
    (wire) => {
      expect(readUserDialog('r1', wire, 0).dialog).toEqual({ dialogKind: '', payload: {} });
    },
  );

  it.each([
    [
      { behavior: 'completed', result: { choice: 2 } },
      { behavior: 'completed', result: { choice: 2 } },
    ],
    [
      { behavior: 'completed', result: 'yes' },
      { behavior: 'completed', result: 'yes' },
    ],
    [
      { behavior: 'completed', result: undefined },
      { behavior: 'completed', result: null },
    ],
    [{ behavior: 'cancelled' }, { behavior: 'cancelled' }],
  ])('answered with %j goes to the CLI as %j', (answer, wire) => {
    expect(wireUserDialog(parseUserDialogResult(answer))).toEqual(wire);
  });

  it.each([
    [undefined, 'behavior'],
    [{}, 'behavior'],
    [{ behavior: 'allow' }, 'behavior'],
    [{ action: 'accept' }, 'behavior'],
    [{ behavior: 'completed' }, 'result'],
    [{ behavior: 'completed', result: 1n }, 'result'],
  ])('answered with %s is refused, naming the field "%s"', (answer, field) => {
    expect(codeOf(() => parseUserDialogResult(answer))).toEqual({ code: 'INVALID_ANSWER', field });
  });
});
