import { fromCallback, fromPromise } from 'xstate';
import type { GroupEvent, MembersCommand } from './group.events.ts';

export interface MembersInput {
  /** In the order in which it is to be done. */
  readonly ids: readonly string[];
}

/** Starts the members one after the other; when one cannot be started it stops those before it and rejects with the cause. */
export const startMembers = fromPromise<void, MembersInput>(() => {
  throw new Error('The port "startMembers" was not provided: use groupMachine.provide({ actors: { startMembers } }).');
});

/** Stops the members one after the other and keeps them. */
export const holdMembers = fromPromise<void, MembersInput>(() => {
  throw new Error('The port "holdMembers" was not provided: use groupMachine.provide({ actors: { holdMembers } }).');
});

/** Ends the members for good, one after the other. */
export const endMembers = fromPromise<void, MembersInput>(() => {
  throw new Error('The port "endMembers" was not provided: use groupMachine.provide({ actors: { endMembers } }).');
});

/** Carries out commands while the group runs, and tells what became of members. */
export const members = fromCallback<MembersCommand | GroupEvent>(() => {
  throw new Error('The port "members" was not provided: use groupMachine.provide({ actors: { members } }).');
});
