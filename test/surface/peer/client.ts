import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const client = (title: string): Shown => ['test/slow/session/client.test.ts', title];
const CALLS: Shown = ['test/slow/session/official-requests.test.ts', 'is written by ours in the same words (WIRE §9)'];
const REAL_CALLS: Shown = ['test/slow/real-cli/controls.test.ts', 'answers each one, idle'];
const standing = (title: string): Shown => ['test/slow/session/standing-permissions.test.ts', title];
const PYTHON_TASKS =
  'A helper for two event loops of Python; promises and abort signals of the language do its work here.';

export const CLIENT: PeerArea = {
  area: 'the long-lived client',
  least: 24,
  rows: {
    'it connects when its block begins and is gone when it ends': client(
      'has a process from its start to the end of its block',
    ),
    'it is gone when an error leaves the block': client('also when an error leaves the block'),
    'a text as the first prompt is one user line': client('writes one user line for each that it is given'),
    'a stream as the first prompt is written as it comes': [
      'test/slow/official-sdk/programs.test.ts',
      'says, asks the model and ends the same: %s',
    ],
    'it stays open without a prompt': client('stays open without a prompt'),
    'a prompt is a user line with the session id of the default': [
      'test/wire/stream-json/encoding.test.ts',
      'writes a prompt with its uuid, no session id and no parent (WIRE §11)',
    ],
    'a prompt may name another session id': {
      missing: 'Deliberate: one process has one conversation, and the line of a prompt need not name it (WIRE §11).',
    },
    'it reads all messages': [
      'test/slow/session/query.test.ts',
      'yields the messages of the CLI as the official SDK does',
    ],
    'it reads one answer up to and with its result': client('reads of a turn everything up to its result'),
    'it interrupts': ['test/slow/real-cli/ends.test.ts', 'stops a streaming turn and takes the next prompt'],
    'it changes model and mode': CALLS,
    'it connects a server again, and switches it': CALLS,
    'it stops a task': CALLS,
    'it asks for the state of the servers, and for the context': CALLS,
    'it gets the answers of all of these in their types': REAL_CALLS,
    'each of these without a process is a typed error': client('that is closed refuses %s with a typed error'),
    'each of these between two processes is a typed error': [
      'test/slow/session/commands.test.ts',
      'a prompt waits in line, control says that there is no process',
    ],
    'it sends and receives at the same time': client('sends long lines of every kind at once, and each arrives whole'),
    'it may be connected twice without a second process': [
      'test/slow/session/lifecycle.test.ts',
      'refuses a second start with the same session id, also at the same moment (R55, R70)',
    ],
    'it may be disconnected without ever being connected': client('can be closed without a process'),
    'a one-shot query with a stream works with a real process': [
      'test/slow/real-cli/conversation.test.ts',
      'takes a stream of prompts',
    ],
    'the working directory reaches the process': client('is the folder that was asked for'),
    'the options reach the process': [
      'test/slow/launch/launch-plan.test.ts',
      'is completely resolved: command, arguments, directory, environment and mark',
    ],
    'a result with a tool call passes': ['test/slow/real-cli/tools.test.ts', 'hands results, error results and throws'],
    'a conversation is continued': [
      'test/slow/official-sdk/options.test.ts',
      'reach the CLI as the official SDK sends them',
    ],
    'a result of a spent budget is delivered as a result': [
      'test/slow/real-cli/api-errors.test.ts',
      'fail the turn that reaches `maxBudgetUsd`',
    ],
    'the deadline of initialize has a default and can be set': [
      'test/slow/session/init.test.ts',
      'is rejected at its deadline with the evidence',
    ],
    'the deadline of initialize is read from the environment': {
      elsewhere: 'A variable of the Python SDK only; `timeouts.initializeMs` is the place here.',
    },
    'waiting for a result runs beside reading': client(
      'answers the CLI and reads on while somebody waits for a result',
    ),
    'closing leaves nothing open': [
      'test/slow/transport/subprocess-transport.test.ts',
      'leaves no listener, no socket and no process behind fifty at once (R60)',
    ],
    'background tasks: waiting, cancelling, callbacks': { elsewhere: PYTHON_TASKS },
    'background tasks: errors, context, cancelling from elsewhere': { elsewhere: PYTHON_TASKS },
  },
};

export const ERRORS: PeerArea = {
  area: 'errors',
  least: 7,
  rows: {
    'one base for all': ['test/errors.test.ts', 'is one class with a code, known across copies of the package'],
    'a CLI that is not found, with its path': [
      'test/slow/transport/spawn-failure.test.ts',
      'tells %s apart (WIRE §22)',
    ],
    'a lost process, with exit code and stderr': [
      'test/slow/session/init.test.ts',
      'is rejected long before its deadline with what stderr said and the exit code (R02)',
    ],
    'a line that is no JSON, with the line': ['test/session/line-reader.test.ts', 'becomes one diagnostic each'],
    'a failed result, with its payload': ['test/session/turn-result.test.ts', 'fails with the facts for programs'],
    'a failed result with malformed fields': ['test/slow/session/failed-results.test.ts', 'is told by a query with %s'],
    'an error survives being copied': ['test/errors.test.ts', 'survives being sent as JSON'],
  },
};

export const WARNINGS: PeerArea = {
  area: 'warnings about options',
  least: 8,
  rows: {
    'a callback in bypass mode': standing('say for %j what they shadow, once'),
    'a callback beside rules for whole tools, named once and in order': standing(
      'are told once at the start when they shadow',
    ),
    'none for rules with an argument': standing('are told once at the start when they shadow the callback (R40)'),
    'none for empty lists, none in accept-edits mode': standing('say for %j what they shadow, once'),
    'none without a callback': standing('and nothing where there is no callback'),
    'skills "all" allows the tool Skill as a whole': standing('say for %j what they shadow, once'),
    'one at the start, not one for each turn': standing(
      'are told once at the start when they shadow the callback (R40)',
    ),
    'none for options that are only built': {
      elsewhere:
        'Options are a class of the Python SDK; here they are a plain object, whose making runs no code of ours.',
    },
  },
};
