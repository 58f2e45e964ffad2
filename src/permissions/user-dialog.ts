import { z } from 'zod';
import type { PermissionDecision } from '../../machines/permission/permission.events.ts';
import { isRecord } from '../wire/fields.ts';
import { answerFault, jsonObjectOf, malformedAnswer } from './malformed-answer.ts';
import { type DialogPermissionRequest, textOf } from './permission-request.ts';

/** A dialog of the CLI; what `payload` and the result hold depends on the kind. Named as in the official SDK. */
export interface UserDialogRequest {
  readonly dialogKind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly toolUseID?: string;
}

/** `cancelled` leaves the CLI to what it does by itself. */
export type UserDialogResult =
  | { readonly behavior: 'completed'; readonly result: unknown }
  | { readonly behavior: 'cancelled' };

/** Answers dialogs. `null`: somebody else does, through `session.permissions.answer`. */
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { readonly signal: AbortSignal; readonly requestId: string },
) => Promise<UserDialogResult | null> | UserDialogResult | null;

const Result = z.discriminatedUnion('behavior', [
  z.looseObject({ behavior: z.literal('completed'), result: z.unknown() }),
  z.looseObject({ behavior: z.literal('cancelled') }),
]);

/** Reads a `request_user_dialog` request; tolerates every missing or malformed field. */
export function readUserDialog(
  requestId: string,
  wire: Readonly<Record<string, unknown>>,
  askedAt: number,
): DialogPermissionRequest {
  const toolUseId = textOf(wire['tool_use_id']);
  const dialog = {
    dialogKind: textOf(wire['dialog_kind']) ?? '',
    payload: isRecord(wire['payload']) ? wire['payload'] : {},
    ...(toolUseId === undefined ? {} : { toolUseID: toolUseId }),
  };
  const nothing = {
    toolName: undefined,
    input: undefined,
    agentId: undefined,
    title: undefined,
    description: undefined,
  };
  return {
    kind: 'dialog',
    dialog,
    ...nothing,
    id: requestId,
    toolUseId,
    displayName: dialog.dialogKind,
    askedAt,
    settlement: undefined,
  };
}

/** Checks an answer. Throws INVALID_ANSWER with `details.field`. */
export function parseUserDialogResult(answer: unknown): PermissionDecision {
  const parsed = Result.safeParse(answer);
  if (!parsed.success) throw answerFault(parsed.error, 'behavior');
  if (parsed.data.behavior === 'cancelled') return { behavior: 'dismiss' };
  const copy = jsonObjectOf({ result: parsed.data.result ?? null });
  if (copy === undefined) throw malformedAnswer('result', 'must be data that JSON can hold');
  return { behavior: 'complete', result: copy['result'] };
}

/** The decision as the CLI wants it. */
export function wireUserDialog({ behavior, result }: PermissionDecision): Record<string, unknown> {
  return behavior === 'complete' ? { behavior: 'completed', result: result ?? null } : { behavior: 'cancelled' };
}
