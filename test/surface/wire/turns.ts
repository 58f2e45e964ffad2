import type { WireSection } from './wire-row.ts';

const MESSAGES = 'test/slow/real-cli/messages.test.ts';
const TURNS = 'test/slow/real-cli/turns.test.ts';
const ASSEMBLER = 'test/wire/message-assembler.test.ts';
const RECORDED = 'test/session/prompt-ledger-recordings.test.ts';
const LEDGER = 'test/session/prompt-ledger.test.ts';
const TASKS = 'test/session/background-tasks.test.ts';

export const STREAMING: WireSection = {
  section: 10,
  about: 'streaming and thinking',
  rows: {
    'one assistant message per block, one id': [
      ASSEMBLER,
      'joins the blocks of one answer without any partial message',
    ],
    'usage is final in the result alone': ['test/slow/real-cli/usage.test.ts', 'counts each request once'],
    'stream events with partial messages': [
      'test/slow/real-cli/conversation.test.ts',
      'streams every word in order with partial messages',
    ],
    'the whole block comes before its stop event': [
      ASSEMBLER,
      'counts a block once although the CLI sends it in pieces',
    ],
    'thinking, with its signature': [MESSAGES, 'ends as the blocks that come whole, thoughts and calls included'],
    'thinking_tokens, also without partial messages': [MESSAGES, 'have a schema each, whatever happens in a session'],
    'the order of keys is not stable': ['test/wire/stream-json/decoding.test.ts', 'finds the type wherever it stands'],
    'an empty or refused answer is asked for again': {
      cli: 'The second try is a request of the CLI to the API; the host sees one turn with one result.',
    },
  },
};

export const DELIVERY: WireSection = {
  section: 11,
  about: 'the delivery of prompts',
  rows: {
    'the shape of a prompt': [
      'test/wire/stream-json/encoding.test.ts',
      'writes a prompt with its uuid, no session id and no parent',
    ],
    'queued, started, completed, cancelled': ['test/wire/facts.test.ts', 'tell that a prompt is %s'],
    'completed comes after the result': [RECORDED, 'are two turns in 2.1.332: the second answers two'],
    'the result names the prompts it answers': [
      'test/wire/facts.test.ts',
      'hold everything the CLI tells about the end of a turn',
    ],
    'the echo is the receipt where there is no lifecycle': [
      RECORDED,
      'are two turns in 2.1.197, where only echoes tell',
    ],
    'the echo of 1.0.128 has no flag': ['test/wire/facts.test.ts', 'is known without the flag, as 1.0.128 sends it'],
    'our own answers are echoed too': [
      'test/wire/stream-json/decoding.test.ts',
      'reads our own answer when it is echoed',
    ],
    'a second one while the model speaks': [
      TURNS,
      'run as a turn of their own when one is written while the model speaks',
    ],
    'one while a tool runs': [TURNS, 'share one result when one is written while a tool runs'],
    'three at once: the last two are merged': [
      'test/slow/real-cli/conversation.test.ts',
      'ends each of three steered prompts exactly once',
    ],
    '200 at once: the result names 64': [TURNS, 'end exactly once each, also 200 at the same time'],
    'priority now aborts the running turn': [
      RECORDED,
      'aborts the running turn, whose result is a success of its own kind',
    ],
    'the same uuid while it waits, runs, or is done': [
      TURNS,
      'are one prompt when the id and the content are the same',
    ],
    'after a restart: done is said again, cut off runs again': [
      'test/slow/session/resume.test.ts',
      'whose prompt was done but not told completes it',
    ],
    'after a restart: it runs once more on newer releases': [
      'test/slow/real-cli/ends.test.ts',
      'resumes the conversation after such a kill and runs the prompt once more',
    ],
    'up to 2.1.205 a prompt that was cut off is dropped': [
      'test/slow/session/resume.test.ts',
      'loses its prompt, and only that',
    ],
    'a uuid may be any text': [
      'test/session/prompt-content.test.ts',
      'is 1 to 200 printable characters; it need not be a uuid',
    ],
    'commands run in the CLI': [TURNS, 'answer in the place of the model'],
    '/clear changes the session id': [TURNS, 'change the conversation with /clear'],
    'an unknown command goes to the model': [TURNS, 'go to the model when there is no such command'],
    'text of strangers must not begin with a slash': [
      'test/slow/real-cli/prompts.test.ts',
      'runs no command as a content block',
    ],
    'no content at all is never written': [
      'test/slow/session/hostile.test.ts',
      'are refused at the edge and wedge nothing',
    ],
    'a prompt the CLI completes without a turn': [LEDGER, 'is told by the lifecycle alone when no turn opened for it'],
  },
};

export const SUBAGENTS: WireSection = {
  section: 17,
  about: 'subagents and background tasks',
  rows: {
    'their messages name the call that started them': [MESSAGES, 'are told apart by the call that started them'],
    'their questions name the agent': [
      'test/slow/real-cli/permission-questions.test.ts',
      'says whose it is, and its answer reaches it',
    ],
    'their questions are taken back with the turn': [
      'test/slow/real-cli/parallel-permissions.test.ts',
      'of a subagent is taken back with the turn',
    ],
    'in the foreground the prompt is a user message, which is no echo': [
      'test/wire/facts.test.ts',
      'is not a tool result, nor the prompt of a subagent',
    ],
    'what they say is no text of the turn': [
      'test/session/turn-text.test.ts',
      'leaves out what subagents say in between',
    ],
    'task_started, task_updated, task_notification': ['test/wire/facts.test.ts', 'tell that a task began'],
    'background_tasks_changed replaces': [TASKS, 'are what the newest full list says'],
    'a slow Bash in the foreground is a task as well': [
      'test/slow/real-cli/interrupts.test.ts',
      'ends a running shell with everything it started',
    ],
    'in the background the result comes first, then a turn nobody asked for': [
      MESSAGES,
      'work on behind the result, and report in a turn',
    ],
    'that turn is nobody’s': ['test/slow/session/prompts.test.ts', 'are turns of their own, read between prompts'],
    '2.1.197 calls itself idle while an agent works': [
      'test/slow/real-cli/interrupts.test.ts',
      'after the result ends a background agent',
    ],
    'a shell in the background keeps nobody waiting': [MESSAGES, 'are no reason to wait for a shell in the background'],
  },
};
