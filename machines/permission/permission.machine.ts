import { assign, setup } from 'xstate';
import { initialPermission, type PermissionContext, type PermissionInput } from './permission.context.ts';
import type { PermissionEvent, Settlement } from './permission.events.ts';
import { ask, judge } from './permission.ports.ts';
import { expired, failed, ruled, settlementBy } from './settlement.ts';

/**
 * One permission request. Answer, deadline, the CLI's own cancel and the end of the session race; the first one settles
 * it and everything later changes nothing (P4). Whatever goes wrong on the way refuses the tool.
 */
export const permissionMachine = setup({
  types: {
    input: {} as PermissionInput,
    context: {} as PermissionContext,
    events: {} as PermissionEvent,
    output: {} as Settlement,
  },
  actors: { judge, ask },
  actions: {
    settle: assign((_, params: { settlement: Settlement }) => ({ settlement: params.settlement })),
  },
  guards: {
    isRestored: ({ context }) => context.isRestored,
    needsAnswer: (_, params: { behavior: string }) => params.behavior === 'ask',
  },
  delays: {
    answerDeadline: ({ context }) => context.leftMs,
    // Rules that look at paths ask the file system, which may hang (P5).
    judgeDeadline: 10_000,
  },
}).createMachine({
  id: 'permission',
  context: ({ input }) => initialPermission(input),
  initial: 'received',
  on: {
    'permission.answered': {
      target: '.settled',
      actions: { type: 'settle', params: ({ event }) => ({ settlement: settlementBy(event) }) },
    },
    'permission.cancelled': {
      target: '.settled',
      actions: { type: 'settle', params: ({ event }) => ({ settlement: settlementBy(event) }) },
    },
    'permission.withdrawn': {
      target: '.settled',
      actions: { type: 'settle', params: ({ event }) => ({ settlement: settlementBy(event) }) },
    },
    'permission.lost': {
      target: '.settled',
      actions: { type: 'settle', params: ({ event }) => ({ settlement: settlementBy(event) }) },
    },
  },
  states: {
    // The rules are applied again when a process asks again: until then there is nothing that they could let run.
    received: { always: [{ guard: 'isRestored', target: 'asking' }, { target: 'judging' }] },
    judging: {
      invoke: {
        src: 'judge',
        input: ({ context }) => ({ requestId: context.requestId, toolName: context.toolName }),
        onDone: [
          {
            guard: { type: 'needsAnswer', params: ({ event }) => ({ behavior: event.output.behavior }) },
            target: 'asking',
          },
          {
            target: 'settled',
            actions: {
              type: 'settle',
              params: ({ event }) => ({ settlement: ruled(event.output) }),
            },
          },
        ],
        onError: {
          target: 'settled',
          actions: { type: 'settle', params: ({ event }) => ({ settlement: failed('policy', event.error) }) },
        },
      },
      after: {
        judgeDeadline: {
          target: 'settled',
          actions: { type: 'settle', params: { settlement: failed('policy', 'The rules took too long to apply.') } },
        },
      },
    },
    asking: {
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ requestId: context.requestId, toolName: context.toolName }),
        onDone: {
          target: 'settled',
          actions: {
            type: 'settle',
            params: ({ event }) => ({ settlement: ruled(event.output) }),
          },
        },
        onError: {
          target: 'settled',
          actions: { type: 'settle', params: ({ event }) => ({ settlement: failed('callback', event.error) }) },
        },
      },
      after: {
        answerDeadline: {
          target: 'settled',
          actions: {
            type: 'settle',
            params: ({ context }) => ({ settlement: expired(context.kind, context.deadlineMs) }),
          },
        },
      },
    },
    settled: { type: 'final' },
  },
  output: ({ context }) => context.settlement ?? failed('machine', 'settled without a cause'),
});
