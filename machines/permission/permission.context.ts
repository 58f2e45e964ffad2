import type { QuestionKind, Settlement } from './permission.events.ts';

export interface PermissionInput {
  readonly kind: QuestionKind;
  readonly requestId: string;
  /** Empty for a question that is not about a tool. */
  readonly toolName: string;
  /** Milliseconds until the request is denied by the deadline; `Infinity` waits for a human as long as it takes (P5). */
  readonly deadlineMs: number;
}

export interface PermissionContext extends PermissionInput {
  readonly settlement: Settlement | null;
}
