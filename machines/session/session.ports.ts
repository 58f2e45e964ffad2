import { fromCallback } from 'xstate';
import type { LinkCommand, SessionEvent } from './session.events.ts';

/** What the link is told when it is opened. */
export interface LinkInput {
  readonly id: string;
  readonly incarnation: number;
}

/**
 * The one door to the CLI process. It opens the process when the machine starts, reports `CliEvent`s, obeys
 * `LinkCommand`s, and lives as long as the machine. A port that was not provided says so.
 */
export const cliLink = fromCallback<LinkCommand | SessionEvent, LinkInput>(() => {
  throw new Error('The port "cliLink" was not provided: use sessionMachine.provide({ actors: { cliLink } }).');
});
