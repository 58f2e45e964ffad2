import { type ReportEntry, titles } from './report-topic.ts';

const IN_THE_CLI = 'Happens between the CLI and a server that it starts itself: no byte of it passes through here.';

/** Faults that the official SDK and other hosts had and mended, by where they told it. */
export const MENDED_FAULTS: Readonly<Record<string, ReportEntry>> = {
  'taking back one message of a merged batch took back the others (TS 0.3.204)': titles(
    'slow/session/prompts',
    'wait in order; one taken back touches no other; every one ends once',
  ),
  'an interrupt did not say which messages still run (TS 0.3.205, 0.3.219)': [
    ...titles('slow/session/interrupt', 'names the prompts that waited, also one that has %s'),
    ...titles('slow/real-cli/interrupts', 'takes back a prompt that the CLI holds when asked, and names it'),
  ],
  'a message had no terminal state (TS 0.3.206, 0.3.238)': titles(
    'session/prompt-ledger-loss',
    'ends exactly once, whatever the CLI tells in whatever order, when the last process is gone',
  ),
  'starts and ends of tasks drifted apart (TS 0.3.203)': titles(
    'session/background-tasks',
    'are what the newest full list says, nothing more and nothing less',
  ),
  'a message that was cut looked complete (TS 0.3.214)': titles(
    'slow/real-cli/interrupts',
    'ends a streaming turn with one result that names the reason, and keeps what was said',
  ),
  'an unknown permission mode was taken on silently (TS 0.3.214)': [
    ...titles('slow/real-cli/control-rows', 'set_permission_mode is told at once, and refuses what may not be'),
    ...titles('slow/session/standing-permissions', 'are told when the CLI runs in another mode than the one asked for'),
  ],
  'a hook over its deadline ended the query (TS 0.3.208)': [
    ...titles('slow/real-cli/hooks', 'an answer that never comes is taken back after the timeout of its matcher'),
    ...titles('hooks/hook-desk', 'that takes too long is over, its signal fires, and its late answer changes nothing'),
  ],
  'a prompt that a hook blocked looked like a hang (TS 0.3.178)': titles(
    'slow/real-cli/hooks',
    'a blocked prompt makes no model call',
  ),
  'results were dropped while work ran in the background (TS 0.3.176)': titles(
    'slow/session/prompts',
    'are turns of their own, read between prompts, and idle means that no task is left',
  ),
  'the folder of a resumed conversation stayed, or went too early (TS 0.2.101)': titles(
    'slow/session/resume-folders',
    'is there while the session lives, and gone with it',
    'is gone when the start was called off while the store was still being asked',
  ),
  'an empty list swallowed the next flag (TS 0.2.89, PY 0.1.57, 0.1.61)': titles(
    'launch/launch-arguments',
    'writes an empty list as --flag=, so that it cannot swallow the next flag',
  ),
  'results of parallel tools were missing in what was read back (TS 0.2.80)': titles(
    'conversations/read-messages',
    'keep every call and every result of parallel tools',
  ),
  'sets of ids grew for ever (TS 0.2.51)': [
    ...titles('session/prompt-ledger', 'finds ended prompts again, up to a limit, and every one that has not ended'),
    ...titles('slow/supervision/footprint', 'returns to its base after 300 short sessions'),
  ],
  'exit code 143 after SIGTERM was taken for a crash (CC)': titles(
    'machines/session-end',
    'says that it had to use force after SIGTERM',
  ),
  'a blank line on stdin ended the session (CC)': titles(
    'slow/fake-cli/violations',
    'leaves no violation, also with CJK text cut into single bytes',
  ),
  'a message of blanks was refused by the API (CC)': titles(
    'session/prompt-content',
    'is refused before it can end the CLI: %s',
  ),
  'stray text of a server on stdout cut it off, or filled the memory (CC)': { missing: IN_THE_CLI },
  'a corrupt line of a transcript broke the resume (CC)': [
    ...titles('conversations/list-sessions', 'reads around a corrupt line and a line that was cut by a crash'),
    ...titles('conversations/import-session', 'tells of corrupt lines, and imports the others'),
  ],
  'all of stderr was kept (CC)': titles(
    'slow/session/environment',
    'of 10 MB costs a bounded amount and holds nothing up',
  ),
  'an interrupt lost what had been said (CC)': titles(
    'slow/real-cli/interrupts',
    'ends a streaming turn with one result that names the reason, and keeps what was said',
  ),
  'a task that only an update ended was waited for (PY 0.2.101)': titles(
    'slow/session/stdin',
    'takes an update to killed for the end of an agent',
  ),
  'the error of an assistant message was read from the wrong place (PY 0.1.28)': titles(
    'session/exit-cause',
    'is the login when that was the last word of the CLI',
  ),
  'of an error result before an exit only the exit was shown (PY 0.2.140)': titles(
    'slow/session/failed-results',
    'explains the exit of a session with all that it said',
  ),
  'the end of a turn was taken from one sign alone (ACP 0.23.1, 0.24.1)': [
    ...titles('slow/session/prompts', 'fail by is_error, whatever their subtype says; no result at all is a failure'),
    ...titles('slow/session/interrupt', 'that is never answered ends at its deadline'),
    ...titles('session/prompt-ledger', 'is told by the lifecycle alone when no turn opened for it'),
  ],
  'a deny ended the whole turn (ACP 0.22.0)': titles(
    'slow/real-cli/permissions',
    'tells the model the reason of a deny and goes on with the turn',
  ),
  'resuming made a second session beside a living one (ACP 0.22.0)': titles(
    'slow/session/lifecycle',
    'refuses to resume what lives, ends, or just learned its id, and resumes when it is gone',
  ),
  'a daemon stayed offline after one failure, and started a successor too early (happy)': titles(
    'machines/child',
    'is the shortest again after an incarnation that was healthy long enough',
  ),
  'a process that had nothing to do with the turn held the queue (vibe-kanban #1047)': titles(
    'slow/real-cli/messages',
    'are no reason to wait for a shell in the background',
  ),
  'each wait left its timer behind (agentapi #211)': titles(
    'supervision/admission',
    'leave no timer and no listener with those who got one or gave up',
  ),
};
