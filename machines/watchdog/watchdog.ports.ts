import { fromCallback } from 'xstate';
import type { SignsCommand, WatchdogEvent } from './watchdog.events.ts';

/**
 * Answers `signs.ask` with a report, and reports unasked when what is owed or open changes. Signs of life alone need not be
 * reported: the machine asks when they matter. A port that was not provided says so.
 */
export const signs = fromCallback<SignsCommand | WatchdogEvent>(() => {
  throw new Error('The port "signs" was not provided: use watchdogMachine.provide({ actors: { signs } }).');
});
