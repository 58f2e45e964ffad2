import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const flags = (title: string): Shown => ['test/launch/launch-arguments.test.ts', title];
const FLAGS = flags('adds for %j exactly those flags');
const options = (title: string): Shown => ['test/launch/session-options.test.ts', title];
const official = (title: string): Shown => ['test/slow/launch/official-options.test.ts', title];
const environment = (title: string): Shown => ['test/launch/launch-environment.test.ts', title];
const trace = (title: string): Shown => ['test/launch/active-trace.test.ts', title];
const spawn = (title: string): Shown => ['test/slow/transport/spawn-failure.test.ts', title];
const stderr = (title: string): Shown => ['test/transport/stderr-lines.test.ts', title];
const ladder = (title: string): Shown => ['test/slow/session/closing.test.ts', title];
const WINDOWS =
  'Windows is not among the systems that this package is tested on, and no shell is ever used to start a CLI.';

export const ARGUMENTS: PeerArea = {
  area: 'options on the command line',
  least: 40,
  rows: {
    'the base command speaks stream-json both ways, verbosely, also for a prompt that is a text':
      flags('asks by default'),
    'an option that is not given makes no flag': flags('asks by default'),
    'agents go into initialize and never onto the command line': flags('holds neither prompt nor agents nor schema'),
    'very large agents work': [
      'test/launch/initialize-payload.test.ts',
      'carries prompts and agents of any size (R94)',
    ],
    'very large agents reach a process': ['test/slow/session/environment.test.ts', 'stays small with a system prompt'],
    'system prompt as text, as preset, as preset with an addition': [
      'test/launch/initialize-payload.test.ts',
      'holds for %j exactly %j',
    ],
    'system prompt from a file': { elsewhere: 'An option of the Python SDK only; the TypeScript SDK has none such.' },
    'tools: a list, an empty list, the preset': FLAGS,
    'tools: an empty list is not the absence of the option': flags('writes an empty list as --flag='),
    'allowed and disallowed tools': FLAGS,
    'model and fallback model': FLAGS,
    'permission mode, dontAsk too': flags('states the mode that was asked for, and bypass with its second flag'),
    'maximum of turns': FLAGS,
    'budgets of money and of a task': FLAGS,
    'thinking: adaptive, enabled, disabled, and how it is shown': FLAGS,
    'thinking goes before the older option for its tokens': official(
      'flags and fields are what the official SDK would have given',
    ),
    effort: FLAGS,
    'further directories': FLAGS,
    'continue, resume, session id, fork': FLAGS,
    'settings as a file or as JSON': [
      'test/launch/documents.test.ts',
      'holds settings given as an object or as JSON text',
    ],
    'servers as an object': ['test/launch/documents.test.ts', 'may stand on the command line only while every server'],
    'servers as JSON text or as the path of a file': {
      elsewhere: 'Forms of the Python SDK only; the TypeScript SDK takes an object, as this package does.',
    },
    'only the servers that are named here': FLAGS,
    'hook events in the stream': FLAGS,
    'partial messages': FLAGS,
    'extra flags, with a value and without': FLAGS,
    'an extra flag whose value begins with a dash stays one argument': FLAGS,
    'an ordinary value of an extra flag cannot be taken for a flag either': flags('is one argument for each flag'),
    'no setting sources is said, in equals form': flags('writes an empty list as --flag='),
    'resume, session id and the rest are one argument each': flags('is one argument for each flag with its value'),
    'a leading dash in such a value does not become a flag': options('are refused: %j'),
    'an empty value is not dropped in silence': options('are refused: %j'),
    'sandbox settings alone': official('settings are what the official SDK would have given'),
    'sandbox settings merged into settings given as an object or as text': official(
      'settings are what the official SDK would have given',
    ),
    'the path of a settings file stays untouched without a sandbox': [
      'test/launch/documents.test.ts',
      'is not needed for a path, for short lists, or for nothing',
    ],
    'a sandbox beside the path of a settings file is not lost': options('are refused with both names: %j'),
    'skills: none leaves everything as it is': flags('asks by default'),
    'skills: all adds the tool and the sources': flags('lets skills run and loads the settings they lie in'),
    'skills: a list adds one rule each, none twice': flags('lets skills run and loads the settings they lie in'),
    'skills do not overrule setting sources that were given': official(
      'flags and fields are what the official SDK would have given',
    ),
    'skills change nothing in the options of the caller': flags('without touching what the caller gave'),
    'names of skills that would say more to a rule are refused': [
      'test/launch/skills.test.ts',
      'must not say anything else to the rule it becomes part of: %j (R95)',
    ],
    'names of skills that are no texts, and lists that are none, are refused': options(
      'names the field and the reason: %s',
    ),
    'names of skills: ordinary ones, of a plugin, with blanks, beyond ASCII': [
      'test/launch/skills.test.ts',
      'may be %j',
    ],
  },
};

export const TRANSPORT: PeerArea = {
  area: 'process and environment',
  least: 38,
  rows: {
    'a missing CLI is a typed error when the process is started': spawn('tells %s apart (WIRE §22)'),
    'a missing CLI is looked for when it is needed, not before': [
      'test/slow/session/lifecycle.test.ts',
      'with a query that is never iterated leaves no rejection unhandled',
    ],
    'a CLI that is nowhere on PATH says where it was looked for': [
      'test/slow/launch/cli-executable.test.ts',
      'says where it looked and what to do when there is none',
    ],
    'a path that is given is used as it is': ['test/slow/launch/cli-executable.test.ts', 'takes a path as it is'],
    'a path may be an object': { elsewhere: 'Path objects are a habit of Python; a path is a text here.' },
    'a missing working directory is told apart from a missing CLI': spawn(
      'blames the working directory when that is %s',
    ),
    'variables of the caller reach the process': [
      'test/slow/session/environment.test.ts',
      'holds nothing by which an outer session marks its children, unless the caller sets it',
    ],
    'the caller may say what the entrypoint is': environment('lets the caller win, set nesting variables on purpose'),
    'the mark of the host itself is not the caller’s to change': environment('never gives the mark away'),
    'CLAUDECODE of the host is not handed on': environment('is the same in a nested shell as in a clean one'),
    'CLAUDECODE may be set on purpose': environment('lets the caller win, set nesting variables on purpose'),
    'trace: the active span is handed on': ['test/slow/session/client.test.ts', 'and the span that is active there'],
    'trace: what the caller gives wins': environment('hands on the active span rather than the trace'),
    'trace: the active span beats one that was inherited': environment(
      'hands on the active span rather than the trace',
    ),
    'trace: without a span, or with baggage alone, what was inherited passes': environment(
      'hands on the active span rather',
    ),
    'trace: nothing is needed, and nothing breaks, without OpenTelemetry': trace('and where nothing is registered'),
    'trace: a propagator that fails breaks no start': trace('is none when the propagator fails'),
    'another user of the system may be given': {
      elsewhere:
        'An option of the Python SDK only; it is a matter of the service manager or a wrapper of the executable.',
    },
    'lines written at the same time do not mix': [
      'test/slow/session/client.test.ts',
      'sends long lines of every kind at once',
    ],
    'lines are written in the order of the calls': [
      'test/transport/child-input.test.ts',
      'keeps the order and ends after',
    ],
    'close waits for a grace first': ladder('sends SIGTERM after the grace, and nothing more'),
    'close sends no SIGKILL where SIGTERM was enough': ladder('sends SIGTERM after the grace, and nothing more'),
    'close sends SIGKILL to what stays': ladder('uses force on a process that stays all the same'),
    'close sends nothing to a process that left by itself': ladder(
      'sends no signal to a process that leaves when its input ends',
    ),
    'close after an exit is harmless': [
      'src/testing/transport-conformance.ts',
      'takes signals, pauses, ends and kills after the exit without complaint',
    ],
    'an old release is told of, and used': [
      'test/slow/real-cli/options.test.ts',
      'that the release would ignore are told by a diagnostic, and the session goes on',
    ],
    'a new release makes no warning': ['test/slow/session/standing-permissions.test.ts', 'are asked for by default'],
    'stderr comes in whole lines, however it was cut': stderr(
      'keeps a character that straddles two chunks whole (R09)',
    ),
    'stderr without line ends is flushed at a limit': stderr(
      'hands over a long line in pieces without waiting for its end',
    ),
    'stderr that is half a line at the end is flushed': stderr(
      'keeps a character that straddles two chunks whole (R09)',
    ),
    'stderr: a callback that throws misses nothing': [
      'test/slow/session/environment.test.ts',
      'is heard to its last line although the callback throws',
    ],
    'a host that exits takes its processes along': [
      'test/slow/transport/exit-guard.test.ts',
      '%s leaves nobody of its sessions behind (P1)',
    ],
    'Windows: batch files are refused in every disguise, an exe preferred': { missing: WINDOWS },
    'Windows: values with signs that a shell acts on are refused': { missing: WINDOWS },
    'POSIX: values with signs that a shell acts on are only values': [
      'test/slow/launch/real-cli.test.ts',
      'reads the rules as they were given, not one more (R95)',
    ],
    'closing while everything around is cancelled ends the process': [
      'test/slow/session/query.test.ts',
      'is ended by its abort controller, before, during and after the start (R53)',
    ],
    'a client that is cancelled leaves no process': [
      'test/slow/session/lifecycle.test.ts',
      'is gone when a start is aborted',
    ],
    'a process that is not seen gone stays with the exit guard, and leaves it afterwards': [
      'test/slow/transport/exit-guard.test.ts',
      'stays answerable for a process that was not seen gone in time',
    ],
    'the fake CLI itself speaks the protocol': [
      'test/slow/fake-cli/healthy.test.ts',
      'says nothing before the host does, and answers initialize as 2.1.332 (WIRE §1)',
    ],
    'the fake CLI notices a host that does not': [
      'test/slow/fake-cli/violations.test.ts',
      'is recorded for answers that answer nothing, twice, too late, or too little (WIRE §5)',
    ],
  },
};
