import { assign, setup } from 'xstate';
import type { SupervisorContext, SupervisorInput } from './supervisor.context.ts';
import type { SupervisorEvent } from './supervisor.events.ts';
import { finishTurns, stopChildren } from './supervisor.ports.ts';

/** The life of a supervisor: running → draining → stopping → stopped. Only a running one admits sessions. */
export const supervisorMachine = setup({
  types: {
    input: {} as SupervisorInput,
    context: {} as SupervisorContext,
    events: {} as SupervisorEvent,
  },
  actors: { finishTurns, stopChildren },
  actions: {
    countIn: assign(({ context }) => ({ children: context.children + 1 })),
    countOut: assign(({ context }) => ({ children: context.children - 1 })),
  },
  delays: { drainDeadline: ({ context }) => context.drainMs },
}).createMachine({
  id: 'supervisor',
  context: ({ input }) => ({ ...input, children: 0 }),
  initial: 'running',
  on: {
    'child.started': { actions: 'countIn' },
    'child.stopped': { actions: 'countOut' },
    'supervisor.drain': {},
    'supervisor.shutdown': {},
  },
  states: {
    running: {
      on: { 'supervisor.drain': 'draining', 'supervisor.shutdown': 'stopping' },
    },
    draining: {
      invoke: { src: 'finishTurns', onDone: 'stopping', onError: 'stopping' },
      on: { 'supervisor.shutdown': 'stopping' },
      after: { drainDeadline: 'stopping' },
    },
    stopping: {
      invoke: { src: 'stopChildren', onDone: 'stopped', onError: 'stopped' },
    },
    stopped: { type: 'final' },
  },
});
