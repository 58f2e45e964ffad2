// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a title may hold the name of a variable.
import { type ReportTopic, titles } from './report-topic.ts';

export const STARTS: ReportTopic = {
  topic: 'init',
  entries: {
    R01: titles('slow/session/init', 'is rejected at its deadline with the evidence, its tree dead'),
    R02: titles(
      'slow/session/init',
      'is rejected long before its deadline with what stderr said and the exit code',
      'prefers the text of an error result to stderr',
      'rejects every pending control request with the reason of the exit',
    ),
    R04: [
      ...titles('slow/session/init', 'lives on when it is slow but talking'),
      ...titles(
        'machines/session-start',
        'does not kill a slow start that talks',
        'kills a silent start at its deadline, without asking it politely',
      ),
    ],
    R05: titles('slow/session/init', 'asks a redelivered permission once, and takes the task list as a level'),
    R06: [
      ...titles('slow/session/init', 'holds the first prompt until the in-process servers are connected'),
      ...titles('slow/real-cli/mcp-external', '%s fails the start with its name and its reason'),
    ],
  },
};

export const FRAMING: ReportTopic = {
  topic: 'framing',
  entries: {
    R07: [
      ...titles('slow/session/framing', 'of 5 MiB, around 1 MiB, of 16 MiB, and six in a row arrive whole'),
      ...titles('slow/supervision/restart', 'of the framing names size and limit and is not repeated'),
    ],
    R09: [
      ...titles(
        'wire/framing',
        'keeps characters whole that straddle two chunks, at every byte',
        'keeps characters whole that come byte by byte',
      ),
      ...titles('transport/stderr-lines', 'keeps a character that straddles two chunks whole'),
      ...titles('wire/stream-json/encoding', 'makes lone surrogates well-formed, nested ones and keys too'),
    ],
    R10: [
      ...titles('wire/framing', 'keeps %j inside a string, escaped or not'),
      ...titles('wire/line-splitter', 'ends a line at the byte 0x0A and at no other'),
      ...titles('wire/stream-json/encoding', 'is one line for every reader'),
    ],
    R11: [
      ...titles('slow/session/framing', 'is told and costs no frame around it'),
      ...titles('session/line-reader', 'becomes one diagnostic each, with a bounded sample'),
      ...titles('wire/stream-json/decoding', 'finds the frame that is glued to a banner', 'calls %s corrupt'),
    ],
    R12: titles('wire/framing', 'keeps white space that falls on a 64 KiB boundary'),
    R13: titles(
      'slow/session/framing',
      'delivers a last result without its newline',
      'drops half a frame, says so, and ends the turn as cut short',
      'comes after everything that was written before the exit',
    ),
    R15: titles(
      'slow/session/framing',
      'of unknown types and shapes passes through, known or not, before and after the result',
      'that asks what nobody knows gets an error answer, never silence',
    ),
    R17: [
      ...titles('slow/session/framing', 'of unknown types and shapes passes through'),
      ...titles('wire/message-text', 'is what can be read of the content %j'),
      ...titles('permissions/permission-desk', 'can be as malformed as %j'),
    ],
  },
};

export const INPUT: ReportTopic = {
  topic: 'stdin',
  entries: {
    R18: titles('slow/session/stdin', 'stays open for late ${what} traffic when the prompt is ${how}'),
    R19: titles(
      'slow/session/stdin',
      'stays open for late ${what} traffic when the prompt is ${how}',
      'is not held open by a shell that never ends',
      'takes an update to killed for the end of an agent',
    ),
    R20: titles('slow/session/stdin', 'are read while a large first line is still being written'),
    R21: titles('slow/session/stdin', 'serve 50 questions among 5 000 messages that nobody reads'),
    R22: titles(
      'slow/session/stdin',
      'fails alone, with its exit code, and 50 neighbours live on',
      'ends its turn when it closes its input for ever, instead of hanging',
    ),
    R24: titles('slow/transport/subprocess-transport', 'drains 64 MiB of stderr that nobody asked for'),
  },
};

export const CONTROL: ReportTopic = {
  topic: 'control',
  entries: {
    R25: titles(
      'slow/session/control',
      'run at the same time: the first may wait for the last',
      'get an error answer at once when the callback throws, rejects, or returns nonsense',
    ),
    R26: titles('slow/session/control', 'that are taken back get no answer ever; odd cancels change nothing'),
  },
};

export const ENVIRONMENT: ReportTopic = {
  topic: 'env',
  entries: {
    R91: [
      ...titles('slow/session/environment', 'holds nothing by which an outer session marks its children'),
      ...titles('launch/launch-environment', 'is the same in a nested shell as in a clean one'),
    ],
    R93: titles(
      'slow/session/standing-permissions',
      'are asked for by default, and the mode that was asked for is in argv and in the init',
      'are told when the CLI runs in another mode than the one asked for',
    ),
  },
};

export const ARGUMENTS: ReportTopic = {
  topic: 'argv',
  entries: {
    R94: titles(
      'slow/session/environment',
      'stays small with a system prompt, agents and servers of 200 KB; files are private and go away',
      'too large for the system is refused before the spawn, naming the limit',
    ),
    R95: [
      ...titles(
        'launch/launch-arguments',
        'writes an empty list as --flag=',
        'is one argument for each flag with its value: none stands alone',
      ),
      ...titles('launch/session-options', 'values that would become flags or further rules'),
      ...titles('slow/launch/real-cli', 'reads the rules as they were given, not one more'),
    ],
  },
};

export const TOOL_SERVERS: ReportTopic = {
  topic: 'mcp',
  entries: {
    R96: [
      ...titles('slow/session/control', 'of a slow tool have no hidden limit of ours'),
      ...titles('mcp/mcp-bridge', 'of one tool aborts its handler and is an error result; what comes late is dropped'),
    ],
    R97: titles(
      'slow/session/control',
      'abort the handler of a tool when the call is cancelled, interrupted, or the session closes',
    ),
    R98: titles(
      'mcp/mcp-bridge',
      'run all at once: the first of 20 waits for the last',
      'that cannot succeed are error results, and the others do not notice',
    ),
    R99: titles('slow/session/control', 'reach in-process tools with every edge of JSON-RPC'),
  },
};
