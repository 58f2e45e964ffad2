import type { AnyStateMachine, EventObject } from 'xstate';
import { accountMachine } from '../../machines/account/account.machine.ts';
import { budgetMachine } from '../../machines/budget/budget.machine.ts';
import type { Ledger } from '../../machines/budget/ledger.ts';
import { valuesOf } from '../../machines/budget/shelf.ts';
import { childMachine } from '../../machines/child/child.machine.ts';
import { groupMachine } from '../../machines/group/group.machine.ts';
import { mcpServerMachine } from '../../machines/mcp-server/mcp-server.machine.ts';
import { permissionMachine } from '../../machines/permission/permission.machine.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import { watchdogMachine } from '../../machines/watchdog/watchdog.machine.ts';
import { ACCOUNT_POLICY } from './account-harness.ts';
import { UNBOUNDED } from './budget-harness.ts';
import { RESTART } from './child-harness.ts';
import {
  ACCOUNT_EVENTS,
  ASKED,
  BROKEN,
  BUDGET_EVENTS,
  CHILD_EVENTS,
  GROUP_EVENTS,
  MCP_SERVER_EVENTS,
  PERMISSION_EVENTS,
  SESSION_EVENTS,
  SUPERVISOR_EVENTS,
  WATCHDOG_EVENTS,
} from './event-samples.ts';
import { inputOf } from './session-harness.ts';
import type { WalkOptions } from './state-walk.ts';
import { LIMITS } from './watchdog-harness.ts';

export interface Subject {
  readonly machine: AnyStateMachine;
  readonly options: WalkOptions;
  /** Left in the same breath, so nobody can stand in them. */
  readonly transient: readonly string[];
  readonly goals: readonly string[];
}

/** Each machine with what may happen to it. JSON knows no Infinity, so no deadline here is endless. */
export const SUBJECTS: Record<string, Subject> = {
  session: {
    machine: sessionMachine,
    options: {
      input: inputOf({ mcpServers: [{ name: 'docs', required: true }], timeouts: { turnMs: 60_000, idleMs: 60_000 } }),
      events: [...Object.values(SESSION_EVENTS), { ...SESSION_EVENTS['cli.tree-gone'], survivors: [99] }],
      // Background tasks only say whether idleness is told, which leads nowhere.
      // Of the first cause only this decides anything: whether somebody asked for the end.
      // A server that the CLI does not tell of decides the same as a connected one.
      contextOf: ({
        endedBecause,
        pid: _pid,
        spokeAt: _spokeAt,
        wasForced: _wasForced,
        backgroundTasks: _tasks,
        ...rest
      }) => ({
        ...rest,
        mcp: JSON.stringify(rest['mcp']).replace(/"untold","reason":"[^"]*"/g, '"connected"'),
        wasAsked: endedBecause === null ? null : codeOf(endedBecause) === 'closed',
      }),
    },
    transient: ['ready.deciding'],
    goals: ['closed', 'failed'],
  },
  child: {
    machine: childMachine,
    options: {
      input: { id: 'review', restart: RESTART, autoStart: false, isMember: false },
      events: [
        ...Object.values(CHILD_EVENTS),
        { ...CHILD_EVENTS['incarnation.ended'], cause: BROKEN },
        ...outcomesOf('0.child.waiting', [undefined]),
      ],
      // Incarnations are numbered without end; the number decides nothing.
      contextOf: ({ incarnation: _incarnation, ...rest }) => rest,
    },
    transient: ['registered'],
    goals: ['stopped'],
  },
  group: {
    machine: groupMachine,
    options: {
      input: {
        id: 'team',
        isNested: true,
        strategy: 'rest_for_one',
        autoShutdown: 'any_significant',
        intensity: 1,
        periodMs: 60_000,
        backoff: RESTART.backoff,
        members: [
          { id: 'writer', restart: 'transient', significant: true },
          { id: 'reviewer', restart: 'temporary', significant: false },
        ],
      },
      events: [
        // Children that are added would never be enough.
        ...Object.values(GROUP_EVENTS).filter(({ type }) => type !== 'member.added'),
        { ...GROUP_EVENTS['member.ended'], cause: ASKED },
        { ...GROUP_EVENTS['member.ended'], cause: BROKEN },
        { ...GROUP_EVENTS['member.ended'], id: 'reviewer' },
        ...['starting', 'giving-up', 'holding', 'stopping'].flatMap((state) =>
          outcomesOf(`0.group.${state}`, [undefined]),
        ),
      ],
    },
    transient: ['known'],
    goals: ['running', 'stopped'],
  },
  permission: {
    machine: permissionMachine,
    options: {
      input: { kind: 'tool', requestId: 'first', toolName: 'Bash', deadlineMs: 60_000 },
      events: [
        ...Object.values(PERMISSION_EVENTS),
        ...outcomesOf('0.permission.judging', [{ behavior: 'ask' }, { behavior: 'allow', by: 'policy' }]),
        ...outcomesOf('0.permission.asking', [{ behavior: 'deny', message: 'No.', by: 'callback' }]),
      ],
    },
    transient: ['received'],
    goals: ['settled'],
  },
  'mcp-server': {
    machine: mcpServerMachine,
    options: {
      input: { name: 'docs', connectMs: 5_000, reconnect: { attempts: 3, minMs: 100, maxMs: 1_000 } },
      events: [...Object.values(MCP_SERVER_EVENTS), ...outcomesOf('0.mcp-server.reconnecting', [undefined])],
    },
    transient: [],
    goals: ['connected'],
  },
  watchdog: {
    machine: watchdogMachine,
    options: {
      input: { id: 'review', incarnation: 1, limits: LIMITS },
      events: WATCHDOG_EVENTS,
    },
    transient: ['deciding'],
    goals: ['resting', 'watching'],
  },
  budget: {
    machine: budgetMachine,
    options: {
      input: {
        rules: {
          session: UNBOUNDED,
          key: UNBOUNDED,
          group: UNBOUNDED,
          total: UNBOUNDED,
          day: { ...UNBOUNDED, limits: { usd: 1 } },
        },
        day: { name: '1970-01-01', endsAt: 86_400_000 },
        at: 0,
      },
      events: Object.values(BUDGET_EVENTS),
      // Sums grow without end; who pays, and which limits are reached, is what moves it.
      contextOf: ({ ledger, ...rest }) => ({ ...rest, ...standOf(ledger as Ledger) }),
    },
    transient: [],
    goals: ['closed'],
  },
  account: {
    machine: accountMachine,
    options: {
      input: { key: 'shared', policy: ACCOUNT_POLICY },
      events: [
        ...Object.values(ACCOUNT_EVENTS),
        { ...ACCOUNT_EVENTS['session.waiting'], id: 'writer' },
        { ...ACCOUNT_EVENTS['session.waiting'], id: 'idle', hasWork: false },
        { ...ACCOUNT_EVENTS['limit.reached'], resetsAt: null },
        ...outcomesOf('0.account.walled', [60_000]),
        ...outcomesOf('0.account.locked', [2_000]),
      ],
      // Times and the length of a backoff only say how long it takes.
      contextOf: ({ walledSince: _since, probedAt: _at, blindWalls: _walls, resumeAt, ...rest }) => ({
        ...rest,
        isTimed: resumeAt !== null,
      }),
    },
    transient: ['known'],
    goals: ['open'],
  },
  supervisor: {
    machine: supervisorMachine,
    options: {
      input: {
        deadlines: {
          admissionMs: 1_000,
          turnsMs: 30_000,
          interruptMs: 2_000,
          closeMs: 8_000,
          killMs: 3_000,
          flushMs: 4_000,
        },
      },
      // Only these move it; the counts would grow without end.
      events: [
        ...Object.values(SUPERVISOR_EVENTS).filter(({ type }) => !type.startsWith('child.')),
        { ...SUPERVISOR_EVENTS['supervisor.drain'], withinMs: 100 },
        ...[
          'draining.stopping-admission',
          'draining.finishing-turns',
          'draining.interrupting',
          'stopping.closing',
          'stopping.killing',
          'stopping.flushing',
        ].flatMap((state) => outcomesOf(`0.supervisor.${state}`, [{ at: 0 }])),
      ],
    },
    transient: [],
    goals: ['stopped'],
  },
};

/** What XState sends when an invoked promise ends: each of these outputs, and an error. */
function outcomesOf(actorId: string, outputs: readonly unknown[]): EventObject[] {
  const done = outputs.map((output) => ({ type: `xstate.done.actor.${actorId}`, output, actorId }));
  return [...done, { type: `xstate.error.actor.${actorId}`, error: new Error('broken'), actorId } as EventObject];
}

function standOf({ accounts, payers, day }: Ledger): object {
  return {
    day,
    payers: valuesOf(payers).map(({ id }) => id),
    reached: valuesOf(accounts).map(({ reached }) => reached),
  };
}

function codeOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
}
