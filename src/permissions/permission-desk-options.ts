import type { Settlement } from '../../machines/permission/permission.events.ts';
import type { Clock } from '../clock.ts';
import type { CanUseTool } from './can-use-tool.ts';
import type { OnElicitation } from './elicitation.ts';
import type { PermissionRequest } from './permission-request.ts';
import type { RuleBook } from './rule-book.ts';
import type { OnUserDialog } from './user-dialog.ts';

/** What a desk needs to know and whom it tells. */
export interface PermissionDeskOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly canUseTool: CanUseTool | undefined;
  readonly onElicitation: OnElicitation | undefined;
  readonly onUserDialog: OnUserDialog | undefined;
  /** The dialogs that were announced to the CLI; any other is not ours to answer. */
  readonly dialogKinds: readonly string[];
  /** False when nobody is there to answer what has no callback: it is refused at once, with this explanation (R37). */
  readonly isAttended: boolean;
  readonly rules: RuleBook;
  /** Settled requests kept for `get` and late clickers. */
  readonly maxSettled: number;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly onRequested: (request: PermissionRequest) => void;
  /** No rule decides it: from now on the session waits for somebody. */
  readonly onOpened: (request: PermissionRequest) => void;
  readonly onSettled: (request: PermissionRequest, settlement: Settlement) => void;
  /** In place of `onOpened`, for what is settled in the moment in which it opens: `settle` tells that. */
  readonly onPassed: (request: PermissionRequest, settle: () => void) => void;
  /**
   * What is told is kept by nobody but this process: an answer that is there at once goes out before it is told. Else an answer
   * rests on what was told before it.
   */
  readonly answersFirst: boolean;
  /** A process has asked again what was asked before the host was lost. */
  readonly onRebound: (request: PermissionRequest) => void;
  /** What was decided while no process asked is not asked any more. */
  readonly onUnheard: (request: PermissionRequest) => void;
  readonly onDroppedUpdates: (request: PermissionRequest, dropped: number) => void;
}
