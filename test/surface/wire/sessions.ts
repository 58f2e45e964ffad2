import type { WireSection } from './wire-row.ts';

const FLAGS = 'test/slow/real-cli/conversation-flags.test.ts';
const CONVERSATION = 'test/slow/real-cli/conversation.test.ts';
const OFFICIAL = 'test/slow/conversations/official.test.ts';

export const SESSIONS: WireSection = {
  section: 12,
  about: 'sessions on disk',
  rows: {
    'the folder of a working directory': [OFFICIAL, 'working directories with spaces, letters beyond ASCII'],
    'the rows of a transcript': [OFFICIAL, 'text, thinking, parallel tools, a subagent'],
    'the file appears with the first prompt': [FLAGS, 'sessionId: one of a process that got no prompt is still free'],
    'resume: the same id, and what was said': [
      CONVERSATION,
      'resumes a conversation under its id and knows what was said',
    ],
    'resume from another folder': [FLAGS, 'resume from another folder'],
    'continue: the newest, or a new one': [FLAGS, 'continue: the newest of its folder'],
    'fork: a new id, or a chosen one': [FLAGS, 'forkSession: all that was said under a new id'],
    'session id: as given, and only once': [FLAGS, 'sessionId: as given; taken again it fails the start'],
    'session id: a uuid, and not with resume alone': [FLAGS, 'sessionId: as given; taken again it fails the start'],
    'resume of what nobody knows: a result, no answer, exit 1': [CONVERSATION, 'names an unknown conversation as such'],
    'resume of garbage': ['test/session/exit-cause.test.ts', 'would only be repeated by a restart'],
    'no persistence: nothing written': [FLAGS, 'persistSession: false leaves nothing behind'],
    'resume at a message: what came later is gone': [FLAGS, 'resumeSessionAt: what was said after that answer is gone'],
    'resume that drops a turn: only if nothing else is dropped': [
      FLAGS,
      'resumeDropsTurn: accepted when only that turn is dropped',
    ],
    'a process without a prompt leaves no session': [
      FLAGS,
      'sessionId: one of a process that got no prompt is still free',
    ],
    'a restart before anything was said begins anew': [
      'test/slow/session/resume.test.ts',
      'before anything was said of the conversation starts a new one',
    ],
    'after a kill in the first turn it can be resumed': [
      'test/slow/real-cli/ends.test.ts',
      'resumes the conversation after such a kill and runs the prompt once more',
    ],
    'the registry of live sessions, left behind by a kill': [
      'test/conversations/change-session.test.ts',
      'is not refused for an entry that a killed process left behind',
    ],
    'no lock: two processes would fork the history': [
      CONVERSATION,
      'refuses a second session on a living conversation',
    ],
  },
};

const ONE_SHOT = 'The host never starts a one-shot run: every session speaks stream-json in both directions';

export const ONE_SHOTS: WireSection = {
  section: 16,
  about: 'one-shot runs',
  rows: {
    'prompt as an argument or on stdin': { cli: `${ONE_SHOT}, and prompts travel on stdin as messages.` },
    'plain text among the lines of stdout': ['test/wire/corpus.test.ts', 'come through unchanged'],
    'silent stdin is waited for': { cli: `${ONE_SHOT}, and the CLI waits for the first line without an end.` },
    'exit codes of an empty prompt, an error, a limit': {
      cli: `${ONE_SHOT}; how its exit codes are read is shown for WIRE §13.`,
    },
    'a prompt that begins with a dash': [
      'test/launch/session-options.test.ts',
      'values that would become flags or further rules',
    ],
    'an unknown option: exit 1, stderr alone': [
      'test/slow/real-cli/options.test.ts',
      'name the flag of extraArgs that no release knows',
    ],
    'an unknown model runs': ['test/slow/real-cli/control-rows.test.ts', 'set_model takes a name nobody knows'],
    'a one-shot of the fake': ['test/slow/fake-cli/healthy.test.ts', 'runs one turn in print mode and exits'],
  },
};
