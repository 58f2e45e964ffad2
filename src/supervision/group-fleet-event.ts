import type { GroupStateName } from '../../machines/group/group.events.ts';

/** What a group tells the fleet. Of the supervisor, not of one of its sessions. */
export type GroupFleetEvent = { readonly groupId: string; readonly at: number } & (
  | { readonly type: 'group.state-changed'; readonly state: GroupStateName; readonly from: GroupStateName | undefined }
  | {
      readonly type: 'group.restarting';
      /** The child that failed. */
      readonly child: string;
      readonly cause: { readonly code: string; readonly message: string };
      /** The children that are started again, in order, after the wait. */
      readonly start: readonly string[];
      readonly delayMs: number;
      /** Restarts that count by now. */
      readonly restarts: number;
    }
);
