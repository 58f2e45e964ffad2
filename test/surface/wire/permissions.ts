import type { WireSection } from './wire-row.ts';

const REAL = 'test/slow/real-cli/permissions.test.ts';
const DESK = 'test/permissions/permission-desk.test.ts';
const ASKED = 'test/slow/real-cli/questions.test.ts';
const PARALLEL = 'test/slow/real-cli/parallel-permissions.test.ts';
const INTERRUPTS = 'test/slow/real-cli/interrupts.test.ts';
const OPEN = 'test/slow/real-cli/permission-questions.test.ts';
const READING = 'test/permissions/permission-request.test.ts';

export const QUESTIONS: WireSection = {
  section: 5,
  about: 'can_use_tool',
  rows: {
    'without the permission tool the CLI denies at once': { recorded: '2.1.332/05p-no-permission-prompt-tool' },
    'the permission tool is always stated': ['test/launch/launch-arguments.test.ts', 'asks by default'],
    'the request, with all its fields': [OPEN, 'is the question with everything the release tells of it'],
    'up to 2.1.19 it has four fields': [READING, 'needs no more than the four fields of older versions'],
    'allow with an input runs that': [REAL, 'runs the changed input'],
    'allow without an input: an error up to 2.1.205': [REAL, 'runs the tool after an allow without updatedInput'],
    'allow with permissions: not to be relied on': [
      'test/permissions/desk-rules.test.ts',
      'session is for its like, by our own rules',
    ],
    'the suggestions go back as they came': [
      'test/permissions/permission-result.test.ts',
      'pass as the CLI suggests them',
    ],
    'deny: the reason, and the turn goes on': [REAL, 'tells the model the reason of a deny'],
    'deny with interrupt: the turn ends, the session goes on': [REAL, 'ends the turn as interrupted on a deny'],
    'never answered: the CLI waits for ever': [DESK, 'does not exist unless somebody sets one'],
    'so the host has the deadline': [OPEN, 'denies with the reason, is recorded as expired, and the turn goes on'],
    'an error instead of an answer: the tool is refused': [REAL, 'refuses the tool when the callback throws'],
    'answered twice, late, or by an unknown id: ignored': [
      'test/slow/session/permission.test.ts',
      'answered twice has one winner',
    ],
    'an answer that is none counts as deny': [OPEN, '%s is refused, and the question stays open for a better one'],
    'a response with its id at the top level is ignored': [
      'test/wire/stream-json/encoding.test.ts',
      'puts the id at the top level of a request and inside an answer',
    ],
    'allowed tools and modes bring no request': [
      'test/permissions/shadowed-tools.test.ts',
      'are those a rule allows as a whole',
    ],
    'dontAsk denies and says so': [PARALLEL, 'dontAsk asks nobody'],
    'bypass for root needs a sandbox': ['test/session/exit-cause.test.ts', 'would only be repeated by a restart'],
    'it may come before the stream has ended': [
      'test/slow/real-cli/early-questions.test.ts',
      'is there before the end of the message, can be answered at once',
    ],
    'it may come after the result': ['test/slow/session/stdin.test.ts', 'stays open for late'],
  },
};

export const PARALLEL_CALLS: WireSection = {
  section: 6,
  about: 'parallel calls and control_cancel_request',
  rows: {
    'calls that write are asked about one by one': [PARALLEL, 'that write are asked about one after the other'],
    'calls that read are asked about together, answered in reverse': [
      PARALLEL,
      'that only read are asked about at the same time, and may be answered in reverse',
    ],
    'an interrupt takes every open one back, before its own answer': [PARALLEL, 'are all taken back by an interrupt'],
    'deny with interrupt takes the sibling back': [PARALLEL, 'are ended together by a deny that ends the turn'],
    'a hook that is too late is taken back': [
      'test/slow/real-cli/hooks.test.ts',
      'an answer that never comes is taken back',
    ],
    'the interrupt of a subagent takes its question back': [PARALLEL, 'of a subagent is taken back with the turn'],
    'not sent at the end of stdin, nor on SIGTERM': [
      DESK,
      'is withdrawn, not cancelled by the agent, when its process is gone',
    ],
    'each call that did not run has a result': [PARALLEL, 'are all taken back by an interrupt'],
    'one open question and an interrupt': [INTERRUPTS, 'takes an open question back before it answers'],
  },
};

export const DIALOGS: WireSection = {
  section: 18,
  about: 'AskUserQuestion and ExitPlanMode',
  rows: {
    'they are marked as needing the user': [
      'test/permissions/rule-book.test.ts',
      'are known by what the CLI says of them',
    ],
    'no rule answers them': ['test/permissions/rule-book.test.ts', 'are answered by no rule that allows'],
    'the answers go into the input, by question': [ASKED, 'is answered by the labels, and the model hears them'],
    'allowed without answers': [ASKED, 'is told not to be answered when it is allowed without an answer'],
    'a deny is the result': [ASKED, 'is refused with the message of the deny'],
    'leaving plan mode changes the mode': [ASKED, 'leaves plan mode when a person allows it'],
    'a deny stays in plan mode': [ASKED, 'stays in plan mode when it is denied'],
    'a mode that the CLI changes outlives the process': [
      'test/slow/session/controls.test.ts',
      'by the CLI itself rules the next process too',
    ],
  },
};

export const ELICITATIONS: WireSection = {
  section: 19,
  about: 'elicitations',
  rows: {
    'the request of a server of the CLI': [
      'test/permissions/elicitation.test.ts',
      'is read with the names of the official SDK',
    ],
    'accept with content': [ASKED, 'lies in the inbox; a malformed answer is refused'],
    'decline and cancel': [ASKED, 'is answered by onElicitation'],
    'one of a stdio server': { recorded: '2.1.332/19b-elicitation-stdio-server' },
    'from an in-process server it is refused': [
      'test/mcp/served-servers.test.ts',
      'is refused at once when it is a request, such as an elicitation',
    ],
  },
};
