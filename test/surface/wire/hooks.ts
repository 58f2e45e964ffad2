import type { WireSection } from './wire-row.ts';

const REAL = 'test/slow/real-cli/hooks.test.ts';
const DESK = 'test/hooks/hook-desk.test.ts';

export const HOOKS: WireSection = {
  section: 7,
  about: 'hooks',
  rows: {
    'their order around one Bash call': [REAL, 'are called in order around one Bash call'],
    'UserPromptSubmit comes before system/init': [REAL, 'are called in order around one Bash call'],
    'SessionStart and SessionEnd are not delivered': {
      cli: 'The host registers every event and hears what comes; no release measured sends these two.',
    },
    'the fields of a call, by event': [REAL, 'are called in order around one Bash call'],
    'continue, nothing and async: the normal flow': [REAL, '%s leaves the ordinary course, with its question'],
    'deny: an error result with the reason': [REAL, 'deny keeps the tool from running and tells the model why'],
    'allow with an input: no question': [REAL, 'allow with other input runs that, without a question'],
    'ask: a question for a harmless tool': [REAL, 'ask brings the question even for a harmless tool'],
    'continue false: the tool runs, the turn ends': [REAL, 'continue: false lets the tool run and ends the turn'],
    'a blocked prompt: no API call': [REAL, 'a blocked prompt makes no model call'],
    'a blocked stop: the turn goes on, one result': [
      REAL,
      'a blocked Stop goes on with its reason and ends with one result',
    ],
    'an error fails open, with pages on stderr': [REAL, 'a failing hook fails open without noise on stderr'],
    'no answer within the timeout of the matcher: taken back, not run': [
      REAL,
      'an answer that never comes is taken back',
    ],
    'no answer and no timeout: waits; an interrupt ends it': [REAL, 'an interrupt ends a hook that waits'],
    'so the host has a deadline of its own': [DESK, 'that takes too long is over, its signal fires'],
  },
};
