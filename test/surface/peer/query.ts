import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const input = (title: string): Shown => ['test/slow/session/stdin.test.ts', title];
const OPEN = input(', also after a first result (R18, R19)');
const payload = (title: string): Shown => ['test/launch/initialize-payload.test.ts', title];
const tasks = (title: string): Shown => ['test/session/background-tasks.test.ts', title];
const query = (title: string): Shown => ['test/slow/session/query.test.ts', title];
const failed = (title: string): Shown => ['test/slow/session/failed-results.test.ts', title];
const hooks = (title: string): Shown => ['test/slow/session/hook-answers.test.ts', title];

export const QUERY: PeerArea = {
  area: 'query: control protocol and the life of its input',
  least: 38,
  rows: {
    'initialize carries what was asked for': payload('holds for %j exactly %j'),
    'initialize carries nothing that was not': payload('is empty without options: what is not given is not sent'),
    'input stays open for servers, for hooks, for a callback, with a text as prompt': OPEN,
    'input stays open for servers, for hooks, for a callback, with a stream of prompts': OPEN,
    'input is closed at once where nobody can be asked': {
      missing:
        'Deliberate: it stays open until the last prompt is answered, so that interrupts and requests always get through.',
    },
    'servers are asked after the prompt was written, and answer': OPEN,
    'waiting for the result has no deadline': [
      'test/launch/supervisor-options.test.ts',
      'wait without end only for turns',
    ],
    'a slow tool meets no deadline of ours': [
      'test/slow/session/control.test.ts',
      'of a slow tool have no hidden limit',
    ],
    'a result does not end the input while agents work': OPEN,
    'the first result with no agent at work does': input('takes an update to killed for the end of an agent (R19)'),
    'an agent counts from its start to a terminal status': tasks(
      'are counted one by one where no list is told, each once',
    ),
    'a status that is not terminal changes nothing': ['test/wire/facts.test.ts', 'take the task update %j for no end'],
    'shells and monitors hold no input open': tasks('never keep a session busy for a shell: it may run for ever (R19)'),
    'a list of background tasks is taken as what it is, or not at all': tasks('are what the newest full list says'),
    'a shell that never ends does not hang a query': input('is not held open by a shell that never ends (R19)'),
    'a stream of prompts that fails after one still has it answered': query('answers what was sent before its stream'),
    'a stream of prompts that fails first ends the query at once': query('fails before the first one ends at once'),
    'close may come from anywhere': [
      'test/slow/session/lifecycle.test.ts',
      'from inside the loop over the own turn ends the loop (R53)',
    ],
    'who waits for a message is woken by a close': query('that is left while it waits for a message ends at once'),
    'messages that were there before a close are delivered': [
      'test/store/event-log.test.ts',
      'ends the readers after they got everything',
    ],
    'everything that was written before an exit is delivered': [
      'test/slow/session/framing.test.ts',
      'comes after everything that was written before the exit (R13)',
    ],
    'a hook that is taken back is cancelled': hooks('is none for a call that was taken back, whose callback hears it'),
    'a cancel of nobody is ignored': hooks('is none for a call that was taken back, whose callback hears it'),
    'what was answered cannot be cancelled any more': hooks('one that is over is not cancelled any more'),
    'what was answered leaves the list of what is open': [
      'test/control/request-handlers.test.ts',
      'are refused over the limit, told, and admitted again when a place is free (P9)',
    ],
    'an exit after an error result is told in the words of the result': failed('explains the exit behind it'),
    'several errors are joined': failed('is told by a query with %s'),
    'without errors: the text, the HTTP status, the subtype': failed('is told by a query with %s'),
    'blank and malformed lists of errors are tolerated': failed('is told by a query with %s'),
    'a failure that calls itself a success is never told as "success"': failed('is told by a query with %s'),
    'other errors of the stream keep their type': failed('does not hide what goes wrong later with the stream itself'),
    'an error result during the start is the reason of the start': [
      'test/slow/session/init.test.ts',
      'prefers the text of an error result to stderr (R02)',
    ],
    'an exit without a result has its own words': failed('is told in its own words when there was no result'),
    'an exit after a good result has its own words': failed('is told in its own words after a good turn'),
    'an exit after an error and a good turn has its own words': failed(
      'is told in its own words after an error and %s',
    ),
    'an exit in a new turn after an error has its own words': failed('is told in its own words after an error and %s'),
    'a message of idleness changes nothing about that': failed('also when the CLI calls itself idle between the two'),
    'everything that waits for an answer fails with the process': [
      'test/slow/session/init.test.ts',
      'rejects every pending control request with the reason of the exit (R02)',
    ],
    'requests of an answer that nobody waits for are not lost in silence': [
      'test/control/control-channel.test.ts',
      'leaves an answer to nobody alone and tells of it (P6)',
    ],
  },
};

const wire = (title: string): Shown => ['test/permissions/permission-result.test.ts', title];
const asked = (title: string): Shown => ['test/permissions/permission-request.test.ts', title];
const real = (title: string): Shown => ['test/slow/real-cli/permissions.test.ts', title];
const desk = (title: string): Shown => ['test/hooks/hook-desk.test.ts', title];

export const CALLBACKS: PeerArea = {
  area: 'callbacks: permissions and hooks',
  least: 20,
  rows: {
    'an allow, in the shape of the wire': wire('is strict for %s: an input with every allow'),
    'a deny with its message, in the shape of the wire': wire('is strict for %s: an input with every allow'),
    'an allow with a changed input': real('runs the changed input (WIRE §5)'),
    'a deny reaches the model': real('tells the model the reason of a deny and goes on with the turn (R32)'),
    'suggestions arrive': asked('keeps everything a decider needs, in our spelling (WIRE §5)'),
    'suggestions may be sent back as they are': wire(
      'pass as the CLI suggests them, with fields nobody knows (WIRE §5)',
    ),
    'suggestions that are sent back are obeyed': real('takes suggested permissions along with the answer'),
    'ids, reason, path, title and description reach the callback': asked('keeps everything a decider needs'),
    'the callback is called with them': [
      'test/permissions/permission-desk.test.ts',
      'is asked with the tool, its input and the facts, and its answer counts in its name',
    ],
    'there is no agent id for the main agent': asked('needs no more than the four fields of older versions (WIRE §5)'),
    'a callback that throws is an error answer': [
      'test/slow/session/control.test.ts',
      'get an error answer at once when the callback throws, rejects, or returns nonsense (R25)',
    ],
    'a hook gets input, tool use id and a context': desk('hands over input, tool use id and signal'),
    'every field of an output passes': hooks('reach the CLI field by field as the callback gave them'),
    'the async form passes': hooks('reach the CLI field by field as the callback gave them'),
    'names that a language reserves are renamed': {
      elsewhere: 'Only Python reserves the words async and continue as names.',
    },
    'Notification, PermissionRequest, SubagentStart pass unchanged': hooks('reach the CLI field by field'),
    'PostToolUse may change the output of a tool': hooks('reach the CLI field by field as the callback gave them'),
    'PreToolUse may add context': hooks('reach the CLI field by field as the callback gave them'),
    'every hook event can be registered': desk('takes hooks for %s'),
    'matchers and timeouts are registered with them': hooks(
      'that the initialize request names, with matcher and timeout',
    ),
    'a hook that throws is an answer too': desk('that %s fails open, quietly, and closed where asked to'),
  },
};
