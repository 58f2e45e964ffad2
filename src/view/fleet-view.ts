import type { PermissionView } from './session-view.ts';

/** One session in a list: what a `SessionView` says, in short. */
export interface SessionSummary {
  readonly id: string;
  readonly key?: string;
  readonly groups: readonly string[];
  readonly seq: number;
  readonly epoch: number;
  readonly state: string;
  readonly position: string;
  readonly status: 'idle' | 'running' | 'requires_action';
  /** Since when it is in that state; these and all times in epoch milliseconds. */
  readonly since: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly conversationId?: string;
  readonly model?: string;
  readonly permissionMode?: string;
  /** Prompts that have not ended, those that wait included. */
  readonly openPrompts: number;
  /** Those of them that no process has. */
  readonly queuedPrompts: number;
  /** Prompts that somebody has to decide about. */
  readonly promptsInDoubt: number;
  readonly openPermissions: number;
  readonly restarts: number;
  readonly turns: number;
  /** US dollars; undefined while nobody told. */
  readonly costUsd?: number;
  readonly parked?: { readonly reason: string; readonly until: number | null; readonly note: string };
  /** Why it is quarantined. */
  readonly quarantined?: { readonly code: string; readonly message: string };
  readonly ended?: { readonly at: number; readonly code: string; readonly message: string };
  /** Since when its work is silent, after a warning. */
  readonly silentSince?: number;
}

/** An open question of one session of the fleet. */
export interface FleetPermission extends PermissionView {
  readonly sessionId: string;
  /** `<sessionId>~<id>`: its name in `/v1/permissions`. */
  readonly globalId: string;
}

/** What a client knows of all sessions. */
export interface FleetView {
  /** In order of start. Those that ended stay as long as the server shows them. */
  readonly sessions: readonly SessionSummary[];
  /** Oldest first. */
  readonly permissions: readonly FleetPermission[];
  /** Of the supervisor: `running`, or a phase of its way down. */
  readonly phase: string;
  /** When that phase gives up; undefined for never. */
  readonly deadlineAt?: number;
}

/** An event of the fleet stream. */
export type FleetViewEvent =
  | ({ readonly type: 'snapshot' } & FleetView)
  | { readonly type: 'session.changed'; readonly session: SessionSummary }
  /** It ended, and is shown no more. */
  | { readonly type: 'session.removed'; readonly sessionId: string }
  | { readonly type: 'permission.requested'; readonly permission: FleetPermission }
  | {
      readonly type: 'permission.settled';
      readonly sessionId: string;
      readonly id: string;
      readonly globalId: string;
      readonly outcome: string;
      readonly by: string;
      readonly who?: string;
    }
  | {
      readonly type: 'supervisor.phase-changed';
      readonly at: number;
      readonly phase: string;
      readonly from: string;
      readonly deadlineAt?: number;
    }
  /** Of accounts, groups, the store, warm pools: as `supervisor.events()` tells them. */
  | { readonly type: `other:${string}`; readonly event: Readonly<Record<string, unknown>> };

/** A fleet of which nothing is known yet. */
export const EMPTY_FLEET: FleetView = { sessions: [], permissions: [], phase: 'running' };
