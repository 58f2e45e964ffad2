import type { Ending } from '../../machines/child/endings.ts';
import type { Row } from './row.ts';

const AROUND = 'test/slow/supervision/ends-around-it.test.ts';
const BY_ITSELF = 'test/slow/supervision/endings.test.ts';
const REAL = 'test/slow/real-cli/endings.test.ts';

/** Where each ending is shown with a real process, or why it is not. */
export const ENDING_ROWS: Readonly<Record<Ending, Row>> = {
  asked: [AROUND, 'that is ended by %s() has ended as %s'],
  killed: [AROUND, 'that is ended by %s() has ended as %s'],
  'host-shutdown': {
    missing: 'A start that is called off ends as asked, and its caller is told why: no process ends with this cause.',
  },
  left: [BY_ITSELF, 'is restarted, because nobody asked, but not for ever (R62)'],
  crash: [BY_ITSELF, '%s, ends its incarnation as %s (P8)'],
  'killed-from-outside': [BY_ITSELF, '%s, ends its incarnation as %s (P8)'],
  'out-of-memory': [BY_ITSELF, 'is known by the count of the kernel, also behind a wrapper shell'],
  'spawn-failed': [AROUND, 'whose next process the system cannot start is tried again, as spawn-failed'],
  'start-timeout': [BY_ITSELF, '%s, fails a first start with %s and is known as %s (P8)'],
  stalled: ['test/slow/session/watchdog.test.ts', 'who ignores that loses the whole tree'],
  'protocol-fault': [BY_ITSELF, '%s, ends its incarnation as %s (P8)'],
  'store-failed': [AROUND, 'whose conversation its store does not give back'],
  'mcp-server-missing': ['test/slow/real-cli/mcp-external.test.ts', '%s fails the start with its name and its reason'],
  unrecorded: [REAL, 'before its first prompt: the next one begins anew'],
  'oversize-line': [
    'test/slow/supervision/restart.test.ts',
    'of the framing names size and limit and is not repeated (R07, R62)',
  ],
  repeating: [BY_ITSELF, 'fails on the same frame each time is not tried until the budget is gone (R62)'],
  'conversation-missing': [BY_ITSELF, '%s, is not repeated: %s sets the session aside as %s'],
  'conversation-taken': [BY_ITSELF, '%s, is not repeated: %s sets the session aside as %s'],
  'option-refused': [BY_ITSELF, '%s, is not repeated: %s sets the session aside as %s'],
  'start-refused': [BY_ITSELF, 'finds its executable unusable sets the session aside'],
  'no-room': [AROUND, 'that finds no slot within admissionMs has ended as no-room'],
  survivors: {
    missing:
      'Only a process that hangs in the kernel outlives SIGKILL, and a test cannot make one; test/machines has it.',
  },
  'host-lost': { missing: 'No process ends with it: it is how a session comes back, in test/supervision/recovery.' },
  auth: [BY_ITSELF, '%s, waits for that with its prompts: it is %s'],
  quota: [BY_ITSELF, '%s, waits for that with its prompts: it is %s'],
  budget: [
    'test/slow/session/budgets.test.ts',
    'that kills leaves no process behind, and says why the session ended (P1)',
  ],
};
