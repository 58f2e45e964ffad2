import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const KNOWN: Shown = ['test/wire/stream-json/message-fields.test.ts', 'may be %s, and keeps every field'];
const NOT_ONE: Shown = [
  'test/wire/stream-json/message-fields.test.ts',
  'is not one that %s: it passes as it is, with the reason',
];
const facts = (title: string): Shown => ['test/wire/facts.test.ts', title];
const known = (title: string): Shown => ['test/wire/stream-json/known-message.test.ts', title];

export const MESSAGES: PeerArea = {
  area: 'messages and their types',
  least: 22,
  rows: {
    'user: text, blocks, tool calls, tool results, mixed': KNOWN,
    'user: a tool result that is an error': KNOWN,
    'user: uuid, parent tool use, the structured result beside it': KNOWN,
    'user: an origin, or none': KNOWN,
    'assistant: text, thoughts, tool calls': KNOWN,
    'assistant: tools that the server ran, and what they said': KNOWN,
    'assistant: usage of each message, or none': KNOWN,
    'assistant: kinds of errors, known and later ones': KNOWN,
    'assistant: ids, parent, stop reason': KNOWN,
    'system: an unknown subtype is a message all the same': [
      'test/wire/cli-message.test.ts',
      'that no schema describes',
    ],
    'system: tasks begin, go on, are told of, are updated; most fields may be missing': KNOWN,
    'system: a task message may be read like every other system message': [
      'test/wire/stream-json/message-fields.test.ts',
      'of the system may be read as such, also when its subtype is known',
    ],
    'system: a task is over with a terminal status, killed too': [
      'test/slow/session/stdin.test.ts',
      'takes an update to killed',
    ],
    'system: a task is not over with another status, or without one': facts('take the task update %j for no end'),
    'result: reasons, models, origin, a call put off, errors, API status': KNOWN,
    'result: what is not told stays unknown': facts('leave unknown what is not told, and never make it 0'),
    'stream events': KNOWN,
    'limits of the account: warned, rejected, with the least': KNOWN,
    'limits of the account are facts of the session': facts('is told by its window, with the reset in milliseconds'),
    'a reset of the conversation': KNOWN,
    'messages about hooks': KNOWN,
    'an unknown type is no error, and known ones go on': [
      'test/slow/session/framing.test.ts',
      'of unknown types and shapes passes through, known or not, before and after the result (R15, R17)',
    ],
    'a missing type, a missing field, a wrong shape is told, with the data': NOT_ONE,
    'assistant content that is a text, and a block that is no object': NOT_ONE,
    'every type of the SDK is known': known('knows every kind of message that the official SDK has a type for (R15)'),
  },
};

export const TYPES: PeerArea = {
  area: 'types of options and answers',
  least: 5,
  rows: {
    'options have defaults': ['test/launch/supervisor-options.test.ts', 'are themselves valid options'],
    'permission updates are read and written': [
      'test/permissions/permission-result.test.ts',
      'pass as the CLI suggests them',
    ],
    'inputs and outputs of hooks have their shapes': [
      'test/slow/official-sdk/program-types.test.ts',
      'type-checks when it imports',
    ],
    'the state of a server has its shape': [
      'test/slow/real-cli/mcp-external.test.ts',
      'can be switched off and on, connected again',
    ],
    'agents are written with the names of the wire, and without what is unset': [
      'test/launch/initialize-payload.test.ts',
      'holds for %j exactly %j',
    ],
  },
};
