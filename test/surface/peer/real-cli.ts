import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const real = (file: string, title: string): Shown => [`test/slow/real-cli/${file}.test.ts`, title];

export const REAL_CLI: PeerArea = {
  area: 'end to end with the real CLI',
  least: 26,
  rows: {
    'agents, in the foreground': real('messages', 'are told apart by the call that started them, in the foreground'),
    'setting sources: none by default, the project with skills': real(
      'options',
      'skills let the model see and run those',
    ),
    'setting sources: none by default, of the user, of the project': real(
      'sdk-behaviours',
      'settings of the user and of the project count only',
    ),
    'large agents through initialize': real('sdk-behaviours', 'an agent of any size reaches the model'),
    'hooks: context that is added': real('sdk-behaviours', 'a hook may add context to a prompt'),
    'setting sources: of the user': real('session-store', 'takes the settings of the user along (0600)'),
    'mode and model change in mid-session': real('conversation', 'changes model and permission mode while it runs'),
    'an interrupt': real('ends', 'stops a streaming turn and takes the next prompt (R43, WIRE §8)'),
    'hooks: a decision with its reason': real('hooks', 'deny keeps the tool from running and tells the model why'),
    'hooks: continue and stop reason': real('hooks', 'continue: false lets the tool run and ends the turn'),
    'hooks: several together, with tool use ids': real('hooks', 'are called in order around one Bash call'),
    'a permission callback': real('permissions', 'runs the tool after an allow without updatedInput (R32, WIRE §5)'),
    'a permission callback with a stream of prompts': [
      'test/slow/official-sdk/programs.test.ts',
      'says, asks the model and ends the same: %s',
    ],
    'tools in this process are run': real('tools', 'hands results, error results and throws to the model'),
    'tools in this process need a permission': real(
      'tools',
      'asks for permission before an in-process tool that was not',
    ),
    'several tool servers': real('tools', 'connects two servers and lists both to the model (WIRE §2)'),
    'partial messages, and the same text without them': real(
      'messages',
      'is the same text with and without partial messages',
    ),
    'thoughts in pieces': real('messages', 'ends as the blocks that come whole, thoughts and calls included'),
    'the text of subagents is told apart': real('messages', 'are told apart by the call that started them'),
    'the text of subagents comes only where it is asked for': real(
      'sdk-behaviours',
      'comes only where it is asked for, with the call',
    ),
    'an error of the API, with its facts': real(
      'api-errors',
      '%i fails the turn with its status, and the session goes on',
    ),
    '/clear tells a reset': real('turns', 'change the conversation with /clear: the id to resume is the new one'),
    'a result tells who asked for its turn': real(
      'messages',
      'work on behind the result, and report in a turn that nobody',
    ),
    'nothing on stderr without debug': real('sdk-behaviours', 'says nothing on stderr in an ordinary turn'),
    'an answer in a form': real('prompts', 'come as `structuredOutput` of the turn'),
    'an answer in a form that is nested, with choices, after a tool': real(
      'sdk-behaviours',
      'may be nested, and come after a tool',
    ),
    'a resume that drops a turn, accepted and refused': real(
      'conversation-flags',
      'resumeDropsTurn: accepted when only that turn is dropped, refused otherwise',
    ),
    'a budget that is spent': real('api-errors', 'fail the turn that reaches `maxBudgetUsd`'),
    'resume out of a store': real('session-store', 'goes on where nothing of it is on disk'),
    'wheels, changelog, download and version of the package': {
      elsewhere: 'The packaging of the Python SDK; this package downloads no CLI.',
    },
    'example stores for other databases': {
      elsewhere: 'Examples of the Python SDK; the suite for stores of others is here.',
    },
  },
};
