import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Settlement } from '../../machines/permission/permission.events.ts';
import { TroupeError } from '../../src/errors.ts';
import { PermissionDesk } from '../../src/permissions/permission-desk.ts';
import type { PermissionDeskOptions } from '../../src/permissions/permission-desk-options.ts';
import type { PermissionRequest } from '../../src/permissions/permission-request.ts';
import type { PermissionRule } from '../../src/permissions/permission-rule.ts';
import { RuleBook } from '../../src/permissions/rule-book.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

export const BASH = { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };

/** Rules of a session in a machine without links; the supervisor's come second. */
export function bookOf(session: readonly PermissionRule[], supervisor: readonly PermissionRule[] = []): RuleBook {
  const roots = { cwd: '/srv/app', home: '/home/user' };
  return new RuleBook({ session, supervisor, roots, realPath: (path) => Promise.resolve(path), maxGrants: 100 });
}

/** What came back to the CLI: the payload of the answer, or the error that refuses the tool. */
export type Reply = { readonly payload: unknown } | { readonly error: unknown };

/** A desk that keeps what it told, and questions that keep what came back. */
export function openDesk(options: Partial<PermissionDeskOptions> = {}) {
  const clock = simulatedClock();
  const requested: PermissionRequest[] = [];
  const settled: { readonly id: string; readonly settlement: Settlement }[] = [];
  const opened: string[] = [];
  const told: string[] = [];
  const dropped: { readonly id: string; readonly count: number }[] = [];
  const desk = new PermissionDesk({
    clock,
    deadlineMs: Number.POSITIVE_INFINITY,
    canUseTool: undefined,
    onElicitation: undefined,
    onUserDialog: undefined,
    dialogKinds: [],
    rules: bookOf([]),
    isAttended: true,
    maxSettled: 100,
    inspect: undefined,
    onRequested: (request) => requested.push(request),
    onOpened: ({ id }) => opened.push(id),
    onSettled: ({ id }, settlement) => settled.push({ id, settlement }),
    onPassed: ({ id }, settle) => {
      opened.push(id);
      settle();
    },
    answersFirst: true,
    onRebound: ({ id }) => told.push(`rebound ${id}`),
    onUnheard: ({ id }) => told.push(`unheard ${id}`),
    onDroppedUpdates: ({ id }, count) => dropped.push({ id, count }),
    ...options,
  });
  const replies = new Map<string, Reply>();
  /** Asks and returns when whoever has to be asked was asked. Returns the way to take the question back. */
  const ask = async (id: string, wire: Readonly<Record<string, unknown>> = BASH) => {
    const controller = new AbortController();
    void desk.ask(id, wire, controller.signal).then(
      (payload) => replies.set(id, { payload }),
      (error: unknown) => replies.set(id, { error }),
    );
    await nextLoop();
    return controller;
  };
  return { desk, clock, requested, opened, settled, told, dropped, replies, ask };
}

/** The code and the field of what is thrown. */
export function codeOf(attempt: () => unknown): { readonly code: string; readonly field: unknown } | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (TroupeError.is(error)) return { code: error.code, field: error.details['field'] };
    throw error;
  }
}
