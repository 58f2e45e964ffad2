import { fromPromise } from 'xstate';

/** Asks for a new connection attempt; what comes of it arrives as events. */
export const reconnect = fromPromise<void, { name: string }>(() => {
  throw new Error('The port "reconnect" was not provided: use mcpServerMachine.provide({ actors: { reconnect } }).');
});
